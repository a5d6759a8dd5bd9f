// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "disk_array/sections_in_transfer.hpp"

#include <algorithm>
#include <utility>

namespace tessera::io::detail {

using tessera::detail::Box;

SectionsInTransfer::Place SectionsInTransfer::add(Section section) {
  const std::lock_guard lock(mutex_);
  return sections_.insert(sections_.end(), std::move(section));
}

void SectionsInTransfer::tell(Place place) {
  const std::lock_guard lock(mutex_);
  place->is_told = true;
}

void SectionsInTransfer::remove(Place place) {
  const std::lock_guard lock(mutex_);
  take_error(*place);
  sections_.erase(place);
}

// Keeps the error of a write for lost().
void SectionsInTransfer::take_error(Section& section) {
  if (section.is_told || !section.outcome || section.direction == DiskDirection::read) return;
  if (!section.outcome->is_known()) return;
  section.is_told = true;
  if (lost_.empty()) lost_ = section.outcome->wait();
}

bool SectionsInTransfer::conflict(const Section& section, DiskDirection direction, const Box& box) const {
  if (direction == DiskDirection::read && section.direction == DiskDirection::read) return false;
  for (std::size_t d = 0; d < rank_; ++d) {
    if (std::max(section.box.lo[d], box.lo[d]) >= std::min(section.box.hi[d], box.hi[d])) return false;
  }
  return true;
}

std::optional<Box> SectionsInTransfer::collective_conflict(DiskDirection direction, const Box& box) {
  const std::lock_guard lock(mutex_);
  for (const Section& section : sections_) {
    if (!section.outcome && conflict(section, direction, box)) return section.box;
  }
  return {};
}

template <class Matches>
void SectionsInTransfer::wait_for(Matches&& matches) {
  std::vector<std::shared_ptr<Outcome>> outcomes;
  {
    const std::lock_guard lock(mutex_);
    for (const Section& section : sections_) {
      if (section.outcome && matches(section)) outcomes.push_back(section.outcome);
    }
  }
  for (const auto& outcome : outcomes) outcome->wait();
}

void SectionsInTransfer::wait_for_conflicts(DiskDirection direction, const Box& box) {
  wait_for([&](const Section& section) { return conflict(section, direction, box); });
}

void SectionsInTransfer::wait_for_independent() {
  wait_for([](const Section&) { return true; });
}

std::size_t SectionsInTransfer::collective_count() {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(sections_.begin(), sections_.end(),
                                                [](const Section& section) { return !section.outcome; }));
}

void SectionsInTransfer::lose(std::string problem) {
  const std::lock_guard lock(mutex_);
  if (lost_.empty()) lost_ = std::move(problem);
}

std::string SectionsInTransfer::lost() {
  const std::lock_guard lock(mutex_);
  for (Section& section : sections_) take_error(section);
  return std::exchange(lost_, {});
}

}  // namespace tessera::io::detail
