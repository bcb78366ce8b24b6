// How long a cache trusts what it knows of one upstream store.
#pragma once

#include <cstdint>

#include "forebay/base/clock.h"

namespace forebay::cache {

/// How one upstream store is cached.
struct FreshnessOptions {
  /// How long an answer about an object or a listing is trusted, from when it was asked for. Reads that name
  /// a version are never checked again.
  int64_t trusted_ns = 1'000'000'000;
  /// Objects never change: what is known of one is trusted for ever. Absences are not.
  bool is_immutable = false;
  /// Whether upstream lets its user read what others have brought is asked anew after so long, for each
  /// bucket or server (store/access_check.h). 0: never, since nobody else brings anything.
  int64_t access_trusted_ns = 0;
  /// Whoever reads has others to serve, too: what an earlier run kept is compared with its checksums, for
  /// which a disk reads all of it, on threads of the cache.
  bool compares_elsewhere = false;
  const Clock* clock = &steady_clock();  // must outlive the store
};

}  // namespace forebay::cache
