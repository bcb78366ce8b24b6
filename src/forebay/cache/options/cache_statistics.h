// What a cache has done and holds.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace forebay::cache {

/// Counts since the cache was opened, and bytes at the moment.
struct CacheStatistics {
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t memory_hit_bytes = 0;
  uint64_t disk_hit_bytes = 0;
  uint64_t upstream_reads = 0;
  uint64_t upstream_bytes = 0;
  uint64_t ahead_reads = 0;  // begun before somebody asked, because a plan names them
  uint64_t ahead_bytes = 0;
  uint64_t plans = 0;  // of readers, followed now
  uint64_t insertions = 0;
  uint64_t evictions = 0;
  uint64_t evicted_bytes = 0;
  uint64_t moved_bytes = 0;  // of small entries, written once more to free the block that they were left in
  uint64_t bypasses = 0;     // not kept: no room, or by rule
  uint64_t damaged = 0;      // dropped because of their checksum
  uint64_t entries = 0;
  uint64_t memory_bytes = 0;
  uint64_t disk_bytes = 0;
  uint64_t quota_bytes = 0;  // of all directories; of memory where there are none
  uint64_t limit_bytes = 0;  // of that, what may be used now: a disk may have to keep space free
  uint64_t index_bytes = 0;  // of memory, the policy's included
  uint64_t pinned_bytes = 0;
  uint64_t most_pinned_bytes = 0;
  uint64_t pins_refused = 0;     // entries to be pinned that were beyond that
  uint64_t directories_off = 0;  // not written to any more, after an error
};

/// All counts under their names, for people and for other languages.
std::vector<std::pair<const char*, uint64_t>> counts_of(const CacheStatistics& statistics);
/// The same as an object of JSON.
std::string json_of(const CacheStatistics& statistics);

}  // namespace forebay::cache
