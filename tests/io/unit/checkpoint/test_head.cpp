// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/io/error.hpp>

#include "base/checksum.hpp"
#include "checkpoint/head.hpp"
#include "comparison.hpp"
#include "expect_words.hpp"
#include "file_bytes.hpp"
#include "message_of.hpp"
#include "temporary_directory.hpp"

// The head of a checkpoint's file that is written by hand and damaged by hand.
namespace {

using tessera::index_t;
using tessera::io::IoError;
using tessera::io::detail::checksum;
using tessera::io::detail::has_seal;
using tessera::io::detail::Head;
using tessera::io::detail::read_head;
using tessera::io::detail::Seal;
using tessera::test::bytes_of;
using tessera::test::Comparison;
using tessera::test::expect_words;
using tessera::test::message_of;
using tessera::test::set_bytes;
using tessera::test::TemporaryDirectory;

constexpr std::size_t page = 4096, data_begin = 2 * page, time_bytes = 8, table_bytes = 16;

std::string hexadecimal(std::uint64_t number) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
  return digits;
}

// The seal of a file whose rest has these checksums.
std::string seal_by_hand(std::size_t file_size, std::size_t manifest_at, const std::string& manifest,
                         std::uint64_t frame) {
  std::string seal = "Tessera checkpoint, format 1\nsize " + std::to_string(file_size) + "\nmanifest " +
                     std::to_string(manifest_at) + "\nlength " + std::to_string(manifest.size()) +
                     "\nchecksum " + hexadecimal(checksum(manifest)) + "\nframe " + hexadecimal(frame) + "\n";
  seal += "seal " + hexadecimal(checksum(seal)) + "\n";
  return seal + std::string(page - seal.size(), '\0');
}

// A checkpoint of one number and 5 x 7 integers: a page of HDF5's, each entry's data in a page, the table of
// checksums, the manifest.
class SealedFile : public testing::Test {
 protected:
  SealedFile() {
    const std::string order = std::endian::native == std::endian::little ? "little" : "big";
    manifest_ = "step 12\ngeneration 1\nwritten 2026-01-31T12:00:00Z\nlibrary 0.1.0\norder " + order +
                "\ntiles 2\nchecksums 00000000000000012428\nentries 2\n"
                "value float64 8 00000000000000008192 0 time\n"
                "array int32 4 00000000000000012288 2 5 7 counts\n";
    const std::string hdf5(page, 'h'), time(time_bytes, 't'), gap(page - time_bytes, 'g'), counts(140, 'c');
    const std::uint64_t sums[] = {checksum(time), checksum(counts)};
    std::string table(table_bytes, '\0');
    std::memcpy(table.data(), sums, table_bytes);
    const std::string tail = table + manifest_, rest = hdf5 + time + gap + counts + tail;
    manifest_at_ = page + rest.size() - manifest_.size();
    whole_ = seal_by_hand(page + rest.size(), manifest_at_, manifest_, checksum(hdf5 + gap + tail)) + rest;
    set_bytes(file_, whole_);
  }
  static bool is_data(std::size_t at) {
    return (at >= data_begin && at < data_begin + time_bytes) || (at >= 3 * page && at < 3 * page + 140);
  }
  std::string refusal_of(const std::string& bytes) const {
    set_bytes(file_, bytes);
    return message_of<IoError>([&] { read_head(file_); });
  }

  const TemporaryDirectory directory_;
  const std::filesystem::path file_ = directory_ / "run.000001.h5";
  std::string manifest_, whole_;
  std::size_t manifest_at_ = 0;
};

TEST_F(SealedFile, written_by_hand_is_read) {
  const Head head = read_head(file_);
  EXPECT_EQ(head.text, manifest_);
  EXPECT_EQ(head.file_size, static_cast<index_t>(whole_.size()));
  EXPECT_EQ(head.manifest.step, 12);
  ASSERT_EQ(head.manifest.entries.size(), 2U);
  EXPECT_EQ(head.checksums, (std::vector<std::uint64_t>{checksum(std::string(time_bytes, 't')),
                                                        checksum(std::string(140, 'c'))}));
  EXPECT_TRUE(has_seal(file_));
}

TEST_F(SealedFile, has_the_seal_that_the_writer_makes) {
  Seal seal;
  seal.file_size = static_cast<index_t>(whole_.size());
  seal.manifest_offset = static_cast<index_t>(manifest_at_);
  seal.manifest_size = static_cast<index_t>(manifest_.size());
  seal.manifest_checksum = checksum(manifest_);
  std::string frame;
  for (std::size_t at = page; at < whole_.size(); ++at) {
    if (!is_data(at)) frame.push_back(whole_[at]);
  }
  seal.frame_checksum = checksum(frame);
  EXPECT_EQ(seal.text(), whole_.substr(0, page));
}

TEST_F(SealedFile, is_refused_for_a_damaged_byte_that_is_no_data) {
  Comparison compared;
  for (std::size_t at = 0; at < whole_.size(); at += at < 400 ? 1 : 23) {
    std::string damaged = whole_;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    set_bytes(file_, damaged);
    std::string found = "accepted";
    try {
      read_head(file_);
    } catch (const IoError& error) {
      found = std::string(error.what()).find("damaged") != std::string::npos ? "damaged" : error.what();
    }
    compared(at, is_data(at) ? std::string("accepted") : std::string("damaged"), found);
  }
  EXPECT_TRUE(compared.equal());
}

TEST_F(SealedFile, is_refused_with_the_part_that_is_damaged) {
  const auto flipped = [&](std::size_t at) {
    std::string bytes = whole_;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    return bytes;
  };
  expect_words(refusal_of(flipped(3)), {"seal", "no checkpoint"});
  expect_words(refusal_of(flipped(page - 1)), {"seal", "damaged"});
  expect_words(refusal_of(flipped(manifest_at_ + 5)), {"its manifest is damaged"});
  expect_words(refusal_of(flipped(manifest_at_ - 1)), {"HDF5", "table of checksums"});
  expect_words(refusal_of(flipped(page)), {"HDF5", "table of checksums"});
}

TEST_F(SealedFile, is_refused_when_it_is_shorter_or_longer) {
  const std::string size = std::to_string(whole_.size());
  for (const std::size_t length : {whole_.size() - 1, manifest_at_, data_begin, page})
    expect_words(refusal_of(whole_.substr(0, length)), {"truncated", size, std::to_string(length)});
  expect_words(refusal_of(whole_ + 'x'), {"truncated", size});
  for (const std::size_t length : {page - 1, std::size_t{300}, std::size_t{100}, std::size_t{1}})
    expect_words(refusal_of(whole_.substr(0, length)), {"seal"});
}

TEST_F(SealedFile, without_its_seal_was_never_completed) {
  expect_words(refusal_of(std::string(page, '\0') + whole_.substr(page)), {"never completed"});
  EXPECT_FALSE(has_seal(file_));
  expect_words(refusal_of(std::string(10, '\0')), {"never completed"});
  expect_words(refusal_of(""), {"the file is empty"});
  EXPECT_FALSE(has_seal(file_));
}

TEST_F(SealedFile, with_a_manifest_of_another_file_is_refused) {
  // Both parts have correct checksums, but the entries of the manifest do not fit this file.
  std::string other = manifest_;
  other.replace(other.find("00000000000000012288"), 20, "00000000000000012292");
  std::string frame(page, 'h');
  frame += std::string(page - time_bytes, 'g') + whole_.substr(manifest_at_ - table_bytes, table_bytes) + other;
  const std::string rest = whole_.substr(page, manifest_at_ - page) + other;
  expect_words(refusal_of(seal_by_hand(whole_.size(), manifest_at_, other, checksum(frame)) + rest),
               {"array \"counts\"", "its table of checksums", "the same bytes"});
}

TEST_F(SealedFile, is_known_by_its_first_bytes_even_if_it_is_damaged) {
  set_bytes(file_, whole_.substr(0, 29));
  EXPECT_TRUE(has_seal(file_));
  set_bytes(file_, whole_.substr(0, 28));
  EXPECT_FALSE(has_seal(file_));
  set_bytes(file_, "\x89HDF\r\n\x1a\n" + whole_);
  EXPECT_FALSE(has_seal(file_));
}

TEST_F(SealedFile, behind_a_link_is_read_but_does_not_count_as_sealed) {
  std::filesystem::create_symlink(file_, directory_ / "link");
  EXPECT_EQ(read_head(directory_ / "link").text, manifest_);
  EXPECT_FALSE(has_seal(directory_ / "link"));
  EXPECT_FALSE(has_seal(directory_ / "missing"));
  EXPECT_FALSE(has_seal(directory_ / "."));
  EXPECT_EQ(bytes_of(file_), whole_);
}

}  // namespace
