// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <complex>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>

#include "slice_model.hpp"

// Members of structures as operands, checked against serial loops over structures.
namespace {

using namespace tessera;
using namespace tessera::test;

struct Vec {
  double x, y;
  friend bool operator==(const Vec&, const Vec&) = default;
};
struct alignas(16) State {
  double rho, energy;
  Vec v;
  std::complex<float> phase;
  std::int32_t id;
  friend bool operator==(const State&, const State&) = default;
};
static_assert(sizeof(State) == 48);

State state_of(Random& random) {
  const auto real = [&] { return static_cast<double>(pick(random, -50, 50)); };
  return {real(),
          real(),
          {real(), real()},
          {static_cast<float>(real()), static_cast<float>(real())},
          static_cast<std::int32_t>(pick(random, -50, 50))};
}

struct Structures {
  Extents<2> dims;
  Array<State, 2> array;
  std::vector<State> model;

  explicit Structures(Random& random, const Extents<2>& extents)
      : dims(extents),
        array(world(), any_layout(random, extents), {.name = "states"}),
        model(at(extents.size())) {
    for (State& state : model) state = state_of(random);
    if (world().rank() == 0) array.put(Patch<2>::whole(dims), View<const State, 2>(model.data(), dims));
    array.sync();
  }
  State& element(const Index<2>& at_index) { return model[at(at_index[0] * dims[1] + at_index[1])]; }
  void check(const char* what) {
    const auto found = array.get(Patch<2>::whole(dims));
    index_t wrong = 0;
    for (std::size_t i = 0; i < model.size(); ++i)
      wrong += static_cast<index_t>(!(found.data()[i] == model[i]));
    EXPECT_EQ(wrong, 0) << what << ", " << array.layout().description();
    array.sync();
  }
};

TEST(Members, of_structures_are_operands_of_all_element_wise_operations) {
  Random random(1);
  for (int round = 0; round < 12; ++round) {
    const Extents<2> dims{pick(random, 0, 9), pick(random, 1, 9)};
    Structures a(random, dims), b(random, dims);
    auto rho = a.array.slice().member(&State::rho), energy = a.array.slice().member(&State::energy);
    auto vx = b.array.slice().member(&State::v).member(&Vec::x);
    auto id = b.array.slice().member(&State::id);
    auto phase = b.array.slice().member(&State::phase);

    axpby(2.0, rho, -3.0, vx, energy);
    for (std::size_t i = 0; i < a.model.size(); ++i)
      a.model[i].energy = 2 * a.model[i].rho - 3 * b.model[i].v.x;
    a.check("axpby");
    axpby(1.0, energy, 1.0, rho);  // two members of one array
    for (State& s : a.model) s.rho += s.energy;
    a.check("axpby in one array");
    copy(rho, vx);
    for (std::size_t i = 0; i < a.model.size(); ++i) b.model[i].v.x = a.model[i].rho;
    b.check("copy");
    fill(id, 7);
    scale(phase, std::complex<float>(0, 2));
    for (State& s : b.model) s.id = 7, s.phase *= std::complex<float>(0, 2);
    b.check("fill and scale");
    transform(std::as_const(a.array), energy, [](const State& s) { return s.rho - s.v.y; });
    for (State& s : a.model) s.energy = s.rho - s.v.y;
    a.check("transform of structures into their member");

    double product = 0, sum = 0;
    for (std::size_t i = 0; i < a.model.size(); ++i) {
      product += a.model[i].energy * b.model[i].v.x;
      sum += a.model[i].rho;
    }
    EXPECT_EQ(dot(energy, vx), product);
    EXPECT_EQ(reduce(rho, Reduce::sum), sum);
    const auto least = std::min_element(a.model.begin(), a.model.end(),
                                        [](const State& s, const State& t) { return s.energy < t.energy; });
    if (!a.model.empty()) {
      EXPECT_EQ(min_element(energy).value, least->energy);
    }
    EXPECT_EQ(transform_reduce(std::as_const(a.array), 0.0, std::plus<>(), &State::rho), sum);
  }
}

TEST(Members, of_slices_have_the_positions_of_the_slice) {
  Random random(2);
  for (int round = 0; round < 30; ++round) {
    const Extents<2> dims{pick(random, 1, 12), pick(random, 1, 12)};
    Structures s(random, dims);
    const RandomSlice<2> part(random, dims);
    auto energy = part.of(s.array).member(&State::energy);
    Array<double, 2> plain(world(), any_layout(random, part.model.dims), {.name = "plain"});
    copy(energy, plain);
    const auto found = plain.get(Patch<2>::whole(part.model.dims));
    const auto through_get = energy.get();
    for (std::size_t k = 0; k < part.model.numbers.size(); ++k) {
      EXPECT_EQ(found.data()[k], s.model[at(part.model.numbers[k])].energy);
      EXPECT_EQ(through_get.data()[k], s.model[at(part.model.numbers[k])].energy);
    }
    plain.sync();
    scale(plain, 2.0);
    copy(plain, energy);
    for (const index_t number : part.model.numbers) s.model[at(number)].energy *= 2;
    s.check("copy into the member of a slice");
    if (world().rank() == 0 && part.model.dims.size() > 0) {
      LocalArray<double, 2> ones(part.model.dims);
      std::fill(ones.begin(), ones.end(), 1.0);
      energy.acc(ones, 3.0);
      energy.acc_async(Patch<2>::whole(part.model.dims), ones).wait();
    }
    s.array.sync();
    for (const index_t number : part.model.numbers) s.model[at(number)].energy += 4;
    s.check("acc");
    if (world().rank() == world().size() - 1) {
      LocalArray<double, 2> values(part.model.dims);
      std::iota(values.begin(), values.end(), 0.0);
      energy.put_async(Patch<2>::whole(part.model.dims), values).wait();
    }
    s.array.sync();
    for (std::size_t k = 0; k < part.model.numbers.size(); ++k)
      s.model[at(part.model.numbers[k])].energy = static_cast<double>(k);
    s.check("put_async");
  }
}

TEST(Members, may_be_copied_to_other_positions_of_the_same_member) {
  Random random(3);
  const Extents<2> dims{6, 9};
  Structures s(random, dims);
  const Patch<2> from{{0, 0}, {6, 8}}, to{{0, 1}, {6, 9}};
  copy(s.array.slice(from).member(&State::rho), s.array.slice(to).member(&State::rho));
  for (index_t i = 0; i < 6; ++i) {
    for (index_t j = 8; j > 0; --j) s.element({i, j}).rho = s.element({i, j - 1}).rho;
  }
  s.check("copy of a member by one column");
  EXPECT_THROW(axpby(1.0, s.array.slice(from).member(&State::rho), 1.0, s.array.slice(to).member(&State::rho)),
               UsageError);
  // Other members of the same elements are not in the way.
  axpby(1.0, s.array.slice(from).member(&State::rho), 0.0, s.array.slice(to).member(&State::energy));
  for (index_t i = 0; i < 6; ++i) {
    for (index_t j = 1; j < 9; ++j) s.element({i, j}).energy = s.element({i, j - 1}).rho;
  }
  s.check("a member from another one beside it");
}

TEST(Members, are_constant_in_constant_arrays_and_named_in_messages) {
  Random random(4);
  Structures s(random, {3, 4});
  const auto rho = std::as_const(s.array).slice().member(&State::rho);
  static_assert(!WritableOperand<decltype(rho)>);
  static_assert(std::is_same_v<value_t<decltype(rho)>, double>);
  const auto energy = std::as_const(s.array).slice().member(&State::energy);
  EXPECT_NE(energy.core().description().find("member at byte 8 of"), std::string::npos)
      << energy.core().description();
}

}  // namespace
