// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/denominators.hpp>

#include <tessera/core/agreed.hpp>
#include <tessera/core/operand_walk.hpp>

#include "format.hpp"
#include "scalapack/scalapack_matrix.hpp"

namespace tessera::linalg::detail {
namespace {

void require_fitting(const SliceCore& t, std::span<const OrbitalEnergies> energies) {
  const auto dimensions = static_cast<std::size_t>(t.rank());
  if (energies.size() != dimensions) {
    throw UsageError(formatted("divide_by_denominators: {} lists of energies for the {} dimensions of {}",
                               energies.size(), dimensions, t.description()));
  }
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (std::ssize(energies[d].values) == t.extents()[d]) continue;
    throw UsageError(
        formatted("divide_by_denominators: {} energies for dimension {} of {}, which has {} indices",
                  energies[d].values.size(), d, t.description(), t.extents()[d]));
  }
}

}  // namespace

void divide_by_denominators(const SliceCore& t, std::span<const OrbitalEnergies> energies, double shift) {
  tessera::detail::begin_operation("divide_by_denominators", {t});
  const auto dimensions = static_cast<std::size_t>(t.rank());
  tessera::detail::agreed(t.array().group(), "divide_by_denominators", [&] { require_fitting(t, energies); });
  with_scalar("divide_by_denominators", t, [&]<class T>(T) {
    tessera::detail::for_each_placed_run(t, [&](const tessera::detail::PlacedRun& run) {
      const auto along = static_cast<std::size_t>(run.along);
      double others = shift;
      for (std::size_t d = 0; d < dimensions; ++d) {
        if (d != along) others += energies[d].sign * energies[d].values[static_cast<std::size_t>(run.at[d])];
      }
      const double sign = energies[along].sign;
      const double* energy = energies[along].values.data() + run.at[along];
      T* const x = static_cast<T*>(run.data[0]);
      const auto divide = [=, n = run.count](auto stride) {
        for (index_t i = 0; i < n; ++i) {
          const double denominator = others + sign * energy[i];
          if constexpr (std::is_floating_point_v<T>)
            x[i * stride] = static_cast<T>(x[i * stride] / denominator);
          else
            x[i * stride] = {static_cast<Real<T>>(x[i * stride].real() / denominator),
                             static_cast<Real<T>>(x[i * stride].imag() / denominator)};
        }
      };
      run.strides[0] == 1 ? divide(std::integral_constant<index_t, 1>()) : divide(run.strides[0]);
    });
  });
  tessera::detail::end_operation(t);
}

}  // namespace tessera::linalg::detail
