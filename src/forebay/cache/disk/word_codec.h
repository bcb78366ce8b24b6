// Little-endian words in a run of bytes, for the formats on disk.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "forebay/base/byte_source.h"

namespace forebay::cache {

static_assert(std::endian::native == std::endian::little);

inline Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

template <class T>
void append_word(std::string* bytes, T value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

/// Reads words one behind the other. The caller has checked that they are there.
class WordReader {
 public:
  explicit WordReader(Bytes bytes) : bytes_(bytes) {}

  template <class T>
  T take() {
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(value));
    bytes_ = bytes_.subspan(sizeof(value));
    return value;
  }

 private:
  Bytes bytes_;
};

}  // namespace forebay::cache
