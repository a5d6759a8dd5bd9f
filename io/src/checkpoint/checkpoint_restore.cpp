// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <utility>

#include "base/collectively.hpp"
#include "checkpoint/checkpoint_state.hpp"
#include "checkpoint/generation_reader.hpp"
#include "format.hpp"
#include "printable.hpp"

namespace tessera::io::detail {
namespace {

std::string shape_of(const Entry& entry) {
  const std::string type = entry.kind == EntryKind::text ? "text" : tessera::detail::to_string(entry.type);
  return entry.extents.empty() ? type : formatted("{} of {}", joined(entry.extents, " x "), type);
}

bool fits(const Entry& found, const StoredItem& item) {
  Entry wanted = item.entry();
  if (found.kind != wanted.kind || !(found.type == wanted.type)) return false;
  if (found.extents == wanted.extents) return true;
  return item.value && item.value->resizes && found.extents.size() == wanted.extents.size();
}

// Throws on every rank. If the program has other arrays than its checkpoint, older generations are not tried.
void check_items(const GenerationReader& reader, const std::vector<StoredItem>& items) {
  const auto& entries = reader.entries();
  const auto fail = [&](const std::string& problem) {
    throw IoError(printable(formatted("restore from {}, of step {}: {}", reader.file().string(),
                                      reader.head().manifest.step, problem)));
  };
  for (const StoredItem& item : items) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& entry) { return entry.name == item.name; });
    if (found == entries.end()) fail(formatted("there is no \"{}\" in it", item.name));
    if (!fits(*found, item))
      fail(
          formatted("{} is {} there, but {} here", describe(*found), shape_of(*found), shape_of(item.entry())));
  }
}

// Calls f(number of the entry, its bytes) for each value that the program wants.
template <class F>
void for_each_value(const GenerationReader& reader, const std::vector<const StoredItem*>& targets, F&& f) {
  for (std::size_t e = 0; e < targets.size(); ++e) {
    if (targets[e] != nullptr && targets[e]->value) f(e, static_cast<std::size_t>(reader.entries()[e].bytes()));
  }
}

// Stores array elements as they arrive, but sets values only when everything has been read.
void read_into(GenerationReader& reader, const Group& group, const std::vector<StoredItem>& items) {
  const auto targets = items_of(reader.entries(), items);
  std::vector<std::string> values(targets.size());  // bytes, on rank 0
  const auto place = [&](std::size_t e, const Tile& tile) {
    return targets[e] == nullptr ? nullptr : place_of(*targets[e], reader.entries()[e], tile);
  };
  const auto take = [&](std::size_t e, const Tile& tile, std::span<const std::byte> bytes) {
    if (targets[e] == nullptr) return;  // the program does not want it, but it was checked
    if (!targets[e]->value) return store(*targets[e], reader.entries()[e], tile, bytes.data());
    values[e].append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  reader.read({place, {}, take});
  settle(group, items);
  if (!reader.problem().empty()) return;
  // A single rank may have no memory for them.
  const std::string context = "values of " + reader.file().string();
  std::string all;
  collectively(group, context, [&] {
    std::size_t bytes = 0;
    for_each_value(reader, targets, [&](std::size_t e, std::size_t size) {
      all += values[e];
      bytes += size;
    });
    all.resize(bytes);
  });
  group.broadcast(std::span<char>(all), 0);
  collectively(group, context, [&] {
    std::size_t at = 0;
    for_each_value(reader, targets, [&](std::size_t e, std::size_t size) {
      targets[e]->value->assign(std::as_bytes(std::span(all).subspan(at, size)));
      at += size;
    });
  });
}

bool is_gone(const Group& group, const std::filesystem::path& file) {
  std::error_code error;
  // A link that leads nowhere is not gone.
  const bool gone = group.rank() == 0 && std::filesystem::symlink_status(file, error).type() ==
                                             std::filesystem::file_type::not_found;
  return group.broadcast(gone ? 1 : 0, 0) != 0;
}

std::string listing(const std::vector<Skipped>& skipped) {
  std::vector<std::string> lines;
  for (const Skipped& one : skipped) lines.push_back(formatted("{}: {}", one.file.string(), one.reason));
  return joined(lines, "; ");
}

}  // namespace

std::optional<Restored> restore(const Group& group, const std::filesystem::path& prefix,
                                const std::vector<StoredItem>& items) {
  std::vector<Skipped> skipped;
  std::filesystem::path gone;
  for (bool tried = true; tried;) {
    const auto files = files_of_generations(group, prefix);
    if (files.empty() && skipped.empty()) return std::nullopt;
    tried = false;
    for (const auto& file : files) {
      const auto is_same = [&](const Skipped& one) { return one.file == file; };
      if (std::any_of(skipped.begin(), skipped.end(), is_same)) continue;
      tried = true;
      GenerationReader reader(group, file);
      if (reader.problem().empty()) {
        check_items(reader, items);
        read_into(reader, group, items);
      }
      if (reader.problem().empty()) return Restored{reader.head().manifest.step, file, std::move(skipped)};
      // A writer removed the file meanwhile: it was not damaged, and there are newer ones, so list again. A
      // network file system that lags may list it once more; it is then skipped.
      if (is_gone(group, file) && std::exchange(gone, file) != file) break;
      skipped.push_back({file, reader.problem()});
    }
  }
  throw IoError(printable(
      formatted("checkpoint {}: no generation can be restored ({})", prefix.string(), listing(skipped))));
}

}  // namespace tessera::io::detail
