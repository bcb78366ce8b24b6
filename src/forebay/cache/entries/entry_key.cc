#include "forebay/cache/entries/entry_key.h"

#include <bit>
#include <cstring>
#include <string>

namespace forebay::cache {
namespace {

struct SipState {
  uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }

  void absorb(uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }

  uint64_t squeeze() {
    for (int i = 0; i < 4; ++i) {
      round();
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

uint64_t last_word(std::string_view tail, size_t total_bytes) {
  uint64_t word = 0;
  std::memcpy(&word, tail.data(), tail.size());  // copy: at most seven bytes
  return word | static_cast<uint64_t>(total_bytes) << 56;
}

}  // namespace

ObjectId siphash128(uint64_t key_low, uint64_t key_high, std::string_view text) {
  SipState state = {key_low ^ 0x736f6d6570736575u, key_high ^ 0x646f72616e646f6du ^ 0xee,
                    key_low ^ 0x6c7967656e657261u, key_high ^ 0x7465646279746573u};
  const size_t total_bytes = text.size();
  while (text.size() >= 8) {
    uint64_t word;
    std::memcpy(&word, text.data(), 8);
    state.absorb(word);
    text.remove_prefix(8);
  }
  state.absorb(last_word(text, total_bytes));
  state.v2 ^= 0xee;
  ObjectId id;
  id.low = state.squeeze();
  state.v1 ^= 0xdd;
  id.high = state.squeeze();
  return id;
}

ObjectId object_id(std::string_view uri, std::string_view version) {
  // The length in front keeps ("ab", "c") and ("a", "bc") apart, whatever bytes they contain.
  const uint64_t uri_bytes = uri.size();
  std::string text(sizeof(uri_bytes), '\0');
  std::memcpy(text.data(), &uri_bytes, sizeof(uri_bytes));
  text.append(uri).append(version);
  return siphash128(0x9c1a5f0e3d7b2846u, 0x27e8b4630fd1c59au, text);
}

}  // namespace forebay::cache
