#include "forebay/base/random/permutation.h"

#include <algorithm>
#include <bit>

#include "forebay/base/check.h"
#include "forebay/base/random/random.h"

namespace forebay {
namespace {

constexpr uint32_t kRounds = 8;

}  // namespace

Permutation::Permutation(uint64_t key, uint64_t size) : key_(key), size_(size) {
  const uint32_t bits = size <= 1 ? 1 : static_cast<uint32_t>(std::bit_width(size - 1));
  half_bits_ = std::max(1u, (bits + 1) / 2);
  half_mask_ = half_bits_ == 32 ? ~0u : (1u << half_bits_) - 1;
}

uint32_t Permutation::round_value(uint32_t half, uint32_t round) const {
  const std::array<uint32_t, 2> key = {static_cast<uint32_t>(key_), static_cast<uint32_t>(key_ >> 32)};
  return philox4x32({half, round, 0, 0}, key)[0] & half_mask_;
}

uint64_t Permutation::encrypt(uint64_t block) const {
  uint32_t left = static_cast<uint32_t>(block >> half_bits_);
  uint32_t right = static_cast<uint32_t>(block) & half_mask_;
  for (uint32_t round = 0; round < kRounds; ++round) {
    const uint32_t mixed = left ^ round_value(right, round);
    left = right;
    right = mixed;
  }
  return (static_cast<uint64_t>(left) << half_bits_) | right;
}

uint64_t Permutation::decrypt(uint64_t block) const {
  uint32_t left = static_cast<uint32_t>(block >> half_bits_);
  uint32_t right = static_cast<uint32_t>(block) & half_mask_;
  for (uint32_t round = kRounds; round-- > 0;) {
    const uint32_t mixed = right ^ round_value(left, round);
    right = left;
    left = mixed;
  }
  return (static_cast<uint64_t>(left) << half_bits_) | right;
}

uint64_t Permutation::operator()(uint64_t position) const {
  FOREBAY_CHECK(position < size_);
  uint64_t element = encrypt(position);
  while (element >= size_) {
    element = encrypt(element);
  }
  return element;
}

uint64_t Permutation::inverse(uint64_t element) const {
  FOREBAY_CHECK(element < size_);
  uint64_t position = decrypt(element);
  while (position >= size_) {
    position = decrypt(position);
  }
  return position;
}

}  // namespace forebay
