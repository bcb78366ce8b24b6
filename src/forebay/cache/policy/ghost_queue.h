// What was evicted lately, as 32-bit fingerprints in the order of eviction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace forebay::cache {

/// Thread compatible. 12 to 20 bytes a ghost. Two entries may share a fingerprint; one of them is then
/// remembered by mistake, which costs nothing but a worse guess.
class GhostQueue {
 public:
  void push(uint32_t fingerprint);
  /// Forgets the fingerprint; returns whether it was there.
  bool take(uint32_t fingerprint);
  /// Forgets the oldest until at most `limit` are left.
  void trim(size_t limit);
  size_t size() const { return size_; }
  size_t memory_bytes() const;

 private:
  struct Ghost {
    uint32_t fingerprint;
    bool is_taken;
  };

  size_t home_of(uint32_t fingerprint) const;
  size_t find(uint32_t fingerprint) const;
  void forget(size_t place);
  void grow();
  Ghost& ghost(uint32_t sequence) { return queue_[sequence - first_]; }
  const Ghost& ghost(uint32_t sequence) const { return queue_[sequence - first_]; }

  std::deque<Ghost> queue_;      // oldest first
  uint32_t first_ = 1;           // the sequence number of the oldest
  std::vector<uint32_t> table_;  // open addressing, linear probing: sequence numbers by fingerprint; 0: free
  size_t size_ = 0;
};

}  // namespace forebay::cache
