// Makes `operator new` fail at a chosen allocation of this thread. A program that links failing_new.cc has
// its own `operator new`.
#pragma once

#include <cstdint>

namespace forebay::operators::testing {

/// While it lives, allocation number `at` (from 0) of this thread throws std::bad_alloc; later ones succeed.
class FailingNew {
 public:
  explicit FailingNew(int64_t at);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;

  /// Whether that allocation was reached.
  bool has_failed() const;
};

}  // namespace forebay::operators::testing
