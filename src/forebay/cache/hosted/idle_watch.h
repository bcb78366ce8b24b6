// When a daemon has had nobody to serve for long enough.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace forebay::cache {

/// Thread compatible. `allowed_ns` 0: it may be idle for ever.
class IdleWatch {
 public:
  IdleWatch(int64_t allowed_ns, int64_t now_ns) : allowed_ns_(allowed_ns), since_ns_(now_ns) {}

  /// `users` at the moment, and how many have `gone`: one may have come and gone between two looks.
  /// A connection that is there at one look alone may yet turn out to be no user, so it only puts the end
  /// off.
  bool is_over(size_t users, uint64_t gone, int64_t now_ns) {
    if (std::min(users, std::exchange(users_, users)) > 0 || gone != gone_) {
      gone_ = gone;
      since_ns_ = now_ns;
    }
    return users == 0 && allowed_ns_ > 0 && now_ns - since_ns_ >= allowed_ns_;
  }

 private:
  const int64_t allowed_ns_;
  int64_t since_ns_;
  size_t users_ = 0;
  uint64_t gone_ = 0;
};

}  // namespace forebay::cache
