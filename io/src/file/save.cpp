// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/save.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/phase.hpp>

#include "base/collectively.hpp"
#include "base/names.hpp"
#include "file/dropped_files.hpp"
#include "file/save_items.hpp"
#include "file/slice_transfers.hpp"
#include "format.hpp"
#include "posix/only_writer.hpp"
#include "tiles/hdf5_raw.hpp"
#include "tiles/shared_output.hpp"
#include "tiles/stored_items.hpp"
#include "tiles/tile_transfer.hpp"
#include "tiles/tiled_file.hpp"

namespace tessera::io::detail {
namespace {

// The groups and the dataset of a path, split as HDF5 does.
std::vector<std::string> parts_of(std::string_view dataset) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < dataset.size();) {
    const std::size_t end = std::min(dataset.find('/', begin), dataset.size());
    const auto part = dataset.substr(begin, end - begin);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    begin = end + 1;
  }
  return parts;
}

void check_names(const std::string& context, std::span<const io::Item> items) {
  std::map<std::vector<std::string>, std::string_view> names;
  for (const io::Item& item : items) {
    check_name_in_file(context, item.dataset());
    auto parts = parts_of(item.dataset());
    if (parts.empty())
      throw UsageError(
          formatted("{}: the dataset of array \"{}\" needs a name", context, item.slice().array().name()));
    if (!names.try_emplace(std::move(parts), item.dataset()).second)
      throw UsageError(formatted("{}: dataset \"{}\" is given twice", context, item.dataset()));
  }
  for (const auto& [parts, name] : names) {
    for (auto above = parts; above.size() > 1;) {
      above.pop_back();
      if (const auto found = names.find(above); found != names.end()) {
        throw UsageError(
            formatted("{}: \"{}\" cannot be a dataset and, for \"{}\", a group", context, found->second, name));
      }
    }
  }
}

}  // namespace

void check_items(const std::string& context, std::span<const io::Item> items) {
  if (items.empty()) throw UsageError(context + ": there is nothing to save");
  check_names(context, items);
  for (const io::Item& item : items) {
    const auto& array = item.slice().array();
    array.require_open();
    if (const auto& first = items.front().slice().array(); !(array.group() == first.group())) {
      throw UsageError(formatted("{}: arrays \"{}\" and \"{}\" are of different groups", context, first.name(),
                                 array.name()));
    }
  }
}

namespace {

void check_agreement(const std::filesystem::path& path, std::span<const io::Item> items) {
  tessera::detail::Fingerprint print;
  print.add(std::string_view(path.native()));
  for (const io::Item& item : items)
    print.add(std::string_view(item.dataset())).add(item.slice().fingerprint());
  require_agreement(items.front().slice().array().group(), "io::save", print);
}

// Creates the datasets on rank 0, and sets the offsets of the entries.
void make_datasets(const hdf5::File& file, std::vector<Entry>& entries,
                   const std::vector<const StoredItem*>& items) {
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const hdf5::Dataset dataset = hdf5::create_placed(file, entries[e]);
    write_description(dataset, items[e]->elements());
    entries[e].offset = hdf5::offset(dataset);
  }
}

// @collective: throws IoError on every rank or on none
void write_file(SharedOutput& output, const std::filesystem::path& path, const std::vector<StoredItem>& items) {
  std::vector<Entry> entries;
  for (const StoredItem& item : items) entries.emplace_back(item.entry()).divide(output.group().size());
  number_tiles(entries);
  const auto sources = items_of(entries, items);
  output.create(
      entries, [&] { return AtomicFile(path); },
      [&](const AtomicFile& made) {
        make_tiled_file(made, 0, entries.size(),
                        [&](const hdf5::File& file) { make_datasets(file, entries, sources); });
      });
  const Group node = output.group().node();
  output.step(
      [&] { write_tiles(output.group(), output.context(), output.descriptor(), entries, sources, {}); });
  output.step([&] { output.flush(node); });
  output.step([&] { output.rename(); });
}

}  // namespace

void save(const std::filesystem::path& path, std::span<const io::Item> items) {
  const std::string context = "save to " + path.string();
  check_items(context, items);
  const Phase phase(items.front().slice().array().group(), "save");
  check_agreement(path, items);
  const Group& group = items.front().slice().array().group();
  std::vector<StoredItem> stored;
  for (const io::Item& item : items) stored.push_back({item.dataset(), nullptr, item.slice(), {}});
  settle(group, stored);
  const hdf5::Silence silence;
  close_dropped(group);
  SharedOutput output(group, context, " (what was there before is untouched)");
  output.step([&] { OnlyWriter::require_none(identity(path)); });
  output.or_discard([&] { write_file(output, path, stored); });
  output.set_consequence({});
  output.step([&] { output.flush_directory(); });
}

}  // namespace tessera::io::detail
