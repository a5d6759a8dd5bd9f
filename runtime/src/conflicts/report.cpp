// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/report.hpp"

#include "format.hpp"
#include "printable.hpp"

namespace tessera::detail::conflicts {
namespace {

bool is_local(const Access& access) noexcept {
  return access.act == Act::read_locally || access.act == Act::write_locally;
}

// Whether the other process has synchronised with the author since the access began, but not since it was
// complete.
bool lacks_only_completion(const Access& access, const Access& other) noexcept {
  return access.begun <= (*other.seen)[static_cast<std::size_t>(access.author)];
}

const char* to_string(Misuse misuse) noexcept {
  constexpr const char* texts[] = {"filled by another transfer", "read by another transfer", "freed",
                                   "changed or freed before the wait", "freed before the wait"};
  return texts[static_cast<std::size_t>(misuse)];
}

std::string completion_of(const Access& access) {
  if (is_local(access))
    return formatted("the {} of rank {} had not ended: release it first", to_string(access.act), access.author);
  if (access.act == Act::get)
    return formatted("the get of rank {} had not been waited for: wait() first", access.author);
  return formatted("the {} of rank {} was not complete: {}flush() first, or sync()", to_string(access.act),
                   access.author, access.is_in_batch ? "send() of its Batch and then " : "");
}

std::string remedy(const Found& found) {
  for (const auto& [one, other] : {std::pair{&found.first, &found.second}, {&found.second, &found.first}}) {
    if (lacks_only_completion(*one, *other))
      return formatted("ranks {} and {} synchronised, but before that {}", one->author, other->author,
                       completion_of(*one));
  }
  const bool locally = is_local(found.first) || is_local(found.second);
  return locally
             ? "sync() between them would order them"
             : "sync() between them would order them; so would flush() after the first, and then a barrier, a "
               "message or a flag from its rank to the other";
}

std::string name_of(const Access& access) {
  return formatted("{}{} by rank {}", to_string(access.act), access.is_async ? "_async" : "", access.author);
}

// Of the segment that can tell more, if one is a part of the other.
const SegmentFacts* facts_of(const Found& found) {
  const SegmentFacts* facts = nullptr;
  for (const Access* access : {&found.first, &found.second}) {
    const SegmentFacts* one = Recorder::instance().facts(access->segment);
    if (one != nullptr && (facts == nullptr || (one->describe && !facts->describe))) facts = one;
  }
  return facts;
}

// Where the accesses meet: `array "a", patch [0:5, 2:4) of rank 1`.
std::string place_of(const Found& found) {
  const SegmentFacts* facts = facts_of(found);
  if (facts == nullptr) return "a segment that was closed";
  std::vector<ByteRange> where = found.where;
  for (ByteRange& range : where) {
    range.low -= facts->offset;
    range.high -= facts->offset;
  }
  const std::string name = printable(facts->name);
  if (facts->describe) return formatted("array \"{}\", {}", name, facts->describe(facts->rank, where));
  return formatted("segment \"{}\", bytes [{}, {}) of rank {}", name, where.front().low, where.back().high,
                   facts->rank);
}

}  // namespace

std::string segment_name_of(const Found& found) {
  const SegmentFacts* facts = facts_of(found);
  return facts == nullptr ? std::string() : facts->name;
}

std::string report(const Found& found) {
  std::string text =
      formatted("Tessera: {}: {}\n", found.unseen.empty() ? "conflict" : "order unknown", place_of(found));
  text += formatted("  {} at {}\n", name_of(found.first), found.first_site);
  text += formatted("  {} at {}\n", name_of(found.second), found.second_site);
  if (!found.unseen.empty()) {
    text += formatted("  {} may order them, in a way that cannot be seen\n", found.unseen);
  } else {
    text += formatted("  nothing orders them: {}\n", remedy(found));
  }
  return text;
}

std::string report(const BufferConflict& found, int rank, const std::string& first_site,
                   const std::string& second_site) {
  std::string text = formatted("Tessera: conflict: local memory of rank {} in a transfer of \"{}\"\n", rank,
                               printable(found.name));
  text += formatted("  {}_async at {}, which was not waited for\n", to_string(found.act), first_site);
  text += formatted("  {} at {}\n", to_string(found.misuse), second_site);
  text += "  wait() of its request before that would order them\n";
  return text;
}

}  // namespace tessera::detail::conflicts
