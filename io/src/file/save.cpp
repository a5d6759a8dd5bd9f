// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/save.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <tessera/runtime/detail/fingerprint.hpp>

#include "base/collectively.hpp"
#include "file/slice_transfers.hpp"
#include "format.hpp"
#include "posix/atomic_file.hpp"
#include "tiles/hdf5_raw.hpp"
#include "tiles/stored_items.hpp"
#include "tiles/tile_transfer.hpp"
#include "tiles/tiled_file.hpp"

namespace tessera::io::detail {
namespace {

constexpr const char* untouched = " (what was there before is untouched)";

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

// Checks what is the same on every rank, and so fails on every rank.
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

void check_agreement(const std::filesystem::path& path, std::span<const io::Item> items) {
  tessera::detail::Fingerprint print;
  print.add(std::string_view(path.native()));
  for (const io::Item& item : items)
    print.add(std::string_view(item.dataset())).add(item.slice().fingerprint());
  items.front().slice().array().group().check_agreement("io::save", print.value());
}

// Creates the new file and its datasets on rank 0, and sets the offsets of the entries.
void make_file(const AtomicFile& atomic_file, std::vector<Entry>& entries,
               const std::vector<const StoredItem*>& items) {
  make_tiled_file(atomic_file, 0, entries.size(), [&](const hdf5::File& file) {
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const hdf5::Dataset dataset = hdf5::create_placed(file, entries[e]);
      write_description(dataset, items[e]->elements());
      entries[e].offset = hdf5::offset(dataset);
    }
  });
}

// @collective: throws on every rank or on none
void write_file(AtomicFile& atomic_file, const Group& group, const std::vector<StoredItem>& items,
                const std::string& context) {
  const auto step = [&](auto&& work) { collectively(group, context, work, untouched); };
  std::vector<Entry> entries;
  for (const StoredItem& item : items) entries.emplace_back(item.entry()).divide(group.size());
  number_tiles(entries);
  const auto sources = items_of(entries, items);
  step([&] {
    atomic_file.begin();
    if (group.rank() == 0) return make_file(atomic_file, entries, sources);
    atomic_file.reserve(largest_size(entries));  // checks this process's file size limit
  });
  atomic_file.share_name(group);
  share_places(group, entries);
  const Group node = group.node();
  step([&] {
    const Descriptor file = open_shared(atomic_file.temporary());
    write_tiles(group, context, file, entries, sources, {});
  });
  step([&] {
    if (node.rank() == 0) atomic_file.flush();
  });
  step([&] { atomic_file.commit(); });
}

}  // namespace

void save(const std::filesystem::path& path, std::span<const io::Item> items) {
  const std::string context = "save to " + path.string();
  check_items(context, items);
  check_agreement(path, items);
  const Group& group = items.front().slice().array().group();
  std::vector<StoredItem> stored;
  for (const io::Item& item : items) stored.push_back({item.dataset(), nullptr, item.slice(), {}});
  settle(group, stored);
  AtomicFile atomic_file(path, group.rank() == 0 ? AtomicFile::Part::makes : AtomicFile::Part::uses);
  try {
    write_file(atomic_file, group, stored, context);
  } catch (...) {
    // Discard here, as a destructor does not run if nobody catches. It must happen before any rank ends the
    // job.
    atomic_file.discard();
    group.barrier();
    throw;
  }
  collectively(group, context, [&] { atomic_file.flush_directory(); });
}

}  // namespace tessera::io::detail
