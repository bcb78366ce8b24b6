#include "forebay/cache/options/cache_statistics.h"

#include "nlohmann/json.hpp"

namespace forebay::cache {

std::vector<std::pair<const char*, uint64_t>> counts_of(const CacheStatistics& statistics) {
  return {
      {"hits", statistics.hits},
      {"misses", statistics.misses},
      {"memory_hit_bytes", statistics.memory_hit_bytes},
      {"disk_hit_bytes", statistics.disk_hit_bytes},
      {"upstream_reads", statistics.upstream_reads},
      {"upstream_bytes", statistics.upstream_bytes},
      {"ahead_reads", statistics.ahead_reads},
      {"ahead_bytes", statistics.ahead_bytes},
      {"plans", statistics.plans},
      {"insertions", statistics.insertions},
      {"evictions", statistics.evictions},
      {"evicted_bytes", statistics.evicted_bytes},
      {"moved_bytes", statistics.moved_bytes},
      {"bypasses", statistics.bypasses},
      {"damaged", statistics.damaged},
      {"entries", statistics.entries},
      {"memory_bytes", statistics.memory_bytes},
      {"disk_bytes", statistics.disk_bytes},
      {"quota_bytes", statistics.quota_bytes},
      {"limit_bytes", statistics.limit_bytes},
      {"index_bytes", statistics.index_bytes},
      {"pinned_bytes", statistics.pinned_bytes},
      {"most_pinned_bytes", statistics.most_pinned_bytes},
      {"pins_refused", statistics.pins_refused},
      {"directories_off", statistics.directories_off},
  };
}

std::string json_of(const CacheStatistics& statistics) {
  nlohmann::json counts = nlohmann::json::object();
  for (const auto& [name, count] : counts_of(statistics)) {
    counts[name] = count;
  }
  return counts.dump();
}

}  // namespace forebay::cache
