// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <functional>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>

#include <tessera/core/agreed.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/print.hpp>
#include <tessera/reductions.hpp>

#include "mpi_test.hpp"
#include "slice_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

struct BadLuck : std::runtime_error {
  BadLuck() : std::runtime_error("bad luck") {}
};

// A collective call in which code of the user throws on one rank. This rank gets that exception. The others get
// one that names the rank and contains its message. Then the group works as before.
template <class Call>
void check_thrown(int unlucky, Call&& call) {
  const Group& all = world();
  std::string words;
  bool own = false;
  try {
    call();
  } catch (const BadLuck&) {
    own = true;
  } catch (const Error& error) {
    words = error.what();
  }
  EXPECT_EQ(own, all.rank() == unlucky);
  if (!own) {
    EXPECT_NE(words.find("rank " + std::to_string(unlucky)), std::string::npos) << words;
    EXPECT_NE(words.find("bad luck"), std::string::npos) << words;
  }
  EXPECT_EQ(all.all_reduce(all.rank() + 1, Reduce::sum), all.size() * (all.size() + 1) / 2);
}

TEST(Failures, a_callable_that_throws_on_one_rank_throws_on_all) {
  const Group& all = world();
  for (int unlucky = 0; unlucky < all.size(); ++unlucky) {
    // With elements on every rank, on few, and of another layout than the operand.
    for (const index_t extent : {index_t{4} * all.size(), index_t{1}}) {
      Array<double, 1> a(all, {extent}, {.name = "a"}), c(all, {extent}, {.name = "c"});
      Array<float, 1> b(all, Layout<1>::block_cyclic({extent}, Extents<1>(1), {all.size()}), {.name = "b"});
      fill(a, 1), fill(b, 2.0F), fill(c, 3);
      const bool mine = all.rank() == unlucky;
      const int others = all.all_reduce(static_cast<int>(mine && a.local_patch().size() > 0), Reduce::max);
      auto once = [mine](double x) { return mine ? throw BadLuck() : x; };
      auto twice = [mine](double x, double y) { return mine ? throw BadLuck() : x + y; };
      if (others > 0) {
        check_thrown(unlucky, [&] { tessera::transform(a, once); });
        check_thrown(unlucky, [&] { tessera::transform(b, a, once); });
        check_thrown(unlucky, [&] { tessera::transform(a, b, c, twice); });
        check_thrown(unlucky, [&] { (void)tessera::transform_reduce(a, 0.0, std::plus<>(), once); });
        check_thrown(unlucky, [&] { (void)tessera::transform_reduce(a, b, 0.0, std::plus<>(), twice); });
      }
      // Every rank calls it to join the results, with or without elements.
      check_thrown(unlucky, [&] { (void)reduce(a, 0.0, twice); });
      check_thrown(unlucky,
                   [&] { (void)tessera::transform_reduce(a, 0.0, twice, [](double x) { return x; }); });
      fill(c, 3);
      EXPECT_EQ(reduce(c, 0.0, [](double x, double y) noexcept { return x + y; }),
                3.0 * static_cast<double>(extent));
    }
  }
}

TEST(Failures, of_a_callable_on_every_rank_each_keeps_its_own) {
  Array<double, 1> a(world(), {4 * world().size()});
  fill(a, 1);
  EXPECT_THROW(tessera::transform(a, [](double x) { return x > 0 ? throw BadLuck() : x; }), BadLuck);
  EXPECT_THROW(tessera::transform(a, [](double x) { return x > 0 ? throw 5 : x; }), int);
  EXPECT_EQ(reduce(a, Reduce::sum), 4.0 * world().size());
}

// Takes some characters and then throws.
struct Full : std::streambuf {
  explicit Full(int room) : room_(room) {}
  int_type overflow(int_type c) override { return room_-- > 0 ? c : throw BadLuck(); }

 private:
  int room_;
};

TEST(Failures, a_stream_that_throws_throws_on_all) {
  Array<double, 2> a(world(), {6, 6}, {.name = "a"});
  fill(a, 1);
  for (const int room : {0, 20, 60}) {
    Full buffer(room);
    std::ostream out(&buffer);
    out.exceptions(std::ios::badbit);
    check_thrown(0, [&] { print(out, a); });
  }
}

TEST(Failures, errors_keep_their_class) {
  const Group& all = world();
  const int last = all.size() - 1;
  auto failing = [&]<class E>(const E& error) {
    detail::agreed(all, "a test", [&] {
      if (all.rank() == last) throw error;
    });
  };
  EXPECT_THROW(failing(MemoryError("none left")), MemoryError);
  EXPECT_THROW(failing(UsageError("wrong")), UsageError);
  EXPECT_THROW(failing(WindowError("closed")), WindowError);
  EXPECT_THROW(failing(LogicError("a defect")), LogicError);
  const std::string told = message_of<UsageError>([&] { failing(UsageError("wrong")); });
  EXPECT_EQ(told, all.rank() == last ? "wrong" : "a test: rank " + std::to_string(last) + " failed: wrong");
  EXPECT_EQ(detail::made_by_all(all, "a test", [] { return 7; }), 7);
}

}  // namespace
