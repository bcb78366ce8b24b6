// Makes `operator new` fail at chosen allocations of this thread. A program that links failing_new.cc has its
// own `operator new`.
#pragma once

#include <cstdint>
#include <limits>

namespace forebay::memory::testing {

inline constexpr int64_t kAllLater = std::numeric_limits<int64_t>::max();

/// While it lives, `count` allocations of this thread, from number `at` (from 0) on, throw std::bad_alloc;
/// others succeed.
class FailingNew {
 public:
  explicit FailingNew(int64_t at, int64_t count = 1);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;

  /// Whether such an allocation was reached.
  bool has_failed() const;
};

}  // namespace forebay::memory::testing
