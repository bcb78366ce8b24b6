// How far a cache has looked at its entries since its rules changed.
#pragma once

#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/entries/cache_walk.h"

namespace forebay::cache {

/// Thread safe.
class RuleProgress {
 public:
  using Done = absl::AnyInvocable<void()>;

  /// The rules have changed: everything is to be looked at from the beginning. `done`, which may be null, is
  /// for when that has been done. False if somebody is at it already, and will begin anew.
  bool begin(Done done);
  CacheWalk next_piece();
  /// A piece has been looked at. Once nothing is left: those who wait for that.
  std::optional<std::vector<Done>> end_piece(const CacheWalked& walked);

 private:
  Mutex mutex_;
  bool is_running_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_begun_anew_ FOREBAY_GUARDED_BY(mutex_) = false;  // since next_piece()
  CacheWalk piece_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<Done> waiting_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::cache
