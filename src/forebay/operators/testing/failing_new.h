// Makes `operator new` fail at a chosen allocation of this thread. A program that includes failing_new.cc's
// object has its own `operator new`.
#pragma once

#include <cstdint>

namespace forebay::operators::testing {

/// While it lives, the allocation number `at` (from 0) of this thread throws std::bad_alloc; those after it
/// succeed.
class FailingNew {
 public:
  explicit FailingNew(int64_t at);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;

  /// Whether so many allocations came.
  bool has_failed() const;
};

}  // namespace forebay::operators::testing
