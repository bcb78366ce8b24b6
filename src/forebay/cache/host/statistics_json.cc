#include "forebay/cache/host/statistics_json.h"

#include "nlohmann/json.hpp"

namespace forebay::cache {

std::string statistics_json(const CacheStatistics& statistics) {
  const nlohmann::json counts = {
      {"hits", statistics.hits},
      {"misses", statistics.misses},
      {"memory_hit_bytes", statistics.memory_hit_bytes},
      {"disk_hit_bytes", statistics.disk_hit_bytes},
      {"upstream_reads", statistics.upstream_reads},
      {"upstream_bytes", statistics.upstream_bytes},
      {"insertions", statistics.insertions},
      {"evictions", statistics.evictions},
      {"evicted_bytes", statistics.evicted_bytes},
      {"bypasses", statistics.bypasses},
      {"damaged", statistics.damaged},
      {"entries", statistics.entries},
      {"memory_bytes", statistics.memory_bytes},
      {"disk_bytes", statistics.disk_bytes},
      {"index_bytes", statistics.index_bytes},
      {"directories_off", statistics.directories_off},
  };
  return counts.dump();
}

}  // namespace forebay::cache
