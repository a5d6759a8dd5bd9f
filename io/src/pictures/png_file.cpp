// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "pictures/png_file.hpp"

#include <tessera/io/error.hpp>

#include "format.hpp"

#ifdef TESSERA_HAS_PNG
#include <csetjmp>
#include <new>
#include <string>

#include <png.h>
#endif

namespace tessera::io {

#ifndef TESSERA_HAS_PNG

bool has_pictures() noexcept { return false; }

namespace detail {

void require_png() {
  throw IoError(
      "this Tessera was built without libpng, so it cannot draw pictures; install libpng-dev, and build it "
      "again");
}
std::vector<std::byte> png_of(const Canvas&, const Palette&) {
  require_png();
  return {};
}

}  // namespace detail

#else

bool has_pictures() noexcept { return true; }

namespace detail {
namespace {

// What libpng's callbacks use. They must not throw, because libpng is a C library.
struct PngOutput {
  std::vector<std::byte> bytes;
  std::string problem;
  bool is_out_of_memory = false;
};

extern "C" {

void append_bytes(png_structp png, png_bytep data, std::size_t size) {
  auto& output = *static_cast<PngOutput*>(png_get_io_ptr(png));
  try {
    const auto* const begin = reinterpret_cast<const std::byte*>(data);
    output.bytes.insert(output.bytes.end(), begin, begin + size);
  } catch (const std::bad_alloc&) {
    output.is_out_of_memory = true;
  }
  if (output.is_out_of_memory) png_error(png, "out of memory");
}

void no_flush(png_structp) {}

[[noreturn]] void leave_libpng(png_structp png, png_const_charp message) {
  auto& output = *static_cast<PngOutput*>(png_get_error_ptr(png));
  try {
    output.problem = message;
  } catch (const std::bad_alloc&) {
    output.is_out_of_memory = true;
  }
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

}  // extern "C"

// Frees libpng's structures.
class PngWriter {
 public:
  explicit PngWriter(PngOutput& output)
      : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, &output, leave_libpng, ignore_warning)),
        info_(png_ == nullptr ? nullptr : png_create_info_struct(png_)) {
    if (info_ != nullptr) return;
    png_destroy_write_struct(&png_, &info_);
    throw IoError("libpng has no memory for a picture, or is of another version than its header");
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
  png_structp png() const noexcept { return png_; }
  png_infop info() const noexcept { return info_; }

 private:
  png_structp png_;
  png_infop info_;
};

// False if libpng failed. Errors jump back to setjmp, past this function's frames. So nothing here may have a
// destructor.
bool write_all(png_structp png, png_infop info, const Canvas& canvas, const png_color* colours, int count) {
  // NOLINTNEXTLINE(cert-err52-cpp): libpng reports errors in no other way
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  // Its own limit is a million pixels along a side.
  png_set_IHDR(png, info, static_cast<png_uint_32>(canvas.width()), static_cast<png_uint_32>(canvas.height()),
               8, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_PLTE(png, info, colours, count);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  for (index_t y = 0; y < canvas.height(); ++y) png_write_row(png, canvas.row(y).data());
  png_write_end(png, info);
  return true;
}

}  // namespace

void require_png() {}

std::vector<std::byte> png_of(const Canvas& canvas, const Palette& palette) {
  PngOutput output;
  const PngWriter writer(output);
  png_set_write_fn(writer.png(), &output, append_bytes, no_flush);
  std::array<png_color, 256> colours{};
  for (std::size_t i = 0; i < colours.size(); ++i)
    colours[i] = {palette[i].red, palette[i].green, palette[i].blue};
  if (!write_all(writer.png(), writer.info(), canvas, colours.data(), static_cast<int>(colours.size())))
    throw IoError(formatted("libpng: {}", output.problem.empty() ? "out of memory" : output.problem));
  return std::move(output.bytes);
}

}  // namespace detail

#endif

}  // namespace tessera::io
