// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// Many small arrays against one array of as many bytes.
#include <tessera/elementwise.hpp>
#include <tessera/io/io.hpp>

#include "sections.hpp"
#include "turns.hpp"

namespace tessera::benchmark::io {
namespace {

constexpr const char* section = "many arrays against one of the same bytes";
constexpr Target a_third{Goal::at_least, 1.0 / 3};

// Arrays, and their checkpoint and file.
class Set {
 public:
  Set(const Group& group, const Plan& plan, std::string name, index_t count, const Extents<2>& dims)
      : name_(std::move(name)),
        checkpoint_(group, plan.scratch / (name_ + " checkpoint"), {.keep = 1}),
        saved_(plan.scratch / (name_ + " saved.h5")) {
    for (index_t i = 0; i < count; ++i) arrays_.emplace_back(group, dims);
    for (index_t i = 0; i < count; ++i) {
      auto& array = arrays_[static_cast<std::size_t>(i)];
      checkpoint_.add(dataset(i), array);
      items_.emplace_back(dataset(i), array);
      for_each_local(array, [&](const Index<2>& at, double& x) { x = element(i, at); });
    }
    group.barrier();
  }

  Side write() {
    return {"Checkpoint::write", [this] { checkpoint_.write(++step_); }};
  }
  Side save() {
    return {"save", [this] { tessera::io::save(saved_, items_); }};
  }
  Side restore() {
    return {"Checkpoint::restore", [this] { checkpoint_.restore(); }};
  }
  Side read() {
    return {"File::read", [this] {
              tessera::io::File file(arrays_.front().group(), saved_, tessera::io::Mode::read);
              for (std::size_t i = 0; i < arrays_.size(); ++i) file.read(items_[i].dataset(), arrays_[i]);
              file.close();
            }};
  }

  void check(const Side& reader) {
    for (auto& array : arrays_) fill(array, -1.0);
    arrays_.front().sync();
    reader.run();
    bool right = true;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      for_each_local(arrays_[i], [&](const Index<2>& at, const double& x) {
        right = right && x == element(static_cast<index_t>(i), at);
      });
    }
    require(arrays_.front().group().all_reduce(right ? 1 : 0, Reduce::min) == 1, name_ + ", " + reader.name);
  }
  void close() {
    checkpoint_.close();
    for (auto& array : arrays_) array.close();
  }

 private:
  static std::string dataset(index_t i) { return std::string("a").append(std::to_string(i)); }
  static double element(index_t i, const Index<2>& at) { return static_cast<double>(i + 1000 * at[0] + at[1]); }

  std::string name_;
  tessera::io::Checkpoint checkpoint_;
  std::filesystem::path saved_;
  std::vector<Array<double, 2>> arrays_;
  std::vector<tessera::io::Item> items_;
  std::int64_t step_ = 0;
};

}  // namespace

void many(Session& session, const Plan& plan) {
  if (!session.wants(section)) return;
  const Group& world = session.world();
  const index_t count = session.is_quick() ? 10 : 1000;
  const Extents<2> dims{session.is_quick() ? 16 : 256, 512};
  Set small(world, plan, "many", count, dims), large(world, plan, "one", 1, {count * dims[0], dims[1]});
  const index_t each = dims[0] * dims[1] * 8;
  const std::string title = std::to_string(count) + " of " + format_bytes(each) + ", ";
  const auto measure = [&](const std::vector<Side>& sides) {
    const auto times = take_turns(world, plan.effort, sides, [&] { plan.scratch.make_cold(); });
    for (const std::size_t own : {0U, 2U}) {
      session.add({.section = section,
                   .name = title + sides[own].name,
                   .reference = "one array",
                   .measured = compared(times[own], times[own + 1]),
                   .bytes = static_cast<double>(count * each),
                   .target = a_third});
    }
  };
  for (Set* set : {&small, &large}) {
    set->write().run();
    set->save().run();
    set->check(set->restore());
    set->check(set->read());
  }
  measure({small.write(), large.write(), small.save(), large.save()});
  measure({small.restore(), large.restore(), small.read(), large.read()});
  for (Set* set : {&small, &large}) {
    set->check(set->restore());
    set->check(set->read());
    set->close();
  }
  plan.scratch.clear();
}

}  // namespace tessera::benchmark::io
