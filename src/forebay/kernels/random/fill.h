// Arrays of random numbers. Element i depends only on the key and i (Philox4x32-10, base/random/random.h:
// position i / n for blocks of n numbers, draw 0), so any thread can fill any part.
#pragma once

#include <cstdint>
#include <span>

namespace forebay::kernels {

/// Fills `words` with the stream of `key` from word 4 * first_block on; may end within a block.
void random_words(uint64_t key, uint64_t first_block, std::span<uint32_t> words);

/// Fills `out` with elements from index `first` on, which must be a multiple of 4. Uniform in [low, high),
/// with 24 random bits for float and 53 for double.
void fill_uniform(uint64_t key, uint64_t first, double low, double high, std::span<float> out);
void fill_uniform(uint64_t key, uint64_t first, double low, double high, std::span<double> out);
/// Normally distributed, by Box-Muller in double precision (within 1 ulp of libm's result).
void fill_normal(uint64_t key, uint64_t first, double mean, double deviation, std::span<float> out);
void fill_normal(uint64_t key, uint64_t first, double mean, double deviation, std::span<double> out);
/// Uniform among low ... high - 1 (64 bits times the range, so no value is favoured by more than range /
/// 2^64).
void fill_integers(uint64_t key, uint64_t first, int64_t low, int64_t high, std::span<int64_t> out);

}  // namespace forebay::kernels
