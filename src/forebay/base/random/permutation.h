// The order of an epoch as arithmetic: a keyed permutation of [0, n) that is evaluated at any point in
// constant time and memory. So shuffling is global, resuming needs no replay, and prefetch and eviction can
// look ahead.
//
// Method: a balanced Feistel network of `kRounds` rounds over the smallest even number of bits that holds n,
// with cycle walking back into the range (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
// The round function is one Philox block, so (key, n) determine the order on every machine.
#pragma once

#include <cstdint>

namespace forebay {

class Permutation {
 public:
  /// A permutation of [0, size); size 0 is allowed but cannot be evaluated.
  Permutation(uint64_t key, uint64_t size);

  /// The element at `position`, which must be below size().
  uint64_t operator()(uint64_t position) const;

  /// The position of `element`: the inverse of operator().
  uint64_t inverse(uint64_t element) const;

  uint64_t size() const { return size_; }

 private:
  uint64_t encrypt(uint64_t block) const;
  uint64_t decrypt(uint64_t block) const;
  uint32_t round_value(uint32_t half, uint32_t round) const;

  uint64_t key_;
  uint64_t size_;
  uint32_t half_bits_;
  uint32_t half_mask_;
};

}  // namespace forebay
