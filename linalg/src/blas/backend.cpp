// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/backend.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <tessera/runtime/detail/warn.hpp>

#include "format.hpp"

// The BLAS library is known only at run time: Debian's alternatives, or the loader, choose it. So its functions
// are looked up by name.
namespace tessera::linalg {
namespace {

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// The file that a function of a library was loaded from; empty if there is no such function.
std::string file_of(const char* function) {
  Dl_info info{};
  void* const address = dlsym(RTLD_DEFAULT, function);
  if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const auto file = std::filesystem::canonical(info.dli_fname, error);  // its name mostly has the version
  return error ? info.dli_fname : file.string();
}

// Instruction sets; each includes those before it.
enum class Level { unknown, sse, avx, avx2, avx512 };

const char* name_of(Level level) {
  constexpr std::array names{"unknown", "SSE", "AVX", "AVX2", "AVX-512"};
  return names[static_cast<std::size_t>(level)];
}

Level of_this_processor() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) return Level::avx512;
  if (__builtin_cpu_supports("avx2")) return Level::avx2;
  return __builtin_cpu_supports("avx") ? Level::avx : Level::sse;
#else
  return Level::unknown;
#endif
}

// The instruction sets of OpenBLAS's cores (its TargetList.txt). core_to_ask_for() names one core of each set.
Level of_kernels(std::string_view core) {
  struct Core {
    std::string_view name;
    Level level;
  };
  constexpr std::array cores{
      Core{"SkylakeX", Level::avx512}, Core{"Cooperlake", Level::avx512}, Core{"SapphireRapids", Level::avx512},
      Core{"Haswell", Level::avx2},    Core{"Zen", Level::avx2},          Core{"Excavator", Level::avx2},
      Core{"Sandybridge", Level::avx}, Core{"Bulldozer", Level::avx},     Core{"Piledriver", Level::avx},
      Core{"Steamroller", Level::avx}, Core{"Nehalem", Level::sse},       Core{"Prescott", Level::sse},
      Core{"Core2", Level::sse},       Core{"Penryn", Level::sse},        Core{"Dunnington", Level::sse},
      Core{"Barcelona", Level::sse},   Core{"Katmai", Level::sse},        Core{"Atom", Level::sse},
      Core{"Nano", Level::sse},        Core{"Bobcat", Level::sse},        Core{"Opteron", Level::sse},
      Core{"Opteron_SSE3", Level::sse}};
  const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
  const auto found = std::ranges::find_if(
      cores, [&](const Core& known) { return std::ranges::equal(known.name, core, same); });
  return found == cores.end() ? Level::unknown : found->level;
}

const char* core_to_ask_for(Level level) {
  return level == Level::avx512 ? "SkylakeX" : level == Level::avx2 ? "Haswell" : "Sandybridge";
}

// Seen with kernels of all kinds; tests/linalg/test_blas_reads.cpp checks the BLAS in use.
std::vector<std::string> defects_of(std::string_view blas) {
  if (blas != "OpenBLAS 0.3.21") return {};
  return {
      "cgemv, zgemv, chemv and zhemv, and ssymv and dsymv with kernels for Prescott, read up to 32 bytes "
      "behind a "
      "vector, and crash where memory ends there; Tessera leaves room behind all that it hands to BLAS and "
      "ScaLAPACK",
      "ssymv with kernels for processors without AVX, but Nehalem's, may give NaN: it multiplies numbers that "
      "earlier calls left by zero; Tessera computes eigenvalues of single precision in double precision there"};
}

int processors_of_this_process() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

}  // namespace

BackendReport backend_report(const Group& group) {
  BackendReport report;
  report.blas = "unknown BLAS";
  report.processors = processors_of_this_process();
  report.scalapack = file_of("pdgemm_");
  report.elpa = file_of("elpa_init");
  for (int rank = 0; rank < group.size(); ++rank)
    report.processes += static_cast<int>(group.node_of(rank) == group.node_of(group.rank()));
  if (auto* config = find<char*()>("openblas_get_config")) {
    // "OpenBLAS 0.3.21 DYNAMIC_ARCH ...": the build options follow the version.
    const std::string text = config();
    const std::size_t space = text.find(' ');
    report.blas = text.substr(0, space == std::string::npos ? space : text.find(' ', space + 1));
    report.defects = defects_of(report.blas);
    if (auto* core = find<char*()>("openblas_get_corename")) report.kernels = core();
    if (auto* threads = find<int()>("openblas_get_num_threads")) report.threads = threads();
    const Level have = of_kernels(report.kernels), could = of_this_processor();
    if (have != Level::unknown && have < could) {
      report.warnings.push_back(formatted(
          "OpenBLAS uses its kernels for {} ({}), and this processor has {}: OPENBLAS_CORETYPE={} may be "
          "faster",
          report.kernels, name_of(have), name_of(could), core_to_ask_for(could)));
    }
  } else if (auto* version = find<char*()>("bli_info_get_version_str")) {
    report.blas = formatted("BLIS {}", version());
    if (auto* threads = find<long()>("bli_thread_get_num_threads"))
      report.threads = static_cast<int>(threads());
  } else if (auto* most = find<int()>("mkl_get_max_threads")) {
    report.blas = "MKL";
    report.threads = most();
  }
  // A bound process has its processors for itself; unbound processes share the processors of the node.
  const bool bound =
      report.processors > 0 && report.processors * 2 <= static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const int wanted = report.threads * (bound ? 1 : report.processes);
  if (report.processors > 0 && wanted > report.processors) {
    report.warnings.push_back(
        formatted("{} threads of BLAS share {} processors ({} for each of {} processes): set "
                  "OPENBLAS_NUM_THREADS={}, or what "
                  "your BLAS calls it",
                  wanted, report.processors, report.threads, bound ? 1 : report.processes,
                  std::max(1, report.processors / (bound ? 1 : report.processes))));
  }
  return report;
}

bool detail::reads_stale_numbers() {
  static const bool result = [] {
    auto* const core = find<char*()>("openblas_get_corename");
    const std::string_view name = core == nullptr ? "" : core();
    return of_kernels(name) == Level::sse && name != "Nehalem";
  }();
  return result;
}

std::string BackendReport::text() const {
  std::string text = blas;
  if (!kernels.empty()) text += formatted(", kernels for {}", kernels);
  if (threads > 0) text += formatted(", {} thread{} for each call", threads, threads == 1 ? "" : "s");
  text += formatted("; {} process{} of the group and {} processors here\n", processes,
                    processes == 1 ? "" : "es", processors);
  for (const std::string& warning : warnings) text += formatted("Warning: {}\n", warning);
  for (const std::string& defect : defects) text += formatted("Known defect: {}\n", defect);
  return text;
}

void detail::warn_of_backend(const Group& group) {
  static std::atomic<bool> has_warned{false};
  if (has_warned.load(std::memory_order_relaxed) || has_warned.exchange(true)) return;
  if (group.rank() != 0) return;
  for (const std::string& warning : backend_report(group).warnings) tessera::detail::warn(warning);
}

}  // namespace tessera::linalg
