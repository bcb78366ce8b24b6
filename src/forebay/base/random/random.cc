#include "forebay/base/random/random.h"

#include <cmath>
#include <numbers>

namespace forebay {

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  constexpr uint64_t kMultiplier0 = 0xD2511F53;
  constexpr uint64_t kMultiplier1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9;
  constexpr uint32_t kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = kMultiplier0 * counter[0];
    const uint64_t product1 = kMultiplier1 * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

uint64_t mix64(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15u + b;
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9u;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

uint64_t hash64(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) {
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3u;
  }
  return mix64(hash, text.size());
}

uint64_t random_key(uint64_t seed, uint64_t epoch, uint64_t operator_key) {
  return mix64(mix64(seed, epoch), operator_key);
}

uint32_t RandomStream::next_u32() {
  if (left_ == 0) {
    words_ = philox4x32(
        {block_, sub_position_, static_cast<uint32_t>(position_), static_cast<uint32_t>(position_ >> 32)},
        {static_cast<uint32_t>(key_), static_cast<uint32_t>(key_ >> 32)});
    ++block_;
    left_ = 4;
  }
  return words_[4 - left_--];
}

uint64_t RandomStream::next_u64() {
  const uint64_t low = next_u32();
  return low | (static_cast<uint64_t>(next_u32()) << 32);
}

float RandomStream::uniform_float() {
  return static_cast<float>(next_u32() >> 8) * 0x1p-24f;
}

double RandomStream::uniform_double() {
  return static_cast<double>(next_u64() >> 11) * 0x1p-53;
}

float RandomStream::uniform(float low, float high) {
  const float value = low + (high - low) * uniform_float();
  return value < high ? value : low;  // rounding may reach `high`, which is excluded
}

uint64_t RandomStream::below(uint64_t bound) {
  if (bound == 0) {
    return 0;
  }
  const uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const unsigned __int128 product = static_cast<unsigned __int128>(next_u64()) * bound;
    if (static_cast<uint64_t>(product) >= threshold) {
      return static_cast<uint64_t>(product >> 64);
    }
  }
}

double RandomStream::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform_double()));
  const double angle = 2.0 * std::numbers::pi * uniform_double();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

}  // namespace forebay
