// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <stdexcept>
#include <vector>

#include <png.h>

#include <tessera/io/picture.hpp>

namespace tessera::test {

/// The pixels of a picture, read by libpng.
struct ReadPicture {
  index_t width = 0, height = 0;
  std::vector<io::Colour> pixels = {};
  const io::Colour& at(index_t x, index_t y) const {
    return pixels.at(static_cast<std::size_t>(y * width + x));
  }
};

/// @local
inline ReadPicture read_picture(const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) throw std::runtime_error(image.message);
  image.format = PNG_FORMAT_RGB;
  ReadPicture found{static_cast<index_t>(image.width), static_cast<index_t>(image.height)};
  std::vector<std::uint8_t> bytes(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr) == 0)
    throw std::runtime_error(image.message);
  for (std::size_t i = 0; i < bytes.size(); i += 3)
    found.pixels.push_back({bytes[i], bytes[i + 1], bytes[i + 2]});
  return found;
}

}  // namespace tessera::test
