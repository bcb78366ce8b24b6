// Arrays of random numbers. Element i depends on the key and on i alone (Philox4x32-10, base/random/random.h:
// position i / n for blocks of n numbers, draw 0), so that any part can be filled by anybody.
#pragma once

#include <cstdint>
#include <span>

namespace forebay::kernels {

/// Words 4 * first_block ... of the stream of `key`; `words` may end within a block.
void random_words(uint64_t key, uint64_t first_block, std::span<uint32_t> words);

/// Values `first` ... of arrays of random numbers; `first` is a multiple of 4.
/// Uniform in [low, high): 24 random bits, or 53.
void fill_uniform(uint64_t key, uint64_t first, double low, double high, std::span<float> out);
void fill_uniform(uint64_t key, uint64_t first, double low, double high, std::span<double> out);
/// Normal, by Box-Muller in double precision (within 1 ulp of libm's).
void fill_normal(uint64_t key, uint64_t first, double mean, double deviation, std::span<float> out);
void fill_normal(uint64_t key, uint64_t first, double mean, double deviation, std::span<double> out);
/// Uniform among low ... high - 1 (64 bits times the range, so that no value is favoured by more than range /
/// 2^64).
void fill_integers(uint64_t key, uint64_t first, int64_t low, int64_t high, std::span<int64_t> out);

}  // namespace forebay::kernels
