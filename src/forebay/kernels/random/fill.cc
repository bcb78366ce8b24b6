#include "forebay/kernels/random/fill.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "forebay/base/random/random.h"

namespace forebay::kernels {
namespace {

constexpr int kBlocksAtOnce = 16;  // blocks made side by side
constexpr int kRounds = 10;
constexpr size_t kWords = size_t{1} << 10;  // made at a time

// The constants of Philox4x32 (Salmon et al., SC 2011).
constexpr uint64_t kMultiplier0 = 0xD2511F53;
constexpr uint64_t kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9;
constexpr uint32_t kWeyl1 = 0xBB67AE85;

using Lanes = std::array<uint32_t, kBlocksAtOnce>;

/// Makes sixteen consecutive blocks: the same numbers as base's philox4x32, in a form that compilers
/// vectorise.
void make_blocks(uint64_t key, uint64_t first_block, uint32_t* words) {
  Lanes a{};
  Lanes b{};
  Lanes c;
  Lanes d;
  for (int i = 0; i < kBlocksAtOnce; ++i) {
    const uint64_t position = first_block + static_cast<uint64_t>(i);
    c[i] = static_cast<uint32_t>(position);
    d[i] = static_cast<uint32_t>(position >> 32);
  }
  auto key0 = static_cast<uint32_t>(key);
  auto key1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kBlocksAtOnce; ++i) {
      const uint64_t product0 = kMultiplier0 * a[i];
      const uint64_t product1 = kMultiplier1 * c[i];
      a[i] = static_cast<uint32_t>(product1 >> 32) ^ b[i] ^ key0;
      b[i] = static_cast<uint32_t>(product1);
      c[i] = static_cast<uint32_t>(product0 >> 32) ^ d[i] ^ key1;
      d[i] = static_cast<uint32_t>(product0);
    }
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  for (int i = 0; i < kBlocksAtOnce; ++i) {
    words[4 * i] = a[i];
    words[4 * i + 1] = b[i];
    words[4 * i + 2] = c[i];
    words[4 * i + 3] = d[i];
  }
}

uint64_t word_pair(const uint32_t* words, size_t index) {
  return words[2 * index] | uint64_t{words[2 * index + 1]} << 32;
}

/// Calls `take(words, count)` for runs of `count` numbers, `words_each` words each, from number `first` on.
template <class Take>
void for_runs(uint64_t key, uint64_t first, size_t count, size_t words_each, Take&& take) {
  std::array<uint32_t, kWords> words;
  const size_t run = kWords / words_each;
  for (size_t done = 0; done < count; done += run) {
    const size_t length = std::min(run, count - done);
    const size_t needed = (length * words_each + 3) / 4 * 4;
    random_words(key, (first + done) * words_each / 4, {words.data(), needed});
    take(words.data(), done, length);
  }
}

/// A pair of normally distributed numbers from 53 random bits each.
std::array<double, 2> normal_pair(uint64_t first, uint64_t second) {
  const double radius = std::sqrt(-2.0 * std::log((static_cast<double>(first >> 11) + 1.0) * 0x1p-53));
  const double angle = 2.0 * std::numbers::pi * (static_cast<double>(second >> 11) * 0x1p-53);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

template <class T>
void fill_normal_of(uint64_t key, uint64_t first, double mean, double deviation, std::span<T> out) {
  for_runs(key, first, out.size(), 2, [&](const uint32_t* words, size_t done, size_t length) {
    for (size_t i = 0; i < length; i += 2) {
      const std::array<double, 2> pair = normal_pair(word_pair(words, i), word_pair(words, i + 1));
      out[done + i] = static_cast<T>(mean + deviation * pair[0]);
      if (i + 1 < length) {
        out[done + i + 1] = static_cast<T>(mean + deviation * pair[1]);
      }
    }
  });
}

}  // namespace

void random_words(uint64_t key, uint64_t first_block, std::span<uint32_t> words) {
  constexpr size_t kAtOnce = 4 * kBlocksAtOnce;
  size_t at = 0;
  for (; at + kAtOnce <= words.size(); at += kAtOnce) {
    make_blocks(key, first_block + at / 4, words.data() + at);
  }
  if (at < words.size()) {
    std::array<uint32_t, kAtOnce> rest;
    make_blocks(key, first_block + at / 4, rest.data());
    std::copy_n(rest.data(), words.size() - at, words.data() + at);
  }
}

void fill_uniform(uint64_t key, uint64_t first, double low, double high, std::span<float> out) {
  const auto start = static_cast<float>(low);
  const auto end = static_cast<float>(high);
  const auto range = static_cast<float>(high - low);
  for_runs(key, first, out.size(), 1, [&](const uint32_t* words, size_t done, size_t length) {
    for (size_t i = 0; i < length; ++i) {
      const float value = start + static_cast<float>(words[i] >> 8) * 0x1p-24F * range;
      out[done + i] = value < end ? value : start;  // rounding may reach the end, which is excluded
    }
  });
}

void fill_uniform(uint64_t key, uint64_t first, double low, double high, std::span<double> out) {
  for_runs(key, first, out.size(), 2, [&](const uint32_t* words, size_t done, size_t length) {
    for (size_t i = 0; i < length; ++i) {
      const double value = low + static_cast<double>(word_pair(words, i) >> 11) * 0x1p-53 * (high - low);
      out[done + i] = value < high ? value : low;
    }
  });
}

void fill_normal(uint64_t key, uint64_t first, double mean, double deviation, std::span<float> out) {
  fill_normal_of(key, first, mean, deviation, out);
}

void fill_normal(uint64_t key, uint64_t first, double mean, double deviation, std::span<double> out) {
  fill_normal_of(key, first, mean, deviation, out);
}

void fill_integers(uint64_t key, uint64_t first, int64_t low, int64_t high, std::span<int64_t> out) {
  const auto range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  for_runs(key, first, out.size(), 2, [&](const uint32_t* words, size_t done, size_t length) {
    for (size_t i = 0; i < length; ++i) {
      const auto scaled = static_cast<unsigned __int128>(word_pair(words, i)) * range;
      out[done + i] = low + static_cast<int64_t>(static_cast<uint64_t>(scaled >> 64));
    }
  });
}

}  // namespace forebay::kernels
