// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "scalapack/elpa.hpp"

#ifdef TESSERA_HAS_ELPA

#include <initializer_list>
#include <utility>

#include <elpa/elpa_constants.h>
#include <elpa/elpa_version.h>

#include "format.hpp"

using c128 = std::complex<double>;

// Declared here because ELPA's own header for C++ does not declare its functions as C's.
extern "C" {
struct elpa_struct;
int elpa_init(int);
elpa_struct* elpa_allocate(int*);
void elpa_deallocate(elpa_struct*, int*);
int elpa_setup(elpa_struct*);
void elpa_set_integer(elpa_struct*, const char*, int, int*);
const char* elpa_strerr(int);
#define TESSERA_DECLARE(suffix, T, R)                                    \
  void elpa_eigenvectors_a_h_a_##suffix(elpa_struct*, T*, R*, T*, int*); \
  void elpa_eigenvalues_a_h_a_##suffix(elpa_struct*, T*, R*, int*);
TESSERA_DECLARE(d, double, double)
TESSERA_DECLARE(dc, c128, double)
#undef TESSERA_DECLARE
}

namespace tessera::linalg::elpa {
namespace {

// ELPA's handle of a problem, and the first error of any process.
class Handle {
 public:
  explicit Handle(const ElpaProblem& problem) : group_(problem.group) {
    describe(problem);
    // The setup is collective: no process may begin it unless all do.
    if (!agree()) return;
    is_set_up_ = !note(elpa_setup(handle_), "elpa_setup");
    if (is_set_up_) {
      // The two-stage solver took more than twice as long on 2 ranks, with the kernels of Debian's build.
      set("solver", ELPA_SOLVER_1STAGE);
    }
    agree();
  }
  // If a handle was not set up, ELPA 2022.11 reads a flag that was never written, and frees communicators that
  // it has not made. So we do not deallocate such a handle.
  ~Handle() {
    int ignored = 0;
    if (is_set_up_) elpa_deallocate(handle_, &ignored);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  elpa_struct* get() const noexcept { return handle_; }
  bool note(int error, const char* what) {
    if (error != ELPA_OK && problem_.empty()) problem_ = formatted("{}: {}", what, elpa_strerr(error));
    return error != ELPA_OK;
  }
  /// Whether no process has a problem; otherwise all get the same one. @collective
  bool agree() {
    problem_ = group_.agree(problem_);
    return problem_.empty();
  }
  const std::string& problem() const noexcept { return problem_; }

 private:
  void describe(const ElpaProblem& problem) {
    // Needed once for the process; further calls do nothing.
    if (note(elpa_init(ELPA_API_VERSION), "elpa_init")) return;
    int error = ELPA_OK;
    handle_ = elpa_allocate(&error);
    if (note(error, "elpa_allocate")) return;
    using Setting = std::pair<const char*, int>;
    for (const auto& [name, value] : {Setting{"na", problem.n},
                                      {"nev", problem.wanted},
                                      {"local_nrows", problem.local_rows},
                                      {"local_ncols", problem.local_columns},
                                      {"nblk", problem.block},
                                      {"mpi_comm_parent", MPI_Comm_c2f(group_.mpi_comm())},
                                      {"process_row", problem.row},
                                      {"process_col", problem.column}}) {
      if (set(name, value)) return;
    }
  }
  bool set(const char* name, int value) {
    int error = ELPA_OK;
    elpa_set_integer(handle_, name, value, &error);
    return note(error, name);
  }

  const Group& group_;
  elpa_struct* handle_ = nullptr;
  bool is_set_up_ = false;
  std::string problem_;
};

}  // namespace

#define TESSERA_DEFINE(suffix, T, R)                                                   \
  template <>                                                                          \
  std::string solve(const ElpaProblem& problem, bool vectors, T* a, R* values, T* z) { \
    Handle handle(problem);                                                            \
    if (!handle.problem().empty()) return handle.problem();                            \
    int error = ELPA_OK;                                                               \
    if (vectors)                                                                       \
      elpa_eigenvectors_a_h_a_##suffix(handle.get(), a, values, z, &error);            \
    else                                                                               \
      elpa_eigenvalues_a_h_a_##suffix(handle.get(), a, values, &error);                \
    handle.note(error, "the solver");                                                  \
    handle.agree();                                                                    \
    return handle.problem();                                                           \
  }
TESSERA_DEFINE(d, double, double)
TESSERA_DEFINE(dc, c128, double)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::elpa

#endif
