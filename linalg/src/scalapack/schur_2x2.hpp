// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>

namespace tessera::linalg::scalapack {

/// Replaces M = (a, b; c, d) by the upper triangular matrix U M U^H, where U = (cosine, sine; -conj(sine),
/// cosine) is unitary and the cosine real. @local
template <class R>
void to_schur_form(std::complex<R>& a, std::complex<R>& b, std::complex<R>& c, std::complex<R>& d, R& cosine,
                   std::complex<R>& sine) {
  using C = std::complex<R>;
  cosine = 1, sine = {};
  if (c == C{}) return;
  const auto size = [](const C& x) { return std::max(std::abs(x.real()), std::abs(x.imag())); };
  // Scaled to one, so that products neither overflow nor vanish.
  const R scale = std::max({size(a), size(b), size(c), size(d)});
  const C a1 = a / scale, b1 = b / scale, c1 = c / scale, d1 = d / scale;
  const C half = (a1 - d1) / R{2}, root = std::sqrt(half * half + b1 * c1);
  // The eigenvalue that is farther from d, minus d: nothing cancels.
  const C far = std::abs(half + root) >= std::abs(half - root) ? half + root : half - root;
  // Its eigenvector is (far, c), and the first column of U^H is (cosine, conj(sine)).
  const R length = std::hypot(std::abs(far), std::abs(c1));
  const R from = std::abs(far);
  const C phase = from > 0 ? far / from : C{1};
  cosine = from / length, sine = std::conj(c1 / phase) / length;
  b = scale * (cosine * (b1 * cosine - a1 * sine) + sine * (d1 * cosine - c1 * sine));
  a = scale * (d1 + far);
  d = scale * (from > 0 ? d1 - b1 * (c1 / far) : d1);
  c = {};
}

}  // namespace tessera::linalg::scalapack
