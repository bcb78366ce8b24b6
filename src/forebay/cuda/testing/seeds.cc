#include "forebay/cuda/testing/seeds.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace forebay::cuda {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint32_t kSlower = 8;
#else
constexpr uint32_t kSlower = 1;
#endif

uint32_t from_environment(const char* name, uint32_t usual) {
  const char* const text = std::getenv(name);
  return text == nullptr ? usual : static_cast<uint32_t>(std::atoi(text));
}

}  // namespace

void for_seeds(uint32_t count, const std::function<void(uint32_t)>& check) {
  const uint32_t only = from_environment("FOREBAY_SEED", 0);
  const uint32_t end = only != 0 ? only + 1 : 1 + from_environment("FOREBAY_SEEDS", count / kSlower);
  for (uint32_t seed = only != 0 ? only : 1; seed < end && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(seed);
  }
}

uint64_t mix(uint64_t value, uint64_t with) {
  value = (value ^ with) * 0x9e3779b97f4a7c15;
  return value ^ (value >> 29);
}

}  // namespace forebay::cuda
