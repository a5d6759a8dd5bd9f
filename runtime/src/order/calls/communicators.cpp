// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/calls/exchanges.hpp"
#include "order/calls/seen.hpp"
#include "order/shadows.hpp"
#include "order/unseen_order.hpp"

// The program makes communicators and windows. Their clocks travel on communicators of their own.
using namespace tessera::detail::order;
using namespace tessera::detail::order::calls;

namespace tessera::detail::order::calls {

void link_communicators() noexcept {}

}  // namespace tessera::detail::order::calls

extern "C" {

TESSERA_MPI_CALL MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  static const auto real = next("MPI_Comm_dup", &PMPI_Comm_dup);
  if (!seen()) return real(comm, newcomm);
  const int code = real(comm, newcomm);
  if (code == MPI_SUCCESS) inherit_shadow(comm, *newcomm);
  return code;
}

TESSERA_MPI_CALL MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  static const auto real = next("MPI_Comm_dup_with_info", &PMPI_Comm_dup_with_info);
  if (!seen()) return real(comm, info, newcomm);
  const int code = real(comm, info, newcomm);
  if (code == MPI_SUCCESS) inherit_shadow(comm, *newcomm);
  return code;
}

TESSERA_MPI_CALL MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  static const auto real = next("MPI_Comm_split", &PMPI_Comm_split);
  if (!seen()) return real(comm, color, key, newcomm);
  const int code = real(comm, color, key, newcomm);
  if (code == MPI_SUCCESS) inherit_shadow(comm, *newcomm);
  return code;
}

TESSERA_MPI_CALL MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  static const auto real = next("MPI_Comm_split_type", &PMPI_Comm_split_type);
  if (!seen()) return real(comm, split_type, key, info, newcomm);
  const int code = real(comm, split_type, key, info, newcomm);
  if (code == MPI_SUCCESS) inherit_shadow(comm, *newcomm);
  return code;
}

TESSERA_MPI_CALL MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  static const auto real = next("MPI_Comm_create", &PMPI_Comm_create);
  if (!seen()) return real(comm, group, newcomm);
  const int code = real(comm, group, newcomm);
  if (code == MPI_SUCCESS) inherit_shadow(comm, *newcomm);
  return code;
}

TESSERA_MPI_CALL MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  static const auto real = next("MPI_Comm_create_group", &PMPI_Comm_create_group);
  if (!seen()) return real(comm, group, tag, newcomm);
  const int code = real(comm, group, tag, newcomm);
  if (code == MPI_SUCCESS) inherit_shadow(comm, *newcomm);
  return code;
}

TESSERA_MPI_CALL MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
                                 int reorder, MPI_Comm* comm_cart) {
  static const auto real = next("MPI_Cart_create", &PMPI_Cart_create);
  if (!seen()) return real(comm_old, ndims, dims, periods, reorder, comm_cart);
  const int code = real(comm_old, ndims, dims, periods, reorder, comm_cart);
  if (code == MPI_SUCCESS) inherit_shadow(comm_old, *comm_cart);
  return code;
}

TESSERA_MPI_CALL MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  static const auto real = next("MPI_Cart_sub", &PMPI_Cart_sub);
  if (!seen()) return real(comm, remain_dims, newcomm);
  const int code = real(comm, remain_dims, newcomm);
  if (code == MPI_SUCCESS) inherit_shadow(comm, *newcomm);
  return code;
}

TESSERA_MPI_CALL MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[],
                                  int reorder, MPI_Comm* comm_graph) {
  static const auto real = next("MPI_Graph_create", &PMPI_Graph_create);
  if (!seen()) return real(comm_old, nnodes, indx, edges, reorder, comm_graph);
  const int code = real(comm_old, nnodes, indx, edges, reorder, comm_graph);
  if (code == MPI_SUCCESS) inherit_shadow(comm_old, *comm_graph);
  return code;
}

TESSERA_MPI_CALL MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                                       const int destinations[], const int weights[], MPI_Info info,
                                       int reorder, MPI_Comm* comm_dist_graph) {
  static const auto real = next("MPI_Dist_graph_create", &PMPI_Dist_graph_create);
  if (!seen())
    return real(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph);
  const int code = real(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph);
  if (code == MPI_SUCCESS) inherit_shadow(comm_old, *comm_dist_graph);
  return code;
}

TESSERA_MPI_CALL MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                                const int sourceweights[], int outdegree,
                                                const int destinations[], const int destweights[],
                                                MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
  static const auto real = next("MPI_Dist_graph_create_adjacent", &PMPI_Dist_graph_create_adjacent);
  if (!seen())
    return real(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder,
                comm_dist_graph);
  const int code = real(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
                        reorder, comm_dist_graph);
  if (code == MPI_SUCCESS) inherit_shadow(comm_old, *comm_dist_graph);
  return code;
}

TESSERA_MPI_CALL MPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  static const auto real = next("MPI_Comm_idup", &PMPI_Comm_idup);
  if (!seen()) return real(comm, newcomm, request);
  auto shadow = duplicate_shadow(comm, newcomm);
  const int code = real(comm, newcomm, request);
  follow(code, request, std::move(shadow));
  return code;
}

TESSERA_MPI_CALL MPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                                MPI_Win* win) {
  static const auto real = next("MPI_Win_create", &PMPI_Win_create);
  if (!seen()) return real(base, size, disp_unit, info, comm, win);
  const int code = real(base, size, disp_unit, info, comm, win);
  if (code == MPI_SUCCESS) make_window_shadow(*win, comm);
  return code;
}

TESSERA_MPI_CALL MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                                  MPI_Win* win) {
  static const auto real = next("MPI_Win_allocate", &PMPI_Win_allocate);
  if (!seen()) return real(size, disp_unit, info, comm, baseptr, win);
  const int code = real(size, disp_unit, info, comm, baseptr, win);
  if (code == MPI_SUCCESS) make_window_shadow(*win, comm);
  return code;
}

TESSERA_MPI_CALL MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                                         void* baseptr, MPI_Win* win) {
  static const auto real = next("MPI_Win_allocate_shared", &PMPI_Win_allocate_shared);
  if (!seen()) return real(size, disp_unit, info, comm, baseptr, win);
  const int code = real(size, disp_unit, info, comm, baseptr, win);
  if (code == MPI_SUCCESS) make_window_shadow(*win, comm);
  return code;
}

TESSERA_MPI_CALL MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  static const auto real = next("MPI_Win_create_dynamic", &PMPI_Win_create_dynamic);
  if (!seen()) return real(info, comm, win);
  const int code = real(info, comm, win);
  if (code == MPI_SUCCESS) make_window_shadow(*win, comm);
  return code;
}

TESSERA_MPI_CALL MPI_Win_fence(int assert, MPI_Win win) {
  static const auto real = next("MPI_Win_fence", &PMPI_Win_fence);
  if (!seen()) return real(assert, win);
  // With this assertion it need not be a barrier.
  if ((MPI_MODE_NOPRECEDE & assert) != 0) {
    note_unseen_order("MPI_Win_fence with MPI_MODE_NOPRECEDE");
    return real(assert, win);
  }
  if (const auto shadow = window_shadow(win, "MPI_Win_fence")) exchange(Flow::all, *shadow, 0);
  return real(assert, win);
}
}
