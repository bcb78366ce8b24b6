#include "forebay/codec/tiff/tiff_samples.h"

#include <bit>
#include <cstring>

namespace forebay::codec {
namespace {

template <class T>
T value_at(const std::byte* row, int64_t index) {
  T value;
  std::memcpy(&value, row + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <class From, class To>
void spread(const std::byte* row, int64_t begin, int64_t count, std::byte* out, int64_t step) {
  To* target = reinterpret_cast<To*>(out);
  for (int64_t i = 0; i < count; ++i) {
    target[i * step] = static_cast<To>(value_at<From>(row, begin + i));
  }
}

/// IEEE 754's binary16.
float float_of_half(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = half >> 10 & 31;
  const uint32_t fraction = half & 1023;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign == 0 ? magnitude : -magnitude;
  }
  const uint32_t widened = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
}

void spread_halves(const std::byte* row, int64_t begin, int64_t count, std::byte* out, int64_t step) {
  float* target = reinterpret_cast<float*>(out);
  for (int64_t i = 0; i < count; ++i) {
    target[i * step] = float_of_half(value_at<uint16_t>(row, begin + i));
  }
}

uint32_t bits_at(const std::byte* row, int64_t index, int bits) {
  const int64_t first = index * bits;
  uint64_t value = 0;
  for (int64_t byte = first / 8; byte <= (first + bits - 1) / 8; ++byte) {
    value = value << 8 | static_cast<uint64_t>(row[byte]);
  }
  const int64_t behind = 7 - (first + bits - 1) % 8;
  return static_cast<uint32_t>(value >> behind & ((uint64_t{1} << bits) - 1));
}

uint32_t triple_at(const std::byte* row, int64_t index) {
  const std::byte* at = row + index * 3;
  const auto byte = [&](int i) { return static_cast<uint32_t>(at[i]); };
  return byte(0) | byte(1) << 8 | byte(2) << 16;
}

template <class T>
void stretch(int bits, const std::byte* row, int64_t begin, int64_t count, std::byte* out, int64_t step) {
  T* target = reinterpret_cast<T*>(out);
  const double white = static_cast<double>(static_cast<T>(~T{0}));
  const double factor = white / static_cast<double>((uint64_t{1} << bits) - 1);
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t value = bits == 24 ? triple_at(row, begin + i) : bits_at(row, begin + i, bits);
    target[i * step] = static_cast<T>(static_cast<double>(value) * factor);
  }
}

}  // namespace

void unpack_tiff_samples(const TiffLayout& layout, const std::byte* row, int64_t begin, int64_t count,
                         std::byte* out, int64_t step) {
  const int bits = layout.bits;
  if (layout.is_float) {
    return bits == 16   ? spread_halves(row, begin, count, out, step)
           : bits == 32 ? spread<float, float>(row, begin, count, out, step)
                        : spread<double, float>(row, begin, count, out, step);
  }
  if (bits == 8) {
    return spread<uint8_t, uint8_t>(row, begin, count, out, step);
  }
  if (bits == 16) {
    return spread<uint16_t, uint16_t>(row, begin, count, out, step);
  }
  if (bits == 32) {
    return spread<uint32_t, uint32_t>(row, begin, count, out, step);
  }
  return bits < 8    ? stretch<uint8_t>(bits, row, begin, count, out, step)
         : bits < 16 ? stretch<uint16_t>(bits, row, begin, count, out, step)
                     : stretch<uint32_t>(bits, row, begin, count, out, step);
}

uint32_t tiff_sample_at(const TiffLayout& layout, const std::byte* row, int64_t index) {
  return layout.bits == 8    ? static_cast<uint32_t>(row[index])
         : layout.bits == 16 ? value_at<uint16_t>(row, index)
                             : bits_at(row, index, layout.bits);
}

}  // namespace forebay::codec
