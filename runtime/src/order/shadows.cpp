// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/shadows.hpp"

#include <utility>

#include "order/unseen_order.hpp"

namespace tessera::detail::order {

// A split copies no attributes, so it calls no function of the program.
Shadow::Shadow(MPI_Comm comm) {
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &size_);
  PMPI_Comm_split(comm, 0, rank_, &comm_);
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

Shadow::~Shadow() {
  kept.clear();
  unwanted.clear();
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (finalized == 0 && comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
}

namespace {

using SharedShadow = std::shared_ptr<Shadow>;

int forget_comm(MPI_Comm, int, void* value, void*) {
  delete static_cast<SharedShadow*>(value);
  return MPI_SUCCESS;
}
int forget_win(MPI_Win, int, void* value, void*) {
  delete static_cast<SharedShadow*>(value);
  return MPI_SUCCESS;
}

int comm_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget_comm, &made, nullptr);
    return made;
  }();
  return key;
}
int win_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, &forget_win, &made, nullptr);
    return made;
  }();
  return key;
}

SharedShadow found_shadow(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, comm_key(), static_cast<void*>(&value), &found);
  // One of an earlier Runtime may have members that keep no clock now.
  if (found == 0 || (*static_cast<SharedShadow*>(value))->clock_number() != clock_number()) return nullptr;
  return *static_cast<SharedShadow*>(value);
}

// A communicator of one process needs no clocks.
bool is_alone(MPI_Comm comm) {
  int between = 0, size = 0;
  PMPI_Comm_test_inter(comm, &between);
  PMPI_Comm_size(comm, &size);
  return between == 0 && size == 1;
}

}  // namespace

void make_shadow(MPI_Comm comm) {
  if (found_shadow(comm)) return;
  set_shadow(comm, std::make_shared<Shadow>(comm));
}

void set_shadow(MPI_Comm comm, std::shared_ptr<Shadow> shadow) {
  PMPI_Comm_set_attr(comm, comm_key(), new SharedShadow(std::move(shadow)));
}

void inherit_shadow(MPI_Comm parent, MPI_Comm made) {
  if (made == MPI_COMM_NULL || !found_shadow(parent)) return;
  int between = 0;
  PMPI_Comm_test_inter(made, &between);
  if (between == 0) make_shadow(made);
}

void remove_shadow(MPI_Comm comm) noexcept {
  if (found_shadow(comm)) PMPI_Comm_delete_attr(comm, comm_key());
}

std::shared_ptr<Shadow> shadow_of(MPI_Comm comm, const char* call) {
  SharedShadow shadow = found_shadow(comm);
  if (shadow) return shadow->size() > 1 ? shadow : nullptr;
  if (comm != MPI_COMM_NULL && !is_alone(comm)) note_unseen_order(call);
  return nullptr;
}

void make_window_shadow(MPI_Win win, MPI_Comm comm) {
  if (win == MPI_WIN_NULL || !found_shadow(comm)) return;
  PMPI_Win_set_attr(win, win_key(), new SharedShadow(std::make_shared<Shadow>(comm)));
}

std::shared_ptr<Shadow> window_shadow(MPI_Win win, const char* call) {
  void* value = nullptr;
  int found = 0;
  if (win != MPI_WIN_NULL) PMPI_Win_get_attr(win, win_key(), static_cast<void*>(&value), &found);
  if (found != 0) return *static_cast<SharedShadow*>(value);
  note_unseen_order(call);
  return nullptr;
}

}  // namespace tessera::detail::order
