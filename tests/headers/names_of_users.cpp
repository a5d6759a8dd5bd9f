// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers

// This must compile: a program may use both namespaces beside names that are usual in programs of the field.
#include <tessera/linalg/linalg.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using namespace tessera::linalg;

using Real = double;
using Integer = long;
using Scalar = double;
using Matrix = Array<Real, 2>;
using Vector = Array<Scalar, 1>;
namespace Eigen {
struct Index {
  Integer value;
};
}  // namespace Eigen

// transpose() and adjoint() of one argument are found without linalg's name, beside transpose(from, to).
void products(const Matrix& a, Matrix& b, Eigen::Index);
void products(const Matrix& a, Matrix& b, Eigen::Index) {
  transpose(a, b);
  gemm(1, transpose(a), adjoint(a), 0, b);
}

namespace without_directives {
void products(const tessera::Array<double, 2>& a, tessera::Array<double, 2>& b);
void products(const tessera::Array<double, 2>& a, tessera::Array<double, 2>& b) {
  transpose(a, b);
  tessera::linalg::gemm(1, transpose(a), adjoint(a), 0, b);
  tessera::linalg::gemm(1, transpose(a.slice()), a, 0, b);
  tessera::linalg::gemm(1, tessera::transpose(a), tessera::linalg::adjoint(a), 0, b);
}
}  // namespace without_directives
