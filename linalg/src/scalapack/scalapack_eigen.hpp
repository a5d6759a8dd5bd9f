// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/linalg/operand.hpp>

#include "scalapack/scalapack.hpp"

// The routines of ScaLAPACK for eigenvalues and singular values. All return info; triangles are the lower ones.
namespace tessera::linalg::scalapack {

using linalg::detail::Real;

/// All eigenvalues and vectors by divide and conquer; overwrites a.
template <class T>
int syevd(int n, T* a, const Descriptor& da, Real<T>* w, T* z, const Descriptor& dz);

/// The same by QR iterations, vectors only if they are wanted.
template <class T>
int syev(bool vectors, int n, T* a, const Descriptor& da, Real<T>* w, T* z, const Descriptor& dz);
/// a = inverse(l) a inverse(adjoint l), for the Cholesky factor l.
template <class T>
int sygst(int n, T* a, const Descriptor& da, const T* l, const Descriptor& dl, Real<T>& scale);

/// a = u diag(s) vh, of min(m, n) values; u and vh only if they are wanted; overwrites a.
template <class T>
int gesvd(bool vectors, int m, int n, T* a, const Descriptor& da, Real<T>* s, T* u, const Descriptor& du, T* vh,
          const Descriptor& dvh);

/// Leaves the Hessenberg form in a, and reflections below it and in `scales`, which has n elements.
template <class T>
int gehrd(int n, T* a, const Descriptor& da, T* scales);
/// z = the unitary matrix of those reflections times z.
template <class T>
int unmhr(int n, const T* a, const Descriptor& da, const T* scales, T* z, const Descriptor& dz);
/// The eigenvalues of a real Hessenberg matrix, which is overwritten. The elements below its subdiagonal must
/// be zero.
template <class T>
int hseqr(int n, T* h, const Descriptor& dh, T* real_parts, T* imaginary_parts);
/// The same for a complex matrix. It becomes the triangular matrix of its Schur form, and z is multiplied by
/// the unitary one if vectors are wanted. (For eigenvalues alone, p?lahqr (2.2) does not tell if it has not
/// found them.)
template <class T>
int lahqr(bool vectors, int n, T* h, const Descriptor& dh, T* w, T* z, const Descriptor& dz);
/// z = z times the eigenvectors of a complex triangular matrix.
template <class T>
int trevc(int n, T* triangle, const Descriptor& dt, T* z, const Descriptor& dz);

}  // namespace tessera::linalg::scalapack
