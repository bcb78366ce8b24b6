#include "forebay/kernels/linear_algebra/blas_target.h"

#include <cblas.h>

#include <cstdlib>
#include <string>

// Exported by builds of OpenBLAS with kernels for several CPUs (DYNAMIC_ARCH); absent from others.
extern "C" {
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] extern void* gotoblas;
}

namespace forebay::kernels {
namespace {

constexpr const char* kChoice = "OPENBLAS_CORETYPE";

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

std::string choose() {
  const bool can_choose = &gotoblas_dynamic_init != nullptr && &gotoblas != nullptr;
  const char* const better = better_target(openblas_get_corename());
  if (can_choose && better != nullptr && std::getenv(kChoice) == nullptr) {
    setenv(kChoice, better, 0);
    gotoblas = nullptr;  // otherwise it would keep its choice
    gotoblas_dynamic_init();
    unsetenv(kChoice);
  }
  return openblas_get_corename();
}

// While the program is loaded, no other thread reads the environment or multiplies.
const std::string target = choose();

}  // namespace

std::string_view blas_target() {
  return target;
}

}  // namespace forebay::kernels
