// Random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011) with a fixed key layout, so a number depends only on what it is used for: not on threads, batch
// size, rank or restart.
//
//   key     (64 bits)  = random_key(seed, epoch, operator key)
//   counter (128 bits) = draw block (32, low word) | sub-position (32) | position (64, high words)
//
// The widths are part of the format of recorded results: changing them changes every augmentation ever drawn.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace forebay {

/// One block of Philox4x32-10: maps a counter of four words and a key of two to four words.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// Mixes two values into a well-distributed 64-bit value (SplitMix64's finaliser over their combination).
uint64_t mix64(uint64_t a, uint64_t b);

/// 64-bit FNV-1a of a name, finalised; the operator key of a named operator.
uint64_t hash64(std::string_view text);

/// The key of one operator in one epoch with one seed.
uint64_t random_key(uint64_t seed, uint64_t epoch, uint64_t operator_key);

/// The random draws of one operator for one sample. A small value; not thread safe.
class RandomStream {
 public:
  RandomStream(uint64_t key, uint64_t position, uint32_t sub_position = 0)
      : key_(key), position_(position), sub_position_(sub_position) {}

  uint32_t next_u32();
  uint64_t next_u64();

  /// Uniform in [0, 1): 24 random bits, every value a multiple of 2^-24.
  float uniform_float();
  /// Uniform in [0, 1): 53 random bits.
  double uniform_double();
  /// Uniform in [low, high); `low` if the range is empty.
  float uniform(float low, float high);
  /// Uniform integer in [0, bound), without bias (Lemire's multiplication with rejection); 0 if bound is 0.
  uint64_t below(uint64_t bound);
  /// Standard normal by Box-Muller in double precision; each pair of draws gives two values.
  double normal();
  bool coin(float probability) { return uniform_float() < probability; }

 private:
  uint64_t key_;
  uint64_t position_;
  uint32_t sub_position_;
  uint32_t block_ = 0;  // next block of four words
  uint32_t left_ = 0;   // words of words_ not yet drawn
  std::array<uint32_t, 4> words_{};
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

}  // namespace forebay
