#include "forebay/base/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace forebay {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // bit-reversed

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    }
    table[byte] = value;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = make_table();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t crc32c_sse42(Bytes bytes, uint32_t previous) {
  uint64_t value = ~previous;
  while (bytes.size() >= 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    value = _mm_crc32_u64(value, word);
    bytes = bytes.subspan(8);
  }
  for (const std::byte byte : bytes) {
    value = _mm_crc32_u8(static_cast<uint32_t>(value), static_cast<uint8_t>(byte));
  }
  return ~static_cast<uint32_t>(value);
}
#endif

}  // namespace

uint32_t crc32c_portable(Bytes bytes, uint32_t previous) {
  uint32_t value = ~previous;
  for (const std::byte byte : bytes) {
    value = (value >> 8) ^ kTable[(value ^ static_cast<uint32_t>(byte)) & 0xff];
  }
  return ~value;
}

uint32_t crc32c(Bytes bytes, uint32_t previous) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) {
    return crc32c_sse42(bytes, previous);
  }
#endif
  return crc32c_portable(bytes, previous);
}

}  // namespace forebay
