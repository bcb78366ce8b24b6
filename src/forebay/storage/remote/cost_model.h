// What a request to a store costs: so long until its first byte, and so many bytes a second from there on.
// Learnt from the answers, while it runs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace forebay::storage {

/// Exponentially weighted means. Thread safe, and without a lock, which a fork could leave locked; of two
/// answers at the same moment one may go unnoticed.
class CostModel {
 public:
  /// An answer whose first byte came after `first_byte_ns`, and its `bytes` within `body_ns` after that.
  void observe(int64_t first_byte_ns, int64_t body_ns, uint64_t bytes);

  int64_t latency_ns() const;
  double bytes_per_second() const;

  int64_t expected_ns(uint64_t bytes) const;
  /// So many bytes cost as much as a request of their own: the widest gap that is worth reading over.
  uint64_t bytes_worth_a_request() const;
  /// Into how many parts a read of `bytes` is best cut: none shorter than what its own latency is worth
  /// twice.
  size_t parts_of(uint64_t bytes, size_t most) const;

 private:
  std::atomic<double> latency_ns_{20e6};
  std::atomic<double> bytes_per_ns_{0.05};
};

}  // namespace forebay::storage
