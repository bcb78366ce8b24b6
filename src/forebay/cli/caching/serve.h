// The daemon at work: opens the cache, serves it, and ends in order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/cli/caching/reload.h"

namespace forebay::cli {

/// In a control group that allows little, a part of that: the group counts it, and the pages of the cache's
/// files.
uint64_t default_shared_bytes();

struct DaemonOptions {
  std::vector<std::string> directories;  // empty: "cache" under FOREBAY_HOME
  std::string policy = "planned";
  uint64_t quota_bytes = uint64_t{64} << 30;
  uint64_t least_free_bytes = uint64_t{4} << 30;
  uint64_t memory_bytes = 0;
  uint64_t most_pinned_bytes = 0;
  uint64_t shared_bytes = default_shared_bytes();
  uint64_t ahead_bytes = uint64_t{32} << 20;
  uint64_t ahead_rate = 0;
  std::optional<uint64_t> idle_s;
  bool in_background = false;
  bool is_on_demand = false;
  bool is_to_stop = false;  // the one that serves
  bool is_to_reload = false;
  bool is_reloaded = false;  // in the process of the one before

  std::vector<std::string> directories_in(const std::string& home) const {
    return directories.empty() ? std::vector<std::string>{home + "/cache"} : directories;
  }

  /// It leaves the folder that it is started in.
  void make_absolute(const std::filesystem::path& folder) {
    for (std::string& directory : directories) {
      directory = (folder / directory).lexically_normal();
    }
  }

  /// For how long it goes on without a process; 0: for ever.
  int64_t idle_ns() const {
    constexpr uint64_t kOnDemandS = 600;
    return static_cast<int64_t>(idle_s.value_or(is_on_demand ? kOnDemandS : 0)) * 1'000'000'000;
  }
};

/// Serves this user's cache until a signal ends it, or nobody has wanted it for long enough; goes on as the
/// program of `start` when it is asked to reload. In the background it returns at once in the process that
/// was started.
Status serve_daemon(const DaemonOptions& options, const std::string& home, const ProgramStart& start);

}  // namespace forebay::cli
