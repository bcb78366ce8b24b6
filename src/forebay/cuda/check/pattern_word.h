// A pattern that makes every place in memory distinguishable: each word depends on its index and a seed. Host
// code and the kernels of pattern.cu compute the same.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define FOREBAY_HOST_DEVICE __host__ __device__
#else
#define FOREBAY_HOST_DEVICE
#endif

namespace forebay::cuda {

/// Mixes like the last step of MurmurHash3 (A. Appleby): injective in `place` for each seed.
FOREBAY_HOST_DEVICE constexpr uint32_t pattern_word(uint32_t place, uint32_t seed) {
  uint32_t word = place ^ (seed * 0x9E3779B9u);
  word ^= word >> 16;
  word *= 0x85EBCA6Bu;
  word ^= word >> 13;
  word *= 0xC2B2AE35u;
  word ^= word >> 16;
  return word;
}

}  // namespace forebay::cuda
