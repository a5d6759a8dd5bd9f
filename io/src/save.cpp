// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/save.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/runtime.hpp>

#include "file_order.hpp"
#include "format.hpp"
#include "hdf5.hpp"
#include "replacement.hpp"
#include "together.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::ArrayCore;

constexpr const char* untouched = " (what was there before is untouched)";

// The groups and the dataset of a path, as HDF5 takes it.
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

void check_names(const std::string& context, std::span<const Item> items) {
  std::map<std::vector<std::string>, std::string_view> names;
  for (const Item& item : items) {
    auto parts = parts_of(item.dataset());
    if (parts.empty())
      throw UsageError(formatted("{}: the dataset of array \"{}\" needs a name", context, item.array().name()));
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

// Everything that is the same on every rank, and so fails on every rank.
void check_items(const std::string& context, std::span<const Item> items) {
  if (items.empty()) throw UsageError(context + ": there is nothing to save");
  check_names(context, items);
  for (const Item& item : items) {
    item.array().require_open();
    if (!(item.array().group() == items.front().array().group())) {
      throw UsageError(formatted("{}: arrays \"{}\" and \"{}\" are of different groups", context,
                                 items.front().array().name(), item.array().name()));
    }
  }
}

void check_agreement(const std::filesystem::path& path, std::span<const Item> items) {
  tessera::detail::Fingerprint print;
  print.add(std::string_view(path.native()));
  for (const Item& item : items)
    print.add(std::string_view(item.dataset())).add(item.array().layout().fingerprint());
  items.front().array().group().check_agreement("io::save", print.value());
}

void write_array(const hdf5::File& file, const Item& item, const std::string& context) {
  // The core is only read: what is written to is a copy.
  auto& array = const_cast<ArrayCore&>(item.array());
  const Group& group = array.group();
  FileOrder ordered(array);
  if (ordered.is_copy()) tessera::detail::copy(array, ordered.array());
  const hdf5::Type element = hdf5::element_type(array.type());
  hdf5::Dataset dataset;
  const auto step = [&](auto&& work) { together(group, context, work, untouched); };
  step([&] {
    dataset = hdf5::create_dataset(file, item.dataset(), element, array);
    hdf5::write_attribute(dataset, "tessera_version", version());
    hdf5::write_attribute(dataset, "element_type", tessera::detail::to_string(array.type()));
    hdf5::write_attribute(dataset, "layout", array.layout().description());
  });
  step([&] {
    hdf5::transfer(hdf5::Transfer::write, dataset, element, group, ordered.box(), array.rank(),
                   ordered.array().local_data());
  });
}

// More than the file can need: the elements, and what HDF5 keeps about them.
index_t largest_size(std::span<const Item> items) {
  index_t bytes = 65536;
  for (const Item& item : items) {
    bytes += item.array().layout().size() * item.array().type().size + 16384;
  }
  return bytes;
}

// @collective: throws on every rank or on none
void write_file(Replacement& replacement, const Group& group, std::span<const Item> items,
                const std::string& context) {
  const auto step = [&](auto&& work) { together(group, context, work, untouched); };
  step([&] { replacement.begin(); });
  replacement.share_name(group);
  // Space is taken before HDF5 begins, which does not survive running out of it. To create is to truncate, so
  // the first time is a question.
  const index_t bytes = largest_size(items);
  step([&] { replacement.reserve(bytes); });
  hdf5::File file;
  step([&] { file = hdf5::create(replacement.temporary(), group.mpi_comm()); });
  try {
    step([&] { replacement.reserve(bytes); });
    for (const Item& item : items) write_array(file, item, context);
    step([&] { hdf5::flush(file); });
  } catch (...) {
    hdf5::abandon(std::move(file));
    throw;
  }
  step([&] { hdf5::close(std::move(file)); });
  const Group node = group.node();
  step([&] {
    if (node.rank() == 0) replacement.flush();
  });
  step([&] { replacement.commit(); });
}

}  // namespace

void save(const std::filesystem::path& path, std::span<const Item> items) {
  const std::string context = "save to " + path.string();
  check_items(context, items);
  check_agreement(path, items);
  const Group& group = items.front().array().group();
  group.sync();
  const hdf5::Silence silence;
  Replacement replacement(path, group.rank() == 0 ? Replacement::Part::makes : Replacement::Part::uses);
  try {
    write_file(replacement, group, items, context);
  } catch (...) {
    // Here and not in a destructor, which does not run if nobody catches; and before any rank ends the job.
    replacement.discard();
    group.barrier();
    throw;
  }
  together(group, context, [&] { replacement.flush_directory(); });
}

}  // namespace tessera::io::detail
