// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "order/calls/seen.hpp"
#include "order/tracked.hpp"
#include "order/unseen_order.hpp"

// Requests of the program start and complete.
using namespace tessera::detail::order;
using namespace tessera::detail::order::calls;

namespace tessera::detail::order::calls {

void link_completions() noexcept {}

namespace {

std::span<const MPI_Request> all_of(const MPI_Request* requests, int count) noexcept {
  return {requests, static_cast<std::size_t>(std::max(count, 0))};
}

// As OwnStatus, for several.
class OwnStatuses {
 public:
  OwnStatuses(MPI_Status* given, int count)
      : own_(given == MPI_STATUSES_IGNORE ? static_cast<std::size_t>(std::max(count, 1)) : 0),
        statuses_(given == MPI_STATUSES_IGNORE ? own_.data() : given) {}
  MPI_Status* get() noexcept { return statuses_; }
  const MPI_Status& operator[](int i) const noexcept { return statuses_[i]; }

 private:
  std::vector<MPI_Status> own_;
  MPI_Status* statuses_;
};

// If some of several requests have failed, it is not known here what the others have brought.
bool is_known(int code, const char* call) {
  if (code == MPI_ERR_IN_STATUS) note_unseen_order(call);
  return code == MPI_SUCCESS;
}

int finished(Completion& completion, int code) {
  completion.finish();
  return code;
}

}  // namespace
}  // namespace tessera::detail::order::calls

extern "C" {

TESSERA_MPI_CALL MPI_Wait(MPI_Request* request, MPI_Status* status) {
  static const auto real = next("MPI_Wait", &PMPI_Wait);
  if (!seen()) return real(request, status);
  Completion completion(all_of(request, 1));
  if (completion.is_empty()) return real(request, status);
  OwnStatus given(status);
  const int code = real(request, given.get());
  if (code == MPI_SUCCESS) completion.completed(0, *given.get());
  return finished(completion, code);
}

TESSERA_MPI_CALL MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  static const auto real = next("MPI_Test", &PMPI_Test);
  if (!seen()) return real(request, flag, status);
  Completion completion(all_of(request, 1));
  if (completion.is_empty()) return real(request, flag, status);
  OwnStatus given(status);
  const int code = real(request, flag, given.get());
  if (code == MPI_SUCCESS && *flag != 0) completion.completed(0, *given.get());
  return finished(completion, code);
}

// The request stays, and completes in another call.
TESSERA_MPI_CALL MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  static const auto real = next("MPI_Request_get_status", &PMPI_Request_get_status);
  if (!seen()) return real(request, flag, status);
  Completion completion(all_of(&request, 1));
  if (completion.is_empty()) return real(request, flag, status);
  OwnStatus given(status);
  const int code = real(request, flag, given.get());
  if (code == MPI_SUCCESS && *flag != 0) completion.completed(0, *given.get());
  return finished(completion, code);
}

TESSERA_MPI_CALL MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  static const auto real = next("MPI_Waitall", &PMPI_Waitall);
  if (!seen()) return real(count, requests, statuses);
  Completion completion(all_of(requests, count));
  if (completion.is_empty()) return real(count, requests, statuses);
  OwnStatuses given(statuses, count);
  const int code = real(count, requests, given.get());
  if (is_known(code, "MPI_Waitall")) {
    for (int i = 0; i < count; ++i) completion.completed(i, given[i]);
  }
  return finished(completion, code);
}

TESSERA_MPI_CALL MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  static const auto real = next("MPI_Testall", &PMPI_Testall);
  if (!seen()) return real(count, requests, flag, statuses);
  Completion completion(all_of(requests, count));
  if (completion.is_empty()) return real(count, requests, flag, statuses);
  OwnStatuses given(statuses, count);
  const int code = real(count, requests, flag, given.get());
  if (is_known(code, "MPI_Testall") && *flag != 0) {
    for (int i = 0; i < count; ++i) completion.completed(i, given[i]);
  }
  return finished(completion, code);
}

TESSERA_MPI_CALL MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  static const auto real = next("MPI_Waitany", &PMPI_Waitany);
  if (!seen()) return real(count, requests, index, status);
  Completion completion(all_of(requests, count));
  if (completion.is_empty()) return real(count, requests, index, status);
  OwnStatus given(status);
  const int code = real(count, requests, index, given.get());
  if (code == MPI_SUCCESS && *index != MPI_UNDEFINED) completion.completed(*index, *given.get());
  return finished(completion, code);
}

TESSERA_MPI_CALL MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  static const auto real = next("MPI_Testany", &PMPI_Testany);
  if (!seen()) return real(count, requests, index, flag, status);
  Completion completion(all_of(requests, count));
  if (completion.is_empty()) return real(count, requests, index, flag, status);
  OwnStatus given(status);
  const int code = real(count, requests, index, flag, given.get());
  if (code == MPI_SUCCESS && *flag != 0 && *index != MPI_UNDEFINED) completion.completed(*index, *given.get());
  return finished(completion, code);
}

TESSERA_MPI_CALL MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                              MPI_Status statuses[]) {
  static const auto real = next("MPI_Waitsome", &PMPI_Waitsome);
  if (!seen()) return real(count, requests, done, indices, statuses);
  Completion completion(all_of(requests, count));
  if (completion.is_empty()) return real(count, requests, done, indices, statuses);
  OwnStatuses given(statuses, count);
  const int code = real(count, requests, done, indices, given.get());
  if (is_known(code, "MPI_Waitsome") && *done != MPI_UNDEFINED) {
    for (int i = 0; i < *done; ++i) completion.completed(indices[i], given[i]);
  }
  return finished(completion, code);
}

TESSERA_MPI_CALL MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                              MPI_Status statuses[]) {
  static const auto real = next("MPI_Testsome", &PMPI_Testsome);
  if (!seen()) return real(count, requests, done, indices, statuses);
  Completion completion(all_of(requests, count));
  if (completion.is_empty()) return real(count, requests, done, indices, statuses);
  OwnStatuses given(statuses, count);
  const int code = real(count, requests, done, indices, given.get());
  if (is_known(code, "MPI_Testsome") && *done != MPI_UNDEFINED) {
    for (int i = 0; i < *done; ++i) completion.completed(indices[i], given[i]);
  }
  return finished(completion, code);
}

TESSERA_MPI_CALL MPI_Start(MPI_Request* request) {
  static const auto real = next("MPI_Start", &PMPI_Start);
  if (seen()) started(*request);
  return real(request);
}

TESSERA_MPI_CALL MPI_Startall(int count, MPI_Request requests[]) {
  static const auto real = next("MPI_Startall", &PMPI_Startall);
  if (seen()) {
    for (const MPI_Request request : all_of(requests, count)) started(request);
  }
  return real(count, requests);
}

TESSERA_SEEN_CALL(MPI_Cancel, (MPI_Request * request), (request), cancelling(*request))

TESSERA_MPI_CALL MPI_Request_free(MPI_Request* request) {
  static const auto real = next("MPI_Request_free", &PMPI_Request_free);
  if (seen()) {
    untrack(*request);
    forget_start(*request);
  }
  return real(request);
}

// Calls of Tessera itself on one process: they only show whether the program's calls come here as well.
TESSERA_MPI_CALL MPI_Is_thread_main(int* flag) {
  static const auto real = next("MPI_Is_thread_main", &PMPI_Is_thread_main);
  note_seen();
  return real(flag);
}

}  // extern "C"
