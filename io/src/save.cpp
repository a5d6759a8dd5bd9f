// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/save.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <tessera/runtime/detail/fingerprint.hpp>

#include "format.hpp"
#include "hdf5.hpp"
#include "mpi_io.hpp"
#include "replacement.hpp"
#include "together.hpp"
#include "transfers.hpp"

namespace tessera::io::detail {
namespace {

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

// Everything that is the same on every rank, and so fails on every rank.
void check_items(const std::string& context, std::span<const Item> items) {
  if (items.empty()) throw UsageError(context + ": there is nothing to save");
  check_names(context, items);
  for (const Item& item : items) {
    const auto& array = item.slice().array();
    array.require_open();
    if (const auto& first = items.front().slice().array(); !(array.group() == first.group())) {
      throw UsageError(formatted("{}: arrays \"{}\" and \"{}\" are of different groups", context, first.name(),
                                 array.name()));
    }
  }
}

void check_agreement(const std::filesystem::path& path, std::span<const Item> items) {
  tessera::detail::Fingerprint print;
  print.add(std::string_view(path.native()));
  for (const Item& item : items) print.add(std::string_view(item.dataset())).add(item.slice().fingerprint());
  items.front().slice().array().group().check_agreement("io::save", print.value());
}

void write_array(const hdf5::File& file, const Item& item, const std::string& context) {
  const auto& slice = item.slice();
  hdf5::Dataset dataset;
  auto make = [&] {
    dataset = hdf5::create_dataset(file, item.dataset(), hdf5::element_type(slice.array().type()),
                                   dims_of(slice), {});
    write_description(dataset, slice);
  };
  together(slice.array().group(), context, make, untouched);
  write_slice(dataset, {.rank = slice.rank()}, slice, context, untouched);
}

// More than the file can need: the elements, and what HDF5 keeps about them.
index_t largest_size(std::span<const Item> items) {
  index_t bytes = 65536;
  for (const Item& item : items) bytes += item.slice().size() * item.slice().array().type().size + 16384;
  return bytes;
}

// @collective: throws on every rank or on none
void write_file(Replacement& replacement, const Group& group, std::span<const Item> items,
                const std::string& context) {
  const auto step = [&](auto&& work) { together(group, context, work, untouched); };
  step([&] {
    require_safe_writing(group);
    replacement.begin();
  });
  replacement.share_name(group);
  // Space is taken before HDF5 begins, which does not survive running out of it. To create is to truncate, so
  // the first time is a question.
  const index_t bytes = largest_size(items);
  step([&] { replacement.reserve(bytes); });
  hdf5::File file;
  const hdf5::Locks locks = file_locks(group, replacement.temporary(), context);
  step([&] { file = hdf5::create(replacement.temporary(), group.mpi_comm(), locks); });
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
  const Group& group = items.front().slice().array().group();
  for (const Item& item : items) item.slice().array().end_epoch();
  group.sync();
  for (const Item& item : items) item.slice().array().order_local_access();
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
