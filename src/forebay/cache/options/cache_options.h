// The settings of a cache.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/cache/files/file_system.h"
#include "forebay/cache/options/cache_statistics.h"
#include "forebay/cache/options/fetch_ahead_options.h"
#include "forebay/cache/policy/eviction_policy.h"
#include "forebay/cache/policy/plan_follower.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::cache {

/// What one range read for an exact sample, or one small object, may take at most; larger ones go to disk in
/// chunks of this size.
inline constexpr uint64_t kChunkBytes = uint64_t{1} << 20;

struct DirectoryOptions {
  std::string path;  // made if it does not exist; its owner alone may look into it
  uint64_t quota_bytes = uint64_t{64} << 30;
  /// The cache evicts rather than leave the file system less than this.
  uint64_t least_free_bytes = uint64_t{1} << 30;
};

/// What is done with objects at or below `prefix`, a URI, by whole components; the longest prefix wins.
struct AdmissionRule {
  std::string prefix;
  bool is_cached = true;
  /// Larger objects are read past the cache.
  uint64_t largest_object_bytes = std::numeric_limits<uint64_t>::max();
  Retention retention;
  uint32_t time_to_live_s = 0;  // 0: for as long as there is room; beyond the year 2106: likewise
  /// When that was given, in seconds since 1970: from then on it counts for what was held already. 0: from
  /// when the cache learns of the rule.
  uint32_t ttl_since_s = 0;
  /// What is kept of these objects takes at most so many bytes, not counting what the disk rounds up; beyond
  /// that, their own entries go. It sets nothing aside for them. 0: as many as there is room for.
  uint64_t quota_bytes = 0;

  friend bool operator==(const AdmissionRule&, const AdmissionRule&) = default;
};

class ReadGate;

struct CacheOptions {
  std::vector<DirectoryOptions> directories;  // none: a cache in memory only
  /// Bytes kept in memory beside the kernel's page cache, which keeps the files' pages.
  uint64_t memory_bytes = 0;
  /// Entries at most, however small: each takes some 150 bytes of memory, 100 more if it counts in a quota.
  uint64_t most_entries = uint64_t{8} << 20;
  /// Bytes that may wait to be written. Above it, whoever brings more writes some first.
  uint64_t write_behind_bytes = uint64_t{64} << 20;
  /// 2 MiB to 4 GiB; what is outside is taken for the nearest that takes every entry.
  uint64_t segment_bytes = uint64_t{256} << 20;
  std::vector<AdmissionRule> admission;  // until Cache::set_rules()
  /// What is pinned beyond this goes like everything else. 0: half of what the cache may hold.
  uint64_t most_pinned_bytes = 0;
  /// Reads what plans name before it is asked for, and keeps what they read soonest. Without it, or with a
  /// policy or follower of one's own: S3-FIFO, and plans go no further than the follower.
  bool follows_plans = true;
  FetchAheadOptions fetch_ahead;
  PolicyFactory make_policy;
  /// Of each folder that has a quota. Null: like the cache's own if that is the default, else S3-FIFO.
  PolicyFactory make_folder_policy;
  std::shared_ptr<PlanFollower> plan_follower;
  std::shared_ptr<FileSystem> files;       // null: the host's
  std::function<uint32_t()> unix_seconds;  // null: the system's clock
  const Clock* clock = &steady_clock();    // of what is tried again later; must outlive the cache
  /// Where upstream's bytes are read to; null: upstream chooses, and may not copy what it has in memory.
  std::shared_ptr<memory::MemoryResource> read_into;
  /// Bounds what reads under way take of that (store/read_gate.h); null: nothing does.
  std::shared_ptr<ReadGate> read_gate;
};

}  // namespace forebay::cache
