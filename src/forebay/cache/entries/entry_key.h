// What names cached bytes: one version of one object, and where in it they begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace forebay::cache {

/// One version of one object, as a 128-bit hash of its URI and version.
struct ObjectId {
  uint64_t high = 0;
  uint64_t low = 0;

  friend bool operator==(const ObjectId&, const ObjectId&) = default;
};

/// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012) and
/// a fixed key, so that all processes and runs agree. Files keep URI and version in full, and those are
/// compared when an entry is first used, so an unlucky hash costs a read and never gives wrong bytes.
ObjectId object_id(std::string_view uri, std::string_view version);

/// SipHash-2-4-128 of `text`; the key is given as two words.
ObjectId siphash128(uint64_t key_low, uint64_t key_high, std::string_view text);

/// One entry: the bytes of `object` from `start_bytes` on. Their number belongs to the entry, not to its
/// name.
struct EntryKey {
  ObjectId object;
  uint64_t start_bytes = 0;

  friend bool operator==(const EntryKey&, const EntryKey&) = default;

  /// Well distributed; the same in all runs.
  uint64_t hash() const {
    uint64_t mixed = object.low ^ (start_bytes * 0x9E3779B97F4A7C15u);
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93u;
    return mixed ^ (mixed >> 32) ^ object.high;
  }
};

struct EntryKeyHash {
  size_t operator()(const EntryKey& key) const { return key.hash(); }
};

}  // namespace forebay::cache
