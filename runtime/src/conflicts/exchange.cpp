// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/exchange.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/runtime/detail/unchecked.hpp>

#include "conflicts/conflicts.hpp"
#include "conflicts/exit_status.hpp"
#include "conflicts/report.hpp"
#include "format.hpp"
#include "mpi/mpi.hpp"
#include "mpi/terminate.hpp"
#include "order/unseen_order.hpp"

namespace tessera::detail::conflicts {
namespace {

// What the check knows in this process; used in collective calls only.
struct Check {
  CheckOptions options;
  int world_rank = 0;
  std::set<std::string> reported;  // pairs of sites
  std::int64_t conflicts = 0, unknown = 0;
};

Check& check() {
  static auto* one = new Check;
  return *one;
}

// Pairs of accesses at one owner that need an order and have none. Of each pair of sites there is one: the
// first that nothing may order, else the first. `means(first, second)` says what may order two accesses.
template <class Means>
std::vector<Found> find_conflicts(const std::vector<Access>& accesses, const Means& means) {
  constexpr std::size_t most_runs = 100'000;
  constexpr int most_of_unknown_order = 100;  // of a pair of sites: a loop may have any number
  struct Known {
    std::size_t place = 0;
    int looked_at = 0;
    bool is_conflict = false;
  };
  std::vector<Found> all;
  std::map<std::tuple<int, Site, int, Site>, Known> known;
  std::vector<const Access*> open;  // begun before, not yet ended
  std::vector<ByteRange> where;
  for (const Access& access : accesses) {
    std::erase_if(open, [&](const Access* other) { return other->bounds.high <= access.bounds.low; });
    for (const Access* other : open) {
      if (!may_conflict(*other, access)) continue;
      const bool is_first = other->author < access.author;
      const Access &first = is_first ? *other : access, &second = is_first ? access : *other;
      Known& pair = known[{first.author, first.site, second.author, second.site}];
      if (pair.is_conflict || pair.looked_at == most_of_unknown_order) continue;
      if (!find_common(first, second, most_runs, where)) continue;
      std::string unseen = means(first, second);
      if (pair.looked_at++ == 0) {
        pair.place = all.size();
        all.emplace_back();
      } else if (!unseen.empty()) {
        continue;
      }
      pair.is_conflict = unseen.empty();
      all[pair.place] = {first, second, where, {}, {}, std::move(unseen)};
    }
    open.push_back(&access);
  }
  return all;
}

// The accesses to one segment, and to parts of it.
using ByRoot = std::map<std::uint64_t, std::vector<Access>>;

// Places of parts become places of the segment that they are parts of. The accesses are sorted by their places.
ByRoot by_root(std::vector<Access> accesses) {
  ByRoot all;
  for (Access& access : accesses) {
    const SegmentFacts* facts = Recorder::instance().facts(access.segment);
    if (facts == nullptr) continue;
    for (ByteRange& range : access.ranges) {
      range.low += facts->offset;
      range.high += facts->offset;
    }
    for (Footprint& shape : access.shapes) shape.low += facts->offset;
    access.bounds.low += facts->offset;
    access.bounds.high += facts->offset;
    all[facts->root].push_back(std::move(access));
  }
  for (auto& [root, of_root] : all) {
    std::sort(of_root.begin(), of_root.end(),
              [](const Access& a, const Access& b) { return a.bounds.low < b.bounds.low; });
  }
  return all;
}

// Each member gets the accesses to its own memory.
ByRoot exchange_accesses(const Members& members) {
  std::map<int, std::vector<std::shared_ptr<Access>>> to;  // by rank in comm
  std::map<int, int> member_of;                            // by world rank
  for (std::size_t r = 0; r < members.world_ranks.size(); ++r)
    member_of[members.world_ranks[r]] = static_cast<int>(r);
  for (auto& access : Recorder::instance().take(members.group)) {
    const SegmentFacts* facts = Recorder::instance().facts(access->segment);
    if (facts == nullptr) continue;
    const auto owner = member_of.find(facts->world_ranks[static_cast<std::size_t>(access->target)]);
    if (owner != member_of.end()) to[owner->second].push_back(std::move(access));
  }
  std::vector<std::string> texts(members.world_ranks.size());
  for (const auto& [rank, accesses] : to) texts[static_cast<std::size_t>(rank)] = packed(accesses);
  std::vector<Access> received;
  for (const std::string& text : mpi::all_to_all(members.comm, texts)) {
    for (Access& access : unpacked(text)) received.push_back(std::move(access));
  }
  return by_root(std::move(received));
}

template <class Means>
std::vector<Found> find_conflicts(const ByRoot& accesses, const Means& means) {
  std::vector<Found> all;
  for (const auto& [root, of_root] : accesses) {
    for (Found& found : find_conflicts(of_root, means)) all.push_back(std::move(found));
  }
  return all;
}

// What all members have used that may order processes unseen.
std::vector<UnseenUse> exchange_uses(const Members& members) {
  const std::string mine = packed(Recorder::instance().uses());
  std::vector<UnseenUse> uses;
  for (const std::string& text : mpi::all_to_all(members.comm, std::vector(members.world_ranks.size(), mine))) {
    for (UnseenUse& use : unpacked_uses(text)) uses.push_back(std::move(use));
  }
  join_things(uses);
  return uses;
}

// Each author names the call sites that owners ask for.
void ask_for_sites(const Members& members, std::vector<Found>& all) {
  std::map<int, int> member_of;
  for (std::size_t r = 0; r < members.world_ranks.size(); ++r)
    member_of[members.world_ranks[r]] = static_cast<int>(r);
  std::vector<std::string> questions(members.world_ranks.size());
  std::vector<std::vector<std::string*>> asked(members.world_ranks.size());
  const auto ask = [&](const Access& access, std::string& text) {
    const auto author = static_cast<std::size_t>(member_of.at(access.author));
    questions[author].append(reinterpret_cast<const char*>(&access.site), sizeof access.site);
    asked[author].push_back(&text);
  };
  for (Found& found : all) {
    ask(found.first, found.first_site);
    ask(found.second, found.second_site);
  }
  const auto received = mpi::all_to_all(members.comm, questions);
  std::vector<std::string> answers(received.size());
  for (std::size_t r = 0; r < received.size(); ++r) {
    for (std::size_t i = 0; i + sizeof(Site) <= received[r].size(); i += sizeof(Site)) {
      Site site = 0;
      received[r].copy(reinterpret_cast<char*>(&site), sizeof site, i);
      answers[r] += Recorder::instance().text(site) + '\n';
    }
  }
  const auto texts = mpi::all_to_all(members.comm, answers);
  for (std::size_t r = 0; r < texts.size(); ++r) {
    std::string_view rest = texts[r];
    for (std::string* text : asked[r]) {
      const auto end = rest.find('\n');
      *text = rest.substr(0, end);
      rest.remove_prefix(end + 1);
    }
  }
}

// A report, and what it has in common with those that need not be printed again.
struct Told {
  std::string key, text;
  bool is_unknown = false;
};

std::vector<Told> reports_of(const std::vector<Found>& all) {
  std::vector<Told> told;
  for (const Found& found : all) {
    std::string one = formatted("{} {}", to_string(found.first.act), found.first_site),
                other = formatted("{} {}", to_string(found.second.act), found.second_site);
    if (other < one) std::swap(one, other);
    told.push_back(
        {formatted("{}|{}|{}", segment_name_of(found), one, other), report(found), !found.unseen.empty()});
  }
  Recorder& recorder = Recorder::instance();
  for (const BufferConflict& found : recorder.take_buffer_conflicts()) {
    const std::string first = recorder.text(found.site), second = recorder.text(found.misuse_site);
    told.push_back(
        {formatted("{}|{}|{}", found.name, first, second), report(found, check().world_rank, first, second)});
  }
  return told;
}

// The first member prints the reports of all.
void print_reports(const Members& members, const std::vector<Told>& mine) {
  std::vector<std::string> texts(members.world_ranks.size());
  for (const Told& one : mine)
    texts.front() += formatted("{}{}", one.is_unknown ? '?' : '!', one.key) + '\0' + one.text + '\0';
  bool ends = false;
  for (const std::string& all : mpi::all_to_all(members.comm, texts)) {
    std::string_view rest = all;
    const auto take = [&] {
      const std::string_view text = rest.substr(0, rest.find('\0'));
      rest.remove_prefix(text.size() + 1);
      return text;
    };
    while (!rest.empty()) {
      const std::string_view key = take(), text = take();
      if (!check().reported.emplace(key).second) continue;
      const bool is_unknown = key.front() == '?';
      ++(is_unknown ? check().unknown : check().conflicts);
      std::fputs(std::string(text).c_str(), stderr);
      ends = ends || (!is_unknown && check().options.aborts);
    }
  }
  if (!ends) return;
  std::fputs("Tessera: the job ends at the first conflict (TESSERA_DEBUG=conflicts,abort)\n", stderr);
  std::fflush(nullptr);
  abort_after_output(status_of_conflicts);
}

}  // namespace

void start_check(int world_rank, const CheckOptions& options) {
  check().options = options;
  check().world_rank = world_rank;
  Recorder::instance().start(world_rank, options.limit);
  order::tell_of_unseen_order(
      [](const std::string& call, bool lasts) { Recorder::instance().use_call(call, lasts); });
  switches::on = true;
  watch_exit_status();
}

void compare_accesses(const Members& members) {
  const Unchecked own;
  const ByRoot accesses = exchange_accesses(members);
  std::vector<Found> found =
      find_conflicts(accesses, [](const Access&, const Access&) { return std::string(); });
  std::int64_t any = found.empty() && !Recorder::instance().has_buffer_conflicts() ? 0 : 1;
  mpi::all_reduce(members.comm, &any, 1, ElementKind::int64, Reduce::max);
  if (any != 0) {
    if (const auto uses = exchange_uses(members); !uses.empty()) {
      found = find_conflicts(accesses, [&](const Access& first, const Access& second) {
        std::string means = means_between(first, second, uses);
        return means.empty() ? means_between(second, first, uses) : means;
      });
    }
    ask_for_sites(members, found);
    print_reports(members, reports_of(found));
  }
  if (!members.are_the_world) return;
  // In the world, all later events follow all earlier ones. But accesses in arrays of smaller groups are
  // compared later.
  std::int64_t has_others = Recorder::instance().holds_accesses() ? 1 : 0;
  mpi::all_reduce(members.comm, &has_others, 1, ElementKind::int64, Reduce::max);
  if (has_others == 0) Recorder::instance().forget_uses();
}

void finish_check(const Members& world) {
  compare_accesses(world);
  std::int64_t sums[] = {check().conflicts, check().unknown,
                         static_cast<std::int64_t>(Recorder::instance().dropped())};
  mpi::all_reduce(world.comm, sums, 3, ElementKind::int64, Reduce::sum);
  const auto [conflicts, unknown, dropped] = sums;
  if (world.rank == 0) {
    std::string text = conflicts + unknown == 0
                           ? std::string("Tessera: no conflicts were found")
                           : formatted("Tessera: {} conflict{}", conflicts, conflicts == 1 ? "" : "s");
    if (unknown > 0)
      text += formatted(", and {} pair{} of accesses of unknown order", unknown, unknown == 1 ? "" : "s");
    if (dropped > 0)
      text += formatted("; {} records of accesses did not fit into the limit and were not compared", dropped);
    std::fputs((text + " (TESSERA_DEBUG=conflicts)\n").c_str(), stderr);
  }
  if (conflicts > 0) tell_by_exit_status(status_of_conflicts);
  // The next Runtime tells its own.
  check().conflicts = check().unknown = 0;
  check().reported.clear();
  order::tell_of_unseen_order(nullptr);
  switches::on = false;
}

}  // namespace tessera::detail::conflicts
