// What `forebay find` is asked for, as words on a command line and as a question about an entry.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/storage/object_store.h"

namespace forebay::cli {

struct FindFilter {
  std::string name;  // a pattern of the last part: *, ?, [a-z]; empty: any
  uint64_t least_bytes = 0;
  uint64_t most_bytes = std::numeric_limits<uint64_t>::max();
  int64_t newer_ns = std::numeric_limits<int64_t>::min();  // modified after this

  /// Whether names are not enough, so that a store has to say more.
  bool needs_stat() const;
  /// Whether the last part of a key is as wanted; a slash at its end does not count.
  bool fits_name(std::string_view key) const;
  /// The same for all of it.
  bool fits(const storage::ObjectStat& object) const;
};

/// "+10M": more than, "-10M": less than, "10M": exactly. invalid_argument for anything else.
Status take_size(const std::string& text, FindFilter& filter);

/// "2h": in the last two hours before `now_ns`; "2026-11-23" or "2026-11-23 06:40": since then, local time.
/// invalid_argument for anything else.
Status take_newer(const std::string& text, int64_t now_ns, FindFilter& filter);

}  // namespace forebay::cli
