// The kernels of pattern.h. The words are strided over the threads, so any grid covers any length.
#include "forebay/cuda/check/pattern_word.h"

using forebay::cuda::pattern_word;

extern "C" __global__ void forebay_fill_pattern(uint32_t* words, uint32_t count, uint32_t seed) {
  const uint32_t stride = gridDim.x * blockDim.x;
  for (uint64_t place = blockIdx.x * blockDim.x + threadIdx.x; place < count; place += stride) {
    words[place] = pattern_word(static_cast<uint32_t>(place), seed);
  }
}

extern "C" __global__ void forebay_count_wrong_words(const uint32_t* words, uint32_t count, uint32_t seed,
                                                     uint32_t* wrong) {
  const uint32_t stride = gridDim.x * blockDim.x;
  uint32_t found = 0;
  for (uint64_t place = blockIdx.x * blockDim.x + threadIdx.x; place < count; place += stride) {
    found += words[place] != pattern_word(static_cast<uint32_t>(place), seed) ? 1 : 0;
  }
  if (found != 0) {
    atomicAdd(wrong, found);
  }
}
