// A log of memory requests played back against a pool that is named on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/memory/pool/pool.h"
#include "forebay/memory/requests/replay.h"

namespace forebay::cli {

struct ReplaySettings {
  std::string pool = "pool";
  size_t maximum_bytes = size_t{8} << 30;
  bool is_in_order = true;
};

struct ReplayOutcome {
  std::string pool;
  memory::ReplayReport report;
  std::optional<memory::PoolStatistics> statistics;  // of those that keep them
  std::vector<std::string> faults;
};

/// invalid_argument for a pool that does not exist.
Result<ReplayOutcome> replay_against(const std::vector<memory::Request>& log, const ReplaySettings& settings);

std::string to_text(const ReplayOutcome& outcome);
std::string to_json(const ReplayOutcome& outcome);

}  // namespace forebay::cli
