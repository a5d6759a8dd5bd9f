// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.hpp"
#include "checkpoint/head.hpp"
#include "checkpoint_faults.hpp"

// Generations that are damaged, forged, or of other arrays. They are skipped or refused on every rank, and an
// older generation is restored.
namespace {

using namespace tessera;
using namespace tessera::test;

TEST_F(CheckpointFaults, flipped_bit_in_each_part_is_found) {
  // The positions are found by their contents, without HDF5.
  const auto manifest = whole_.find("step 2\ngeneration 2\n"), header = whole_.find("\x89HDF");
  double last = element<double>(2 + 300 * 700 - 1);
  const auto data = whole_.find(std::string(reinterpret_cast<const char*>(&last), sizeof last));
  TESSERA_ASSERT_ALL(manifest != std::string::npos && header == 4096 && data != std::string::npos);
  expect_refused(flipped(data), {"array \"density\" is damaged", "elements 131072 to 209999 of 210000"});
  expect_refused(flipped(manifest + 5), {"manifest is damaged"});
  expect_refused(flipped(header + 9, 3), {"HDF5 structures", "damaged"});
  expect_refused(flipped(header + 300), {"HDF5 structures", "damaged"});
  expect_refused(flipped(10), {"seal", "damaged"});
  expect_refused(flipped(40), {"seal", "damaged"});
  expect_refused(flipped(4000), {"seal", "damaged"});
}

TEST_F(CheckpointFaults, flipped_bit_anywhere_is_found) {
  Random random(4711);
  for (int i = 0; i < 12; ++i) {
    const auto byte = static_cast<std::size_t>(pick(random, 0, static_cast<index_t>(whole_.size()) - 1));
    SCOPED_TRACE(byte);
    expect_refused(flipped(byte, static_cast<int>(pick(random, 0, 7))), {"damaged"});
  }
  // Data fill most of the file, so the first bytes are tried separately.
  for (int i = 0; i < 12; ++i) {
    const auto byte = static_cast<std::size_t>(pick(random, 0, 8191));
    SCOPED_TRACE(byte);
    expect_refused(flipped(byte, static_cast<int>(pick(random, 0, 7))), {"damaged"});
  }
}

TEST_F(CheckpointFaults, other_files_are_refused) {
  for (const std::size_t size : {whole_.size() - 1, whole_.size() / 2, std::size_t{4096}})
    expect_refused(whole_.substr(0, size), {"truncated", std::to_string(whole_.size())});
  expect_refused(whole_.substr(0, 100), {"seal"});
  expect_refused(whole_ + '\0', {"truncated"});
  expect_refused("", {"the file is empty"});
  expect_refused(std::string(4096, '\0') + whole_.substr(4096), {"never completed"});
  expect_refused("a few words\n", {"no checkpoint"});
  on_rank_0([&] {
    std::filesystem::remove(newest_);
    std::filesystem::create_directory(newest_);
  });
  EXPECT_EQ(checkpoint_.restore().value().step, 1);
  expect_words(io::verify_checkpoint(world(), newest_).problem, {"directory"});
  expect_words(io::verify_checkpoint(world(), directory_ / "nothing").problem, {"nothing", "No such file"});
}

// Changes numbers of the manifest and makes the checksums right again. unit/checkpoint/test_forged.cpp does
// more of this, without MPI.
void forge(const std::filesystem::path& file, const std::string& whole, const std::string& from,
           const std::string& to) {
  namespace detail = io::detail;
  detail::Seal seal;
  ASSERT_EQ(std::sscanf(whole.c_str(), "Tessera checkpoint, format 1\nsize %ld\nmanifest %ld\nlength %ld\n",
                        &seal.file_size, &seal.manifest_offset, &seal.manifest_size),
            3);
  const auto at = static_cast<std::size_t>(seal.manifest_offset);
  std::string text = whole.substr(at, static_cast<std::size_t>(seal.manifest_size));
  ASSERT_NE(text.find(from), std::string::npos) << from;
  text.replace(text.find(from), from.size(), to);
  std::string bytes = whole;
  bytes.resize(std::max(bytes.size(), at + text.size()));
  bytes.replace(at, text.size(), text);
  seal.manifest_size = static_cast<index_t>(text.size());
  seal.file_size = static_cast<index_t>(bytes.size());
  seal.manifest_checksum = detail::checksum(text);
  set_bytes(file, bytes);
  try {
    const auto manifest = detail::parse_manifest(text);
    detail::check_places(seal, manifest);
    seal.frame_checksum = detail::frame_checksum(detail::open_to_read(file), seal.file_size, manifest.entries);
  } catch (const io::IoError&) {
    // Then its checksum cannot be computed.
  }
  bytes.replace(0, detail::Seal::bytes, seal.text());
  set_bytes(file, bytes);
}

TEST_F(CheckpointFaults, forged_numbers_are_refused) {
  const std::pair<const char*, const char*> forgeries[]{
      {"2 300 700 density", "3 4294967296 4294967296 4294967296 density"},
      {"2 300 700 density", "2 3000 7000 density"},
      {"2 300 700 density", "2 301 700 density"},
      {"2 300 700 density", "2 -300 700 density"},
      {"2 300 700 density", "1 9223372036854775807 density"},
      {"array float64 8", "array bytes 4611686018427387904"},
      {"tiles 3", "tiles 2305843009213693952"},
      {"step 2", "step \33[2J"},
      {"entries 2", "entries 1000000000000"},
      {" 0 time", " 0 density"}};
  for (const auto& [from, to] : forgeries) {
    SCOPED_TRACE(to);
    on_rank_0([&] { forge(newest_, whole_, from, to); });
    fill(a_, -1.0);
    const auto restored = checkpoint_.restore();
    TESSERA_ASSERT_ALL(restored.has_value() && restored->skipped.size() == 1);
    EXPECT_EQ(restored->step, 1);
    EXPECT_TRUE(is_numbered(a_, 1));
    for (const std::string& message :
         {restored->skipped.front().reason, io::verify_checkpoint(world(), newest_).problem}) {
      EXPECT_GT(message.size(), 10U);
      for (const char* raw : {"std::", "stoll", "alloc", "\33"})
        EXPECT_EQ(message.find(raw), std::string::npos) << message;
    }
  }
  // Valid numbers are read and compared with the program's array.
  on_rank_0([&] { forge(newest_, whole_, "2 300 700 density", "2 700 300 density"); });
  EXPECT_EQ(io::verify_checkpoint(world(), newest_).problem, "");
  expect_words(message_of<io::IoError>([&] { checkpoint_.restore(); }), {"700 x 300 of float64 there"});
  on_rank_0([&] { forge(newest_, whole_, " density", " d\33[2Jnsity"); });
  EXPECT_EQ(io::verify_checkpoint(world(), newest_).problem, "");
  expect_words(message_of<io::IoError>([&] { checkpoint_.restore(); }), {"there is no \"density\""});
}

TEST_F(CheckpointFaults, error_names_every_generation_when_none_is_left) {
  on_rank_0([&] {
    set_bytes(newest_, flipped(9000));
    set_bytes(generation(prefix_, 1), "x");
  });
  time_ = 77;
  expect_words(message_of<io::IoError>([&] { checkpoint_.restore(); }),
               {prefix_.string(), "no generation can be restored", newest_.string(), "damaged",
                generation(prefix_, 1).string(), "no checkpoint"});
  EXPECT_EQ(time_, 77);
  number_elements(a_, 3);
  checkpoint_.write(3);
  EXPECT_EQ(checkpoint_.restore().value().step, 3);
  EXPECT_TRUE(is_numbered(a_, 3));
}

TEST_F(CheckpointFaults, damaged_generations_do_not_count_as_kept) {
  expect_refused(flipped(9000), {"damaged"});
  checkpoint_.write(3);
  EXPECT_EQ(io::checkpoint_files(world(), prefix_).size(), 3U);
  on_rank_0([&] { set_bytes(generation(prefix_, 3), bytes_of(generation(prefix_, 3)).substr(0, 5000)); });
  EXPECT_EQ(checkpoint_.restore().value().step, 1);
  EXPECT_TRUE(is_numbered(a_, 1));
  checkpoint_.write(4);
  checkpoint_.write(5);
  EXPECT_EQ(directory_.names(),
            (std::vector<std::string>{generation("run", 4), generation("run", 5), "run.lock"}));
}

TEST_F(CheckpointFaults, other_arrays_than_were_written_are_refused) {
  checkpoint_.close();
  Array<double, 2> turned(world(), {700, 300});
  Array<float, 2> floats(world(), {300, 700});
  std::vector<double> list(3);
  std::array<double, 2> pair{};
  const auto refuse = [&](const char* name, auto& what, const std::vector<std::string>& words) {
    io::Checkpoint other(world(), prefix_);
    other.add(name, what);
    const std::string message = message_of<io::IoError>([&] { other.restore(); });
    expect_words(message, words);
    expect_words(message, {newest_.string(), "step 2"});
  };
  refuse("density", turned, {"array \"density\" is 300 x 700 of float64 there, but 700 x 300 of float64 here"});
  refuse("density", floats, {"of float64 there", "of float32 here"});
  refuse("density", time_, {"array \"density\"", "but float64 here"});
  refuse("time", a_, {"value \"time\" is float64 there", "300 x 700 of float64 here"});
  refuse("time", list, {"value \"time\""});
  refuse("time", pair, {"value \"time\" is float64 there, but 2 of float64 here"});
  refuse("fock", a_, {"there is no \"fock\" in it"});
  // A program may restore only a part of what the file has.
  time_ = -1;
  io::Checkpoint part(world(), prefix_);
  part.add("time", time_);
  EXPECT_EQ(part.restore().value().step, 2);
  EXPECT_EQ(time_, 2);
}

}  // namespace
