// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <tessera/io/error.hpp>

#include "base/checksum.hpp"
#include "checkpoint/head.hpp"
#include "message_of.hpp"
#include "temporary_directory.hpp"

// Forged files with right checksums. The checksums have no key, so anybody can compute them. Reading is serial
// and without MPI. It takes a bounded amount of memory for all of these files.
namespace {

using namespace tessera;
using namespace tessera::io::detail;
using test::message_of;
using test::TemporaryDirectory;

// Parts of a file. Each may be changed before the file is written with its checksums.
struct Forgery {
  Manifest manifest;
  std::function<void(std::string&)> change_manifest = [](std::string&) {};
  std::function<void(Seal&)> change_seal = [](Seal&) {};
  index_t file_size = 0;  // 0: what its parts need
};

class Forged : public testing::Test {
 protected:
  static Entry entry(std::string name, EntryKind kind, ElementKind element, std::vector<index_t> extents) {
    Entry e;
    e.name = std::move(name);
    e.kind = kind;
    e.type = {element, size_of(element)};
    e.extents = std::move(extents);
    return e;
  }
  // A complete checkpoint except for HDF5's structures, which the reader accepts as they are.
  static Forgery whole() {
    Forgery f;
    f.manifest.generation = 1;
    f.manifest.step = -7;
    f.manifest.written = "2026-01-31T12:00:00Z";
    f.manifest.library = "0.1.0";
    f.manifest.entries = {entry("time", EntryKind::value, ElementKind::float64, {}),
                          entry("notes", EntryKind::text, ElementKind::bytes, {11}),
                          entry("empty", EntryKind::array, ElementKind::float32, {4, 0}),
                          entry("fields/density", EntryKind::array, ElementKind::float64, {30, 40}),
                          entry("fields/b", EntryKind::array, ElementKind::complex64, {2, 3, 500})};
    f.manifest.tiles = number_tiles(f.manifest.entries);
    index_t at = 8192;
    for (Entry& e : f.manifest.entries) {
      e.offset = e.bytes() == 0 ? 0 : at;
      at += (e.bytes() + 4095) / 4096 * 4096;
    }
    f.manifest.checksums_offset = at;
    return f;
  }
  // Writes the file, with the manifest at the end.
  void write(const Forgery& f) const {
    std::string text = f.manifest.text();
    f.change_manifest(text);
    Seal seal;
    seal.manifest_offset = f.manifest.checksums_offset + 8 * f.manifest.tiles;
    seal.manifest_size = static_cast<index_t>(text.size());
    seal.file_size = f.file_size > 0 ? f.file_size : seal.manifest_offset + seal.manifest_size;
    seal.manifest_checksum = checksum(text);
    std::filesystem::remove(file_);
    std::ofstream(file_, std::ios::binary).seekp(seal.manifest_offset) << text;
    std::filesystem::resize_file(file_, static_cast<std::uintmax_t>(seal.file_size));
    if (f.file_size == 0) seal.frame_checksum = frame_of(text, seal.file_size);
    f.change_seal(seal);
    const Descriptor file = open_to_write(file_);
    const std::string bytes = seal.text();
    write_at(file, std::as_bytes(std::span(bytes)), 0);
  }
  // The checksum that fits this manifest, or 0 if it cannot be computed.
  std::uint64_t frame_of(const std::string& text, index_t size) const {
    try {
      const Manifest m = parse_manifest(text);
      Seal seal;
      seal.file_size = size;
      seal.manifest_size = 0;
      seal.manifest_offset = Seal::bytes;
      check_places(seal, m);
      return frame_checksum(open_to_read(file_), size, m.entries);
    } catch (const io::IoError&) {
      return 0;
    }
  }
  static void replace(std::string& text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), by);
  }
  void expect_refused(const Forgery& f, const std::vector<std::string>& words) const {
    write(f);
    const std::string message = message_of<io::IoError>([&] { read_head(file_); });
    for (const auto& word : words)
      EXPECT_NE(message.find(word), std::string::npos) << word << " is not in: " << message;
    expect_for_people(message);
  }
  static void expect_for_people(const std::string& message) {
    EXPECT_GT(message.size(), 8U);
    EXPECT_LT(message.size(), 3000U);
    for (const char c : message) ASSERT_TRUE(static_cast<unsigned char>(c) >= 32 && c != 127) << message;
    for (const char* raw : {"stoll", "stoull", "bad_alloc", "std::", "basic_string", "vector"})
      EXPECT_EQ(message.find(raw), std::string::npos) << message;
  }

  const TemporaryDirectory directory_;
  const std::filesystem::path file_ = directory_ / "run.000001.h5";
};

TEST_F(Forged, file_that_is_whole_is_read) {
  write(whole());
  const Head head = read_head(file_);
  EXPECT_EQ(head.manifest.step, -7);
  EXPECT_EQ(head.manifest.entries.size(), 5U);
  EXPECT_EQ(head.checksums.size(), 4U);
}

TEST_F(Forged, lengths_that_do_not_fit_the_file_are_refused) {
  Forgery f = whole();
  f.change_seal = [](Seal& seal) { seal.manifest_size = 6'000'000'000; };
  expect_refused(f, {"a manifest of 6000000000 bytes"});
  f.change_seal = [](Seal& seal) { seal.manifest_size += 1; };
  expect_refused(f, {"its manifest", "does not fit into the file"});
  f.change_seal = [](Seal& seal) { seal.manifest_offset = INT64_MAX - 4; };
  expect_refused(f, {"does not fit into the file"});
  f.change_seal = [](Seal& seal) { seal.manifest_offset = 0; };
  expect_refused(f, {"does not fit into the file"});
  f.change_seal = [](Seal& seal) { seal.manifest_offset = -4096; };
  expect_refused(f, {"seal"});
  // A sparse file may have any length without using a block on the disk.
  f = whole();
  f.file_size = index_t{1} << 42;
  f.change_seal = [](Seal& seal) { seal.manifest_size = 6'000'000'000; };
  expect_refused(f, {"a manifest of 6000000000 bytes"});
  f.change_seal = [](Seal&) {};
  expect_refused(f, {"belong to nothing that its manifest names"});
  f = whole();
  f.file_size = index_t{1} << 42;
  f.manifest.entries[3].extents = {1 << 20, 1 << 18};
  expect_refused(f, {"does not fit together"});
}

TEST_F(Forged, extents_that_no_array_has_are_refused) {
  const auto expect = [&](const std::string& extents, const std::vector<std::string>& words) {
    Forgery f = whole();
    f.change_manifest = [&](std::string& text) { replace(text, "2 30 40 fields/density", extents); };
    expect_refused(f, words);
  };
  expect("3 4294967296 4294967296 4294967296 fields/density", {"more bytes than can be counted"});
  expect("2 4294967296 4294967296 fields/density", {"more bytes than can be counted"});
  expect("3 4294967296 4294967296 0 fields/density", {"more bytes than can be counted"});
  expect("1 9223372036854775807 fields/density", {"more bytes than can be counted"});
  expect("1 9223372036854775808 fields/density", {"no number"});
  expect("2 -30 40 fields/density", {"negative"});
  expect("2 +30 40 fields/density", {"no number"});
  expect("2 0x1e 40 fields/density", {"no number"});
  expect("2 030 40 fields/density", {"does not fit together"});
  expect("0 fields/density", {"extents"});
  expect("9 1 1 1 1 1 1 1 1 1 fields/density", {"9 extents"});
  expect("99999999999 1 fields/density", {"99999999999 extents"});
  expect("2 30 40", {});
  expect("2 30", {});
  expect("2 30 40 fields/b", {"two of array \"fields/b\""});
}

// A name may have any bytes. Messages show it as printable text.
TEST_F(Forged, names_are_printable_in_messages) {
  Forgery f = whole();
  f.manifest.entries[3].name = "fields/\33[31mdensity";
  write(f);
  EXPECT_EQ(describe(read_head(file_).manifest.entries[3]), "array \"fields/\\x1b[31mdensity\"");
  f.manifest.entries[4].offset = 1;
  f.manifest.entries[4].name =
      "\x9b"
      "2J";
  expect_refused(f, {"array \"\\x9b2J\"", "does not fit"});
}

TEST_F(Forged, numbers_that_no_writer_writes_are_refused) {
  const auto expect = [&](const std::string& what, const std::string& by,
                          const std::vector<std::string>& words) {
    Forgery f = whole();
    f.change_manifest = [&](std::string& text) { replace(text, what, by); };
    expect_refused(f, words);
  };
  expect("step -7", "step many", {"\"many\" is no number"});
  expect("step -7", "step 99999999999999999999", {"no number"});
  expect("step -7", "step ", {"no number"});
  expect("step -7", "step \33[2J", {"\\x1b[2J"});
  expect("step -7\n", "", {"\"step\" should be"});
  expect("generation 1", "generation -1", {"negative"});
  expect("order little", "order \33]0;x\a", {"byte order", "\\x1b"});
  expect("tiles 4", "tiles 5", {"does not fit together"});
  expect("tiles 4", "tiles 4611686018427387904", {"does not fit together"});
  expect("entries 5", "entries 6", {"does not fit together"});
  expect("float64 8 ", "float64 9 ", {"elements of 9 bytes"});
  expect("float64 8 ", "bytes 0 ", {"elements of 0 bytes"});
  expect("float64 8 ", "bytes 9000000000000000000 ", {"elements of 9000000000000000000 bytes"});
  expect("float64 8 ", "float\33 8 ", {"\\x1b"});
  expect("value ", "thing ", {"\"thing\" is no kind"});
  expect("text bytes 1 ", "text int64 8 ", {"elements of 8 bytes"});
}

TEST_F(Forged, places_outside_the_file_or_of_two_parts_are_refused) {
  const auto expect = [&](const std::function<void(Manifest&)>& change, const std::vector<std::string>& words) {
    Forgery f = whole();
    Manifest other = f.manifest;
    change(other);
    f.change_manifest = [&](std::string& text) { text = other.text(); };
    expect_refused(f, words);
  };
  expect([](Manifest& m) { m.entries[0].offset = 0; }, {"value \"time\"", "does not fit into the file"});
  expect([](Manifest& m) { m.entries[0].offset = 4095; }, {"value \"time\"", "does not fit into the file"});
  expect([](Manifest& m) { m.entries[0].offset = INT64_MAX; },
         {"value \"time\"", "does not fit into the file"});
  expect([](Manifest& m) { m.entries[0].offset = INT64_MAX - 7; }, {"does not fit into the file"});
  expect([](Manifest& m) { m.entries[0].offset = m.checksums_offset; }, {"value \"time\"", "the same bytes"});
  expect([](Manifest& m) { m.entries[4].offset = m.entries[3].offset; }, {"have the same bytes of the file"});
  expect([](Manifest& m) { m.entries[4].offset = m.entries[3].offset + 8; },
         {"have the same bytes of the file"});
  expect([](Manifest& m) { m.checksums_offset = m.entries[3].offset; }, {"checksums", "the same bytes"});
  expect([](Manifest& m) { m.checksums_offset = INT64_MAX; }, {"checksums", "does not fit into the file"});
  expect([](Manifest& m) { m.checksums_offset += 1; }, {"the same bytes"});
}

// Random changes of a manifest and a seal, the same in every run.
class RandomChanges {
 public:
  std::size_t pick(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  // Changes a word, a number in it, a line, or some bytes.
  void change(std::string& text) {
    switch (pick(6)) {
      case 0:
      case 1: {
        const auto [at, size] = word_of(text);
        text.replace(at, size, numbers[pick(numbers.size())]);
        break;
      }
      case 2: {
        const auto [at, size] = word_of(text);
        const auto [from, length] = word_of(text);
        text.replace(at, size, text.substr(from, length));
        break;
      }
      case 3: {
        const std::size_t begin = text.rfind('\n', pick(text.size())) + 1;
        const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        const std::string line = text.substr(begin, end - begin);
        pick(2) == 0 ? text.erase(begin, end - begin) : text.insert(begin, line);
        break;
      }
      case 4:
        text[pick(text.size())] = static_cast<char>(pick(256));
        break;
      default:
        text.resize(pick(text.size()) + 1);
    }
    if (text.empty()) text = "\n";
  }
  void change(Seal& seal) {
    index_t* const fields[] = {&seal.manifest_offset, &seal.manifest_size, &seal.file_size};
    index_t& field = *fields[pick(3)];
    const index_t values[] = {0, 1, 4096, field + 1, field - 1, field * 2, INT64_MAX, index_t{1} << 40};
    field = values[pick(8)];
  }

 private:
  // Where any word begins, and its length.
  std::pair<std::size_t, std::size_t> word_of(const std::string& text) {
    std::size_t begin = pick(text.size());
    while (begin > 0 && text[begin - 1] != ' ' && text[begin - 1] != '\n') --begin;
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    return {begin, end - begin};
  }

  static inline const std::vector<std::string> numbers{"0",
                                                       "1",
                                                       "-1",
                                                       "7",
                                                       "4095",
                                                       "4294967296",
                                                       "2147483648",
                                                       "9223372036854775807",
                                                       "9223372036854775808",
                                                       "18446744073709551616",
                                                       "1e3",
                                                       "",
                                                       "+1",
                                                       " 1",
                                                       "00000000000000008192",
                                                       "1152921504606846976",
                                                       "nan",
                                                       "\33[2J"};

  std::mt19937_64 random_{20260131};
};

// A checkpoint whose numbers fit its file. No part may be larger than the file.
void expect_fits(const Head& head) {
  __int128 bytes = 0;  // 128 bits, so that the products cannot wrap
  for (const Entry& e : head.manifest.entries) {
    __int128 product = e.type.size;
    for (const index_t extent : e.extents) product *= extent;
    EXPECT_TRUE(product >= 0 && product <= head.file_size);
    EXPECT_TRUE(product == 0 || (e.offset >= 4096 && e.offset + product <= head.file_size));
    bytes += product;
  }
  EXPECT_LE(static_cast<index_t>(bytes), head.file_size);
  EXPECT_EQ(head.manifest.text(), head.text);
}

// Random changes, with right checksums. The file is refused with a message, or it is a checkpoint whose numbers
// fit its file.
TEST_F(Forged, random_changes_are_refused_or_fit_the_file) {
  RandomChanges random;
  int read = 0, refused = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 2000; ++i) {
    Forgery f = whole();
    const std::size_t changes = 1 + random.pick(3);
    f.change_manifest = [&](std::string& text) {
      for (std::size_t c = 0; c < changes; ++c) random.change(text);
    };
    if (random.pick(4) == 0) {
      f.change_seal = [&](Seal& seal) { random.change(seal); };
      f.change_manifest = [](std::string&) {};
    }
    if (random.pick(8) == 0) f.file_size = (index_t{1} << 30) + static_cast<index_t>(random.pick(1 << 20));
    write(f);
    try {
      const Head head = read_head(file_);
      ++read;
      expect_fits(head);
    } catch (const io::IoError& error) {
      ++refused;
      expect_for_people(error.what());
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(read, 10);
  EXPECT_GT(refused, 1000);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 1 << 20) << "KiB";
}

}  // namespace
