// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/save.hpp>

#include <set>
#include <utility>

#include <fmt/format.h>

#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/runtime.hpp>

#include "file_order.hpp"
#include "hdf5.hpp"
#include "replacement.hpp"
#include "together.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::ArrayCore;

constexpr const char* untouched = " (what was there before is untouched)";

// Everything that is the same on every rank, and so fails on every rank.
void check_items(const std::string& context, std::span<const Item> items) {
  if (items.empty()) throw UsageError(context + ": there is nothing to save");
  std::set<std::string_view> names;
  for (const Item& item : items) {
    item.array().require_open();
    if (item.dataset().empty())
      throw UsageError(
          fmt::format("{}: the dataset of array \"{}\" needs a name", context, item.array().name()));
    if (!names.insert(item.dataset()).second)
      throw UsageError(fmt::format("{}: dataset \"{}\" is given twice", context, item.dataset()));
    if (!(item.array().group() == items.front().array().group())) {
      throw UsageError(fmt::format("{}: arrays \"{}\" and \"{}\" are of different groups", context,
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

void close_or_abandon(hdf5::File file, const Group& group) {
  bool complete = true;
  try {
    hdf5::flush(file);
  } catch (const Hdf5Error&) {
    complete = false;
  }
  if (group.all_reduce(index_t{complete}, Reduce::min) == 0) hdf5::abandon(std::move(file));
}

}  // namespace

void save(const std::filesystem::path& path, std::span<const Item> items) {
  const std::string context = "save to " + path.string();
  check_items(context, items);
  check_agreement(path, items);
  const Group& group = items.front().array().group();
  group.sync();
  const hdf5::Silence silence;
  const auto step = [&](auto&& work) { together(group, context, work, untouched); };

  Replacement replacement(path, group.rank() == 0 ? Replacement::Part::makes : Replacement::Part::uses);
  step([&] { replacement.begin(); });
  replacement.share_name(group);
  hdf5::File file;
  step([&] { file = hdf5::create(replacement.temporary(), group.mpi_comm()); });
  try {
    for (const Item& item : items) write_array(file, item, context);
    step([&] { hdf5::flush(file); });
  } catch (...) {  // on every rank
    close_or_abandon(std::move(file), group);
    throw;
  }
  step([&] { hdf5::close(std::move(file)); });
  const Group node = group.node();
  step([&] {
    if (node.rank() == 0) replacement.flush();
  });
  step([&] { replacement.commit(); });
  together(group, context, [&] { replacement.flush_directory(); });
}

}  // namespace tessera::io::detail
