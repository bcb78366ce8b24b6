#include "forebay/kernels/linear_algebra/blas_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "forebay/kernels/linear_algebra/with_variable.h"

namespace forebay::kernels {
namespace {

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

/// The handle and whose it is; a null handle if no file can be opened, and then why.
void* open_first(std::span<const std::string> files, std::string& name, std::string& why) {
  void* library = nullptr;
  for (const std::string& file : files) {
    with_variable("OPENBLAS_NUM_THREADS=1", [&] { library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); });
    if (library != nullptr) {
      name = file;
      return library;
    }
    why = dlerror();
  }
  return nullptr;
}

std::string file_of_wheels() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&file_of_wheels), &found) == 0 || found.dli_fname == nullptr) {
    return "";
  }
  return (std::filesystem::path(found.dli_fname).parent_path() / kFileOfWheels).string();
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

}  // namespace

Result<BlasLibrary> open_blas_library(std::span<const std::string> files) {
  std::string name;
  std::string why = "no file was named";
  void* const library = open_first(files, name, why);
  if (library == nullptr) {
    return failed_precondition(
        "products of matrices need OpenBLAS: {}; install it (Debian: libopenblas0-pthread)", why);
  }
  BlasLibrary blas;
  decltype(&openblas_set_num_threads) set_threads = nullptr;
  const bool is_whole = look_up_blas(library, "cblas_sgemm", blas.sgemm) &&
                        look_up_blas(library, "cblas_dgemm", blas.dgemm) &&
                        look_up_blas(library, "openblas_get_parallel", blas.threads) &&
                        look_up_blas(library, "openblas_get_corename", blas.target) &&
                        look_up_blas(library, "openblas_set_num_threads", set_threads);
  if (!is_whole) {
    dlclose(library);
    return failed_precondition("products of matrices need OpenBLAS, and {} lacks its functions", name);
  }
  select_kernels(library, blas.target());
  set_threads(1);  // it may have been there before
  return blas;
}

Result<const BlasLibrary*> blas_library() {
  // Never closed: OpenBLAS has handlers for fork() and exit().
  static const auto& opened = *new Result<BlasLibrary>(open_known());
  if (!opened.ok()) {
    return opened.status();
  }
  return &*opened;
}

}  // namespace forebay::kernels
