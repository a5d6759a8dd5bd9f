// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Preloaded: one call of one function fails on one rank. TESSERA_TEST_FAULT=FUNCTION:N[+][:HOW] chooses the
// N-th call (from 1; with + also all later ones; 0+ is every call) on rank TESSERA_TEST_FAULT_RANK, or on every
// rank. HOW is
//   fail   (default) the call is not made and reports an error
//   after  the call is made, and then reports an error
//   lost   the call is not made and reports success
//   delay  the call is made 200 ms later
//   kill   the process kills itself instead
// TESSERA_TEST_FAULT_COUNTS=DIRECTORY: each rank writes there how often it called each function.
//
// Only calls from the program count, which includes Tessera as it is linked statically, and from libstdc++,
// which makes memory and threads for it. Faults inside MPI or HDF5 would test those libraries. Calls before MPI
// starts do not count, as nothing of Tessera runs then.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "functions.hpp"

namespace tessera::test {
namespace {

enum class How { fail, after, lost, delay, kill };
enum class Verdict { make, fail, after, lose };

struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool has(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return begin <= at && at < end;
  }
};

// What the environment says, and where the callers that count are. Constant while threads run.
struct Plan {
  bool is_active = false, is_counted = false, goes_on = false;
  int rank = -1, function = -1;
  long number = -1;
  How how = How::fail;
  Range program, library;
} plan;

std::array<std::atomic<long>, function_count> calls{};
std::atomic<bool> has_begun{false};

const char* value_of(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The first object is the program.
int find_callers(dl_phdr_info* info, std::size_t, void*) {
  Range range{~std::uintptr_t{0}, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (begin < range.begin) range.begin = begin;
    if (begin + part.p_memsz > range.end) range.end = begin + part.p_memsz;
  }
  if (plan.program.end == 0) plan.program = range;
  if (std::strstr(info->dlpi_name, "libstdc++") != nullptr) plan.library = range;
  return 0;
}

[[noreturn]] void refuse(const char* fault) {
  std::fprintf(stderr, "faults: TESSERA_TEST_FAULT=\"%s\" names no fault\n", fault);
  _exit(2);
}

void read_fault(const char* fault) {
  const char* const colon = std::strchr(fault, ':');
  if (colon == nullptr) refuse(fault);
  const auto length = static_cast<std::size_t>(colon - fault);
  for (std::size_t f = 0; f < function_count; ++f) {
    if (std::strlen(functions[f].name) == length && std::strncmp(functions[f].name, fault, length) == 0)
      plan.function = static_cast<int>(f);
  }
  char* rest = nullptr;
  plan.number = std::strtol(colon + 1, &rest, 10);
  plan.goes_on = *rest == '+';
  if (plan.goes_on) ++rest;
  constexpr const char* hows[] = {":fail", ":after", ":lost", ":delay", ":kill"};
  bool is_known = *rest == 0;
  for (int h = 0; h < 5 && *rest != 0; ++h) {
    if (std::strcmp(rest, hows[h]) != 0) continue;
    plan.how = static_cast<How>(h);
    is_known = true;
  }
  if (plan.function < 0 || rest == colon + 1 || !is_known) refuse(fault);
}

[[gnu::constructor]] void begin() {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) rank = std::getenv("PMI_RANK");
  if (rank == nullptr) return;  // the launcher
  plan.rank = std::atoi(rank);
  dl_iterate_phdr(find_callers, nullptr);
  plan.is_counted = *value_of("TESSERA_TEST_FAULT_COUNTS") != 0;
  const char* const chosen = value_of("TESSERA_TEST_FAULT_RANK");
  if (const char* const fault = value_of("TESSERA_TEST_FAULT"); *fault != 0) {
    read_fault(fault);
    plan.is_active = *chosen == 0 || std::atoi(chosen) == plan.rank;
  }
}

[[gnu::destructor]] void end() {
  if (!plan.is_counted) return;
  char path[4096];
  std::snprintf(path, sizeof path, "%s/%d", value_of("TESSERA_TEST_FAULT_COUNTS"), plan.rank);
  plan.is_counted = false;
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return;
  for (std::size_t f = 0; f < function_count; ++f)
    if (calls[f] > 0) std::fprintf(file, "%s %ld\n", functions[f].name, calls[f].load());
  std::fclose(file);
}

// Not by stdio, whose buffers take memory.
void tell(const char* function, long number) {
  char text[160];
  const int length =
      std::snprintf(text, sizeof text, "fault: rank %d, call %ld of %s\n", plan.rank, number, function);
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, static_cast<std::size_t>(length));
}

Verdict judge(std::size_t function, const void* caller) {
  if (!plan.is_active && !plan.is_counted) return Verdict::make;
  if (!plan.program.has(caller) && !plan.library.has(caller)) return Verdict::make;
  if (function == id_of("MPI_Init_thread")) has_begun = true;
  if (!has_begun) return Verdict::make;
  const long number = ++calls[function];
  if (!plan.is_active || plan.function != static_cast<int>(function)) return Verdict::make;
  if (number != plan.number && !(plan.goes_on && number > plan.number)) return Verdict::make;
  const int error = errno;
  static std::atomic<bool> told{false};
  if (!told.exchange(true)) tell(functions[function].name, number);
  if (plan.how == How::kill) kill(getpid(), SIGKILL);
  if (plan.how == How::delay) usleep(200'000);
  errno = error;
  constexpr Verdict verdicts[] = {Verdict::fail, Verdict::after, Verdict::lose, Verdict::make, Verdict::make};
  return verdicts[static_cast<std::size_t>(plan.how)];
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

template <class Result>
Result failed(std::size_t function) {
  if (functions[function].error != 0) errno = functions[function].error;
  if constexpr (std::is_pointer_v<Result>) {
    return reinterpret_cast<Result>(functions[function].failure);
  } else {
    return static_cast<Result>(functions[function].failure);
  }
}

// A function's result, parameters and promises, by its type.
template <class Signature>
struct Traits;
template <class Result_, class... Args, bool Throws>
struct Traits<Result_(Args...) noexcept(Throws)> {
  using Result = Result_;
  using Parameters = std::tuple<Args...>;
  static constexpr bool is_noexcept = Throws;
};
template <class Signature, std::size_t I>
using Parameter = std::tuple_element_t<I, typename Traits<Signature>::Parameters>;

template <std::size_t Id, class Result, class... Args>
Result call_or_fail(const void* caller, Args... args) {
  const Verdict verdict = judge(Id, caller);
  if (verdict == Verdict::fail) return failed<Result>(Id);
  if (verdict == Verdict::lose) return Result{};
  static const auto real = next<Result(Args...)>(functions[Id].real);
  const Result result = real(args...);
  return verdict == Verdict::after ? failed<Result>(Id) : result;
}

template <std::size_t Id>
int open_or_fail(const void* caller, const char* name, const char* path, int flags, mode_t mode) {
  if (judge(Id, caller) == Verdict::fail) return failed<int>(Id);
  return next<int(const char*, int, ...)>(name)(path, flags, mode);
}

// For large blocks two kinds of calls are counted.
void* allocate(const void* caller, std::size_t bytes, std::size_t alignment) {
  constexpr std::size_t large = 4096;
  const bool refused = judge(id_of("new"), caller) == Verdict::fail ||
                       (bytes >= large && judge(id_of("new_large"), caller) == Verdict::fail);
  if (bytes == 0) bytes = 1;
  void* memory = nullptr;
  if (!refused && (alignment == 0 ? (memory = std::malloc(bytes)) == nullptr
                                  : posix_memalign(&memory, alignment, bytes) != 0))
    memory = nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace
}  // namespace tessera::test

// Defines `symbol` with the type of `original`. Of the parameters, the lists say only how many there are.
#define TESSERA_STAND(symbol, original, name, count)                                              \
  extern "C" tessera::test::Traits<decltype(original)>::Result symbol(TESSERA_PARAMETERS_##count( \
      decltype(original))) noexcept(tessera::test::Traits<decltype(original)>::is_noexcept) {     \
    return tessera::test::call_or_fail<tessera::test::id_of(name),                                \
                                       tessera::test::Traits<decltype(original)>::Result>(        \
        __builtin_return_address(0) TESSERA_ARGUMENTS_##count);                                   \
  }
// Calls of MPI may arrive under either name: Tessera's runtime defines many MPI_ functions itself, and calls
// the PMPI_ ones.
#define TESSERA_STAND_MPI(name, count)                        \
  TESSERA_STAND(MPI_##name, PMPI_##name, "MPI_" #name, count) \
  TESSERA_STAND(PMPI_##name, PMPI_##name, "MPI_" #name, count)
#define TESSERA_STAND_SYSTEM(name, count, failure, error) TESSERA_STAND(name, ::name, #name, count)

#define TESSERA_PARAMETERS_0(S)
#define TESSERA_ARGUMENTS_0
#define TESSERA_PARAMETERS_1(S) tessera::test::Parameter<S, 0> a0
#define TESSERA_ARGUMENTS_1 TESSERA_ARGUMENTS_0, a0
#define TESSERA_PARAMETERS_2(S) TESSERA_PARAMETERS_1(S), tessera::test::Parameter<S, 1> a1
#define TESSERA_ARGUMENTS_2 TESSERA_ARGUMENTS_1, a1
#define TESSERA_PARAMETERS_3(S) TESSERA_PARAMETERS_2(S), tessera::test::Parameter<S, 2> a2
#define TESSERA_ARGUMENTS_3 TESSERA_ARGUMENTS_2, a2
#define TESSERA_PARAMETERS_4(S) TESSERA_PARAMETERS_3(S), tessera::test::Parameter<S, 3> a3
#define TESSERA_ARGUMENTS_4 TESSERA_ARGUMENTS_3, a3
#define TESSERA_PARAMETERS_5(S) TESSERA_PARAMETERS_4(S), tessera::test::Parameter<S, 4> a4
#define TESSERA_ARGUMENTS_5 TESSERA_ARGUMENTS_4, a4
#define TESSERA_PARAMETERS_6(S) TESSERA_PARAMETERS_5(S), tessera::test::Parameter<S, 5> a5
#define TESSERA_ARGUMENTS_6 TESSERA_ARGUMENTS_5, a5
#define TESSERA_PARAMETERS_7(S) TESSERA_PARAMETERS_6(S), tessera::test::Parameter<S, 6> a6
#define TESSERA_ARGUMENTS_7 TESSERA_ARGUMENTS_6, a6
#define TESSERA_PARAMETERS_8(S) TESSERA_PARAMETERS_7(S), tessera::test::Parameter<S, 7> a7
#define TESSERA_ARGUMENTS_8 TESSERA_ARGUMENTS_7, a7
#define TESSERA_PARAMETERS_9(S) TESSERA_PARAMETERS_8(S), tessera::test::Parameter<S, 8> a8
#define TESSERA_ARGUMENTS_9 TESSERA_ARGUMENTS_8, a8
#define TESSERA_PARAMETERS_10(S) TESSERA_PARAMETERS_9(S), tessera::test::Parameter<S, 9> a9
#define TESSERA_ARGUMENTS_10 TESSERA_ARGUMENTS_9, a9
#define TESSERA_PARAMETERS_11(S) TESSERA_PARAMETERS_10(S), tessera::test::Parameter<S, 10> a10
#define TESSERA_ARGUMENTS_11 TESSERA_ARGUMENTS_10, a10
#define TESSERA_PARAMETERS_12(S) TESSERA_PARAMETERS_11(S), tessera::test::Parameter<S, 11> a11
#define TESSERA_ARGUMENTS_12 TESSERA_ARGUMENTS_11, a11

TESSERA_TEST_SYSTEM_CALLS(TESSERA_STAND_SYSTEM)
TESSERA_TEST_MPI_CALLS(TESSERA_STAND_MPI)

extern "C" int open(const char* path, int flags, ...) {
  std::va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  using namespace tessera::test;
  return open_or_fail<id_of("open")>(__builtin_return_address(0), "open", path, flags, mode);
}

void* operator new(std::size_t bytes) { return tessera::test::allocate(__builtin_return_address(0), bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return tessera::test::allocate(__builtin_return_address(0), bytes, static_cast<std::size_t>(alignment));
}
