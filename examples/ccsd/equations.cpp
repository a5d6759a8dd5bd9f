// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "equations.hpp"

#include <tessera/linalg/linalg.hpp>

namespace ccsd {

using namespace tessera;
using linalg::contract;

namespace {

Tensor doubles_of(const Group& world, index_t occupied, index_t virtuals, const char* name) {
  const Extents<4> extents{occupied, occupied, virtuals, virtuals};
  return {world, along(2, extents, world.size()), {.name = name}};
}

Tensor like(const Tensor& other, const char* name) { return other.duplicate(name); }

// 2 t(i, j, a, b) - t(i, j, b, a): what is left of a sum over both orders of spins. As t(i, j, b, a) =
// t(j, i, a, b), no element travels.
void without_exchange(const Tensor& t, Tensor& to) {
  axpby(2, t, 0, to);
  axpby(-1, t.slice().permuted({1, 0, 2, 3}), 1, to);
}

}  // namespace

Amplitudes make_amplitudes(const Group& world, index_t occupied, index_t virtuals) {
  Amplitudes t{Matrix(world, {occupied, virtuals}, {.name = "amplitudes of singles"}),
               doubles_of(world, occupied, virtuals, "amplitudes of doubles")};
  fill(t.t1, 0.0);
  fill(t.t2, 0.0);
  return t;
}

Equations::Equations(const Space& space, const MoIntegrals& integrals)
    : space_(space),
      g_(integrals),
      u_(like(integrals.ovov, "2 (ia|jb) - (ib|ja)")),
      tau_(doubles_of(integrals.ovov.group(), space.occupied, space.virtuals, "tau")),
      x_(like(tau_, "combinations of amplitudes")),
      f_oo_(tau_.group(), {space.occupied, space.occupied}, {.name = "F(k, i)"}),
      f_ov_(tau_.group(), {space.occupied, space.virtuals}, {.name = "F(k, c)"}),
      f_vv_(tau_.group(), {space.virtuals, space.virtuals}, {.name = "F(a, c)"}),
      l_oo_(f_oo_.duplicate("L(k, i)")),
      l_vv_(f_vv_.duplicate("L(a, c)")),
      w_oooo_(like(integrals.oooo, "W(k, l, i, j)")),
      w_(tau_.group(),
         along(2, Extents<5>{2, space.occupied, space.virtuals, space.occupied, space.virtuals},
               tau_.group().size()),
         {.name = "W(i, a, k, c) of (ia|kc) and of (ik|ac)"}),
      m_(tau_.group(),
         along(3, Extents<4>{space.occupied, space.occupied, space.occupied, space.virtuals},
               tau_.group().size()),
         {.name = "M(i, j, k, a)"}),
      y_(tau_.group(),
         along(3, Extents<5>{2, space.occupied, space.occupied, space.virtuals, space.virtuals},
               tau_.group().size()),
         {.name = "combinations of amplitudes, and half of the residual"}),
      tau_pairs_(tau_.group(),
                 Layout<3>::blocked({space.occupied * (space.occupied + 1) / 2, space.virtuals, space.virtuals},
                                    tau_.group().size(), {.grid = {{1, tau_.group().size(), 1}}}),
                 {.name = "tau of pairs"}),
      r_pairs_(tau_pairs_.duplicate("residual of pairs")) {
  axpby(2, g_.ovov, 0, u_);
  axpby(-1, g_.ovov.slice().permuted({0, 3, 2, 1}), 1, u_);
}

void Equations::guess(Amplitudes& t) const {
  fill(t.t1, 0.0);
  copy(g_.ovov.slice().permuted({0, 2, 1, 3}), t.t2);
  const auto o = space_.occupied_energies(), v = space_.virtual_energies();
  linalg::divide_by_denominators(t.t2, {{o}, {o}, {v, -1}, {v, -1}});
}

Equations::Energy Equations::energy(const Amplitudes& t) const {
  Matrix with(t.t1.duplicate("what singles are multiplied with"));
  contract(1, u_("iajb"), t.t1("jb"), 0, with("ia"));
  return {dot(t.t1, with), dot(u_.slice().permuted({0, 2, 1, 3}), t.t2)};
}

void Equations::iterate(const Amplitudes& t, Amplitudes& next) {
  dress(t);
  singles(t, next.t1);
  doubles(t, next.t2);
  const auto o = space_.occupied_energies(), v = space_.virtual_energies();
  linalg::divide_by_denominators(next.t1, {{o}, {v, -1}});
  linalg::divide_by_denominators(next.t2, {{o}, {o}, {v, -1}, {v, -1}});
}

void Equations::dress(const Amplitudes& t) {
  const auto& [t1, t2] = t;
  copy(t2, tau_);
  contract(1, t1("ia"), t1("jb"), 1, tau_("ijab"));

  contract(1, u_("kcld"), t1("ld"), 0, f_ov_("kc"));
  contract(1, u_("kcld"), tau_("ilcd"), 0, f_oo_("ki"));
  contract(-1, u_("ldkc"), tau_("lkda"), 0, f_vv_("ac"));
  copy(f_oo_, l_oo_);
  contract({{2, g_.ooov("kilc"), t1("lc")}, {-1, g_.ooov("likc"), t1("lc")}}, 1, l_oo_("ki"));
  copy(f_vv_, l_vv_);
  contract({{2, g_.ovvv("kdac"), t1("kd")}, {-1, g_.ovvv("kcad"), t1("kd")}}, 1, l_vv_("ac"));

  copy(g_.oooo.slice().permuted({0, 2, 1, 3}), w_oooo_);
  contract({{1, g_.ooov("kilc"), t1("jc")}, {1, g_.ooov("ljkc"), t1("ic")}, {1, g_.ovov("kcld"), tau_("ijcd")}},
           1, w_oooo_("klij"));
  const auto w_ovov = w_.slice().fix(0, 0), w_oovv = w_.slice().fix(0, 1);
  copy(g_.ovov, w_ovov);
  contract({{1, g_.ovvv("kcad"), t1("id")}, {-1, g_.ooov("likc"), t1("la")}}, 1, w_ovov("iakc"));
  copy(g_.oovv.slice().permuted({1, 2, 0, 3}), w_oovv);
  contract({{1, g_.ovvv("kdac"), t1("id")}, {-1, g_.ooov("kilc"), t1("la")}}, 1, w_oovv("iakc"));
  // To w_ovov belongs (ld|kc) (t2(i, l, a, d) - x(l, i, a, d)) - (lc|kd) t2(i, l, a, d) / 2, and to w_oovv
  // -(lc|kd) x(l, i, a, d), where x(l, i, a, d) = t2(l, i, a, d) / 2 + t1(i, d) t1(l, a).
  const auto first = y_.slice().fix(0, 0), second = y_.slice().fix(0, 1);
  axpby(-0.5, t2.slice().permuted({1, 0, 2, 3}), 0, first);
  axpby(-0.5, t2, 0, second);
  contract(-1, t1("id"), t1("la"), 1, second("liad"));
  axpby(-2, first, 0, x_);
  axpby(1, second, 1, x_);
  contract(1, g_.ovov("ldkc"), x_("liad"), 1, w_ovov("iakc"));
  contract(1, g_.ovov("kdlc"), y_("sliad"), 1, w_("siakc"));
  copy(g_.ooov.slice().permuted({2, 0, 1, 3}), m_);
  contract({{1, g_.ovov("iakc"), t1("jc")}, {1, g_.oovv("kjac"), t1("ic")}, {1, g_.ovvv("kdac"), tau_("ijcd")}},
           1, m_("ijka"));
}

void Equations::singles(const Amplitudes& t, Matrix& r) {
  const auto& [t1, t2] = t;
  Matrix f_t(f_oo_.duplicate("F(k, c) t(i, c)"));
  contract(1, f_ov_("kc"), t1("ic"), 0, f_t("ki"));
  without_exchange(tau_, x_);
  contract({{1, f_vv_("ac"), t1("ic")},
            {-1, f_oo_("ki"), t1("ka")},
            {1, f_t("ki"), t1("ka")},
            {2, t2("ikac"), f_ov_("kc")},
            {-1, t2("kiac"), f_ov_("kc")},
            {2, g_.ovov("iakc"), t1("kc")},
            {-1, g_.oovv("kiac"), t1("kc")},
            {1, x_("ikcd"), g_.ovvv("kdca")},
            {-1, g_.ooov("kilc"), x_("klac")}},
           0, r("ia"));
}

void Equations::doubles(const Amplitudes& t, Tensor& r) {
  const auto& [t1, t2] = t;
  const auto w_ovov = w_.slice().fix(0, 0), w_oovv = w_.slice().fix(0, 1);
  const auto half = y_.slice().fix(0, 0), exchanged = y_.slice().fix(0, 1);
  // What w_ovov is multiplied with is 2 t2(k, j, c, b) - t2(k, j, b, c). The second part is also in both terms
  // of w_oovv, so it is fetched once: as t2(j, k, c, b), which is equal to it.
  contract(-1, w_("siakc"), t2("jkcb"), 0, y_("sijab"));
  axpby(1, exchanged.permuted({1, 0, 2, 3}), 1, half);
  axpby(-1, w_oovv, 2, w_ovov);
  // [doubles]
  contract({{1, g_.ovvv("jbac"), t1("ic")},
            {-1, m_("ijka"), t1("kb")},
            {1, l_vv_("bc"), t2("ijac")},
            {-1, l_oo_("ki"), t2("kjab")},
            {1, w_ovov("iakc"), t2("kjcb")}},
           1, half("ijab"));
  // [doubles]
  add_ladder(half);
  axpby(1, half, 0, r);
  axpby(1, half.permuted({1, 0, 3, 2}), 1, r);
  axpby(1, g_.ovov.slice().permuted({0, 2, 1, 3}), 1, r);
  contract(1, w_oooo_("klij"), tau_("klab"), 1, r("ijab"));
}

// Adds half of the sum over c and d of tau(i, j, c, d) (ac|bd). The sum of j, i has a and b exchanged, so all
// of that of pairs i > j is enough.
void Equations::add_ladder(const Slice<double, 4>& half) {
  const index_t o = space_.occupied, v = space_.virtuals;
  const auto pairs = [v](PairTensor& all, index_t i, index_t begin, index_t end) {
    const index_t first = i * (i + 1) / 2;
    return all.slice({{first + begin, 0, 0}, {first + end, v, v}});
  };
  for (index_t i = 0; i < o; ++i) {
    const auto of_i = tau_.slice().fix(0, i);
    copy(of_i.slice({{0, 0, 0}, {i, v, v}}), pairs(tau_pairs_, i, 0, i));
    axpby(0.5, of_i.slice({{i, 0, 0}, {i + 1, v, v}}), 0, pairs(tau_pairs_, i, i, i + 1));
  }
  contract(1, tau_pairs_("pcd"), g_.vvvv("abcd"), 0, r_pairs_("pab"));
  for (index_t i = 0; i < o; ++i)
    axpby(1, pairs(r_pairs_, i, 0, i + 1), 1, half.fix(0, i).slice({{0, 0, 0}, {i + 1, v, v}}));
}

}  // namespace ccsd
