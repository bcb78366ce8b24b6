#include "forebay/kernels/linear_algebra/blas_library.h"

#include <cblas.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <new>
#include <string_view>
#include <vector>

#include "forebay/kernels/linear_algebra/with_variable.h"

namespace forebay::kernels {
namespace {

static_assert(sizeof(blasint) == sizeof(int) && sizeof(CBLAS_ORDER) == sizeof(int));

constexpr char kSystemFile[] = "libopenblas.so.0";
constexpr char kFileOfWheels[] = "_blas.so";  // beside the module; it links the OpenBLAS of the wheel
constexpr char kTargetVariable[] = "OPENBLAS_CORETYPE";

/// The best kernels for the features that the CPU reports; null: keep the choice.
const char* better_target(std::string_view chosen) {
#if defined(__x86_64__)
  const bool is_fallback = chosen == "Prescott" || chosen == "Core2" || chosen == "Nehalem";
  if (!is_fallback) {
    return nullptr;
  }
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx512) {
    return "SkylakeX";
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell" : nullptr;
#else
  static_cast<void>(chosen);
  return nullptr;
#endif
}

template <class T>
bool look_up_blas(void* library, const char* name, T& found) {
  found = reinterpret_cast<T>(dlsym(library, name));
  return found != nullptr;
}

/// Builds of OpenBLAS with kernels for several CPUs (DYNAMIC_ARCH) export what selects them.
void select_kernels(void* library, std::string_view chosen) {
  const char* const better = better_target(chosen);
  void (*init)() = nullptr;
  void** selected = nullptr;
  const bool can_select =
      look_up_blas(library, "gotoblas_dynamic_init", init) && look_up_blas(library, "gotoblas", selected);
  if (!can_select || better == nullptr || std::getenv(kTargetVariable) != nullptr) {
    return;
  }
  with_variable(std::string(kTargetVariable) + "=" + better, [&] {
    *selected = nullptr;  // otherwise it would keep its choice
    init();
  });
}

struct OpenedFile {
  void* library = nullptr;
  std::string name;
  bool was_there = false;  // somebody else in this process uses it
};

/// The first file that can be opened; else why none can.
Result<OpenedFile> open_first(std::span<const std::string> files) {
  std::string reasons;
  for (const std::string& file : files) {
    if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) {
      return OpenedFile{library, file, true};
    }
    void* library = nullptr;
    with_variable("OPENBLAS_NUM_THREADS=1", [&] { library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); });
    if (library != nullptr) {
      return OpenedFile{library, file, false};
    }
    reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", dlerror());
  }
  return failed_precondition(
      "products of matrices need OpenBLAS: {}; install it (Debian: libopenblas0-pthread)",
      reasons.empty() ? "no file was named" : reasons);
}

/// Beside the file that this code is in, if the loader tells where that lies; else empty.
std::string file_of_wheels() {
  Dl_info found{};
  const bool is_found = dladdr(reinterpret_cast<const void*>(&file_of_wheels), &found) != 0;
  const std::filesystem::path own = is_found && found.dli_fname != nullptr ? found.dli_fname : "";
  return own.is_absolute() ? (own.parent_path() / kFileOfWheels).string() : "";
}

Result<BlasLibrary> open_known() {
  std::vector<std::string> files;
  std::error_code ignored;
  const std::string inside = file_of_wheels();
  if (std::filesystem::exists(inside, ignored)) {
    files.push_back(inside);
  }
  files.emplace_back(kSystemFile);
  return open_blas_library(files);
}

/// What the process has opened. Its lock is held for milliseconds by who opens; a child that was forked
/// meanwhile, in which nobody would ever release it, gets a new one.
struct OpenedOnce {
  OpenedOnce() {
    pthread_atfork(nullptr, nullptr, [] { new (&of_process->mutex) std::mutex; });
  }

  static OpenedOnce* const of_process;  // never destroyed: threads may multiply during process exit
  std::mutex mutex;
  std::atomic<const BlasLibrary*> library{nullptr};
};

OpenedOnce* const OpenedOnce::of_process = new OpenedOnce;

}  // namespace

void BlasLibrary::make_buffers(int count) const {
  constexpr int kForProducts = 0;  // of matrices
  if (take_buffer == nullptr || count == 0) {
    return;
  }
  void* const buffer = take_buffer(kForProducts);
  make_buffers(count - 1);
  if (buffer != nullptr) {  // else it has no place for more
    return_buffer(buffer);
  }
}

Result<BlasLibrary> open_blas_library(std::span<const std::string> files) {
  FOREBAY_ASSIGN_OR_RETURN(const OpenedFile file, open_first(files));
  BlasLibrary blas;
  decltype(&openblas_get_parallel) get_parallel = nullptr;
  decltype(&openblas_get_corename) get_target = nullptr;
  decltype(&openblas_set_num_threads) set_threads = nullptr;
  const bool is_whole = look_up_blas(file.library, "cblas_sgemm", blas.sgemm) &&
                        look_up_blas(file.library, "cblas_dgemm", blas.dgemm) &&
                        look_up_blas(file.library, "openblas_get_parallel", get_parallel) &&
                        look_up_blas(file.library, "openblas_get_corename", get_target) &&
                        look_up_blas(file.library, "openblas_set_num_threads", set_threads);
  if (!is_whole) {
    dlclose(file.library);
    return failed_precondition("products of matrices need OpenBLAS, and {} lacks its functions", file.name);
  }
  const bool has_buffers = look_up_blas(file.library, "blas_memory_alloc", blas.take_buffer) &&
                           look_up_blas(file.library, "blas_memory_free", blas.return_buffer);
  if (!has_buffers) {
    blas.take_buffer = nullptr;
  }
  if (!file.was_there) {  // never closed: OpenBLAS has handlers for fork() and exit()
    select_kernels(file.library, get_target());
  }
  set_threads(1);
  blas.has_threads = get_parallel() != 0;
  blas.target = get_target();
  return blas;
}

Result<const BlasLibrary*> blas_library() {
  OpenedOnce& opened = *OpenedOnce::of_process;
  if (const BlasLibrary* const known = opened.library.load(std::memory_order_acquire)) {
    return known;
  }
  const std::lock_guard lock(opened.mutex);
  if (const BlasLibrary* const known = opened.library.load(std::memory_order_acquire)) {
    return known;
  }
  FOREBAY_ASSIGN_OR_RETURN(const BlasLibrary blas, open_known());
  const auto* const kept = new BlasLibrary(blas);
  opened.library.store(kept, std::memory_order_release);
  return kept;
}

}  // namespace forebay::kernels
