// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "node/reclaim.hpp"

// Freeing by agreement, as one member sees it.
namespace {

using tessera::index_t;
using tessera::detail::Collective;
using tessera::detail::ReclaimList;

// Appends its letter to a story when it is completed (lower case) and when it is freed (upper case).
class Object : public Collective {
 public:
  Object(std::string& story, char name, bool fails = false) : story_(story), name_(name), fails_(fails) {}
  void quiesce() override {
    if (fails_) throw std::runtime_error("cannot complete");
    story_ += name_;
  }
  void release() noexcept override { story_ += static_cast<char>(name_ - 'a' + 'A'); }
  void mend() { fails_ = false; }

 private:
  std::string& story_;
  char name_;
  bool fails_;
};

struct Objects {
  std::string story;
  ReclaimList list;
  std::vector<std::shared_ptr<Object>> all;

  Object& add(char name, bool fails = false) {
    all.push_back(std::make_shared<Object>(story, name, fails));
    list.add(all.back());
    return *all.back();
  }
};

TEST(ReclaimList, settles_an_object_once_and_only_if_it_was_dropped) {
  Objects objects;
  objects.add('a');
  Object& b = objects.add('b');
  EXPECT_EQ(objects.list.settle(), 0);
  b.drop();
  EXPECT_EQ(objects.list.settle(), 1);
  EXPECT_EQ(objects.list.settle(), 1);
  EXPECT_EQ(objects.story, "b");
}

TEST(ReclaimList, frees_the_objects_that_all_have_settled_newest_first) {
  Objects objects;
  for (char name = 'a'; name <= 'd'; ++name) objects.add(name).drop();
  EXPECT_EQ(objects.list.settle(), 4);
  EXPECT_EQ(objects.list.marks(), std::vector<std::int64_t>{0b1111});
  objects.list.release({0b1010});  // another member has dropped only the second and the fourth
  EXPECT_EQ(objects.story, "abcdDB");
  EXPECT_EQ(objects.list.settle(), 2);
  EXPECT_EQ(objects.list.marks(), std::vector<std::int64_t>{0b11});
}

TEST(ReclaimList, has_a_word_of_marks_for_every_64_objects) {
  Objects objects;
  for (int i = 0; i < 130; ++i) objects.add('x');
  objects.all[63]->drop();
  objects.all[64]->drop();
  objects.all[129]->drop();
  EXPECT_EQ(objects.list.settle(), 3);
  const auto last_bit = static_cast<std::int64_t>(std::uint64_t{1} << 63);
  EXPECT_EQ(objects.list.marks(), (std::vector<std::int64_t>{last_bit, 1, 2}));
}

TEST(ReclaimList, tries_again_after_an_object_could_not_be_completed) {
  Objects objects;
  objects.add('a').drop();
  Object& b = objects.add('b', true);
  b.drop();
  objects.add('c').drop();
  EXPECT_THROW(objects.list.settle(), std::runtime_error);
  b.mend();
  EXPECT_EQ(objects.list.settle(), 3);
  EXPECT_EQ(objects.story, "abc");
}

TEST(ReclaimList, knows_an_object_that_was_dropped_before_it_was_added) {
  Objects objects;
  objects.all.push_back(std::make_shared<Object>(objects.story, 'a'));
  objects.all.back()->drop();
  objects.list.add(objects.all.back());
  EXPECT_EQ(objects.list.settle(), 1);
}

TEST(ReclaimList, frees_one_object_that_is_closed_and_keeps_the_count) {
  Objects objects;
  Object& a = objects.add('a');
  objects.add('b').drop();
  EXPECT_EQ(objects.list.settle(), 1);
  objects.list.release(a);
  EXPECT_EQ(objects.story, "bA");
  EXPECT_EQ(objects.list.settle(), 1);
  objects.list.release_all();
  EXPECT_EQ(objects.story, "bAB");
  EXPECT_EQ(objects.list.settle(), 0);
}

}  // namespace
