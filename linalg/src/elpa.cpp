// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "elpa.hpp"

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

// A problem as ELPA has it, and the first thing that it did not like on any process.
class Handle {
 public:
  explicit Handle(const ElpaProblem& problem) : group_(problem.group) {
    describe(problem);
    // What follows is collective: nobody begins where one does not come.
    if (!agree()) return;
    is_set_up_ = !note(elpa_setup(handle_), "elpa_setup");
    if (is_set_up_) {
      // Two stages took more than twice as long on 2 ranks, with the kernels that Debian's build has.
      set("solver", ELPA_SOLVER_1STAGE);
    }
    agree();
  }
  // ELPA 2022.11 frees communicators that it has not made if it was not set up: whether it has is never written
  // before. Such a handle is left alone.
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
  /// Whether all is well on all; else all have the same problem. @collective
  bool agree() {
    problem_ = group_.agree(problem_);
    return problem_.empty();
  }
  const std::string& problem() const noexcept { return problem_; }

 private:
  void describe(const ElpaProblem& problem) {
    // Once for the process; more often does nothing.
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
