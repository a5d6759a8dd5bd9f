// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/segment.hpp>

#include "group_checks.hpp"
#include "mpi_test.hpp"

// Groups that are closed before they are dropped.
namespace {

using namespace tessera;
using namespace tessera::test;

template <class Make>
void check_close(Make&& make) {
  const Group& all = world();
  all.sync();
  const index_t before = runtime().memory_in_use();
  Group group = make();
  const Group copy = group, child = group.split(group.rank() % 2);
  EXPECT_EQ(copy, group);
  Segment segment(group, 1 << 17, "closed with its group"), of_child(child, 64, "closed with its parent");
  const Segment other(all, 64, "open");
  std::vector<double> values(1 << 14, 1.5), found(1 << 14, 0.0);
  segment.put((group.rank() + 1) % group.size(), 0, Strided::contiguous(1 << 17), values.data());
  segment.sync();
  // In flight when the group is closed.
  segment.get_async(group.rank(), 0, Strided::contiguous(1 << 17), found.data()).detach();
  group.close();
  EXPECT_EQ(found, values);
  EXPECT_FALSE(segment.is_open());
  EXPECT_FALSE(of_child.is_open());
  EXPECT_TRUE(other.is_open());
  EXPECT_THROW(segment.store(0, 0, 1.0), UsageError);
  EXPECT_THROW(segment.sync(), UsageError);
  EXPECT_THROW(of_child.load<double>(0, 0), UsageError);
  for (const Group* closed : {&copy, static_cast<const Group*>(&group), &child}) {
    EXPECT_TRUE(*closed);
    EXPECT_THROW(closed->barrier(), UsageError);
    EXPECT_THROW(closed->sync(), UsageError);
    EXPECT_THROW(closed->split(0), UsageError);
    EXPECT_THROW(closed->form(Ranks{0}), UsageError);
    EXPECT_THROW(closed->all_gather(1), UsageError);
    EXPECT_THROW(closed->mpi_comm(), UsageError);
    EXPECT_THROW(Segment(*closed, 64), UsageError);
  }
  EXPECT_THROW(group.close(), UsageError);
  EXPECT_EQ(runtime().memory_in_use(), before + 64);
  all.sync();
  check_communication(all, everyone());
}

TEST(GroupClose, frees_what_belongs_to_the_group_and_ends_its_copies) {
  const Group& all = world();
  Ranks backwards = everyone();
  std::reverse(backwards.begin(), backwards.end());
  check_close([&] { return all.form(backwards); });
  check_close([&] { return all.split(all.rank() % 2); });
  check_close([&] { return all.include(backwards); });
  check_close([&] { return all.form(Ranks{all.rank()}); });
}

TEST(GroupClose, is_refused_for_the_world_and_for_a_node) {
  Group all = world(), mates = all.node();
  EXPECT_NE(message_of<UsageError>([&] { all.close(); }).find("world"), std::string::npos);
  EXPECT_THROW(mates.close(), UsageError);
  Ranks backwards = everyone();
  std::reverse(backwards.begin(), backwards.end());
  Group formed = all.form(backwards);
  if (formed.node_count() > 1) {
    Group part = formed.node();
    EXPECT_THROW(part.close(), UsageError);
  }
  check_members(formed, backwards);
  check_communication(formed, backwards);
  check_segment(formed);
  formed.close();
  check_communication(all, everyone());
  all.sync();
}

// Closed in another order than made. The other groups go with the parent's next collective calls.
TEST(GroupClose, works_in_any_order_among_groups_that_are_dropped) {
  const Group& all = world();
  for (int round = 0; round < 10; ++round) {
    std::vector<Group> groups;
    for (int i = 0; i < 6; ++i) {
      groups.push_back(i % 2 == 0 ? all.split(0, i * all.rank()) : all.form(everyone(), i));
      check_communication(groups.back(), everyone());
    }
    for (const int i : {4, 1, 0, 5, 3}) groups[at(i)].close();
    check_communication(groups[2], everyone());
    groups.clear();
    all.sync();
  }
  check_communication(all, everyone());
}

}  // namespace
