// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "libraries.hpp"

#include <string_view>

#include <tessera/runtime/runtime.hpp>

#ifdef INFO_HAS_IO
#include <tessera/io/backend.hpp>
#endif
#ifdef INFO_HAS_LINALG
#include <tessera/linalg/backend.hpp>
#endif

namespace tessera::info {
namespace {

// null: this build of Tessera is without the module.
Json linalg([[maybe_unused]] const Group& world) {
#ifdef INFO_HAS_LINALG
  const linalg::BackendReport report = linalg::backend_report(world);
  return {{"blas", report.blas},           {"kernels", report.kernels}, {"threads", report.threads},
          {"scalapack", report.scalapack}, {"elpa", report.elpa},       {"warnings", report.warnings},
          {"defects", report.defects}};
#else
  return nullptr;
#endif
}

Json io() {
#ifdef INFO_HAS_IO
  const io::BackendReport report = io::backend_report();
  return {{"hdf5", report.hdf5}, {"pictures", report.has_pictures}};
#else
  return nullptr;
#endif
}

Json fft() {
#ifdef INFO_FFTW
  return {{"fftw", INFO_FFTW}};
#else
  return nullptr;
#endif
}

}  // namespace

Json libraries(const Group& world) { return {{"linalg", linalg(world)}, {"io", io()}, {"fft", fft()}}; }

Json build() {
  constexpr std::string_view type = INFO_BUILD_TYPE;
  return {{"version", version()},
          {"compiler", INFO_COMPILER},
          {"build_type", type.empty() ? "none" : type},
          {"collective_calls_checked", INFO_CHECKS != 0},
          {"shared_libraries", INFO_SHARED != 0}};
}

}  // namespace tessera::info
