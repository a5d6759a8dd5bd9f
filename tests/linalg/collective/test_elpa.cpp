// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <dlfcn.h>

#include <string>

#include "spectra.hpp"

// ELPA refuses a call on one process. The functions here stand in front of ELPA's and return the error.

namespace {

std::string refused;
constexpr int elpa_error = -1;

}  // namespace

extern "C" {
struct elpa_struct;
void elpa_set_integer(elpa_struct* handle, const char* name, int value, int* error);
int elpa_setup(elpa_struct* handle);

void elpa_set_integer(elpa_struct* handle, const char* name, int value, int* error) {
  static const auto real = reinterpret_cast<decltype(&elpa_set_integer)>(dlsym(RTLD_NEXT, "elpa_set_integer"));
  real(handle, name, value, error);
  if (refused == name) *error = elpa_error;
}
int elpa_setup(elpa_struct* handle) {
  static const auto real = reinterpret_cast<decltype(&elpa_setup)>(dlsym(RTLD_NEXT, "elpa_setup"));
  const int error = real(handle);
  return refused == "elpa_setup" ? elpa_error : error;
}
}

namespace tessera::test {
namespace {

TEST(Elpa, fails_on_all_processes_if_it_refuses_on_one) {
  if (!linalg::has_elpa()) GTEST_SKIP();
  const index_t n = 4 * world().size();
  const auto matrix = random_spd<double>(n, 1);
  Array<double, 2> a(world(), {n, n}, {.name = "S"});
  set(a, matrix);
  const linalg::EighOptions options{.solver = linalg::EighSolver::elpa, .blocking = {.block = 2}};
  for (const std::string what : {"na", "process_col", "elpa_setup", "solver"}) {
    if (world().rank() == world().size() - 1) refused = what;
    const std::string message = message_of<linalg::LinalgError>([&] { linalg::eigh(a, options); });
    EXPECT_NE(message.find("by ELPA: " + what), std::string::npos) << message;
    refused.clear();
  }
  const auto [w, v] = linalg::eigh(a, options);
  EXPECT_EQ(w.size(), at(n));
  EXPECT_TRUE(are_eigenpairs(matrix, all_of(v), w, 1e-12 * static_cast<double>(n * n)));
}

}  // namespace
}  // namespace tessera::test
