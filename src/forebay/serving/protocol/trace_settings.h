// Settings of tracing, as clients read and change them. Source: Triton's "Trace Extension".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::serving {

struct TraceSettings {
  std::vector<std::string> level = {"OFF"};  // "OFF" alone, or "TIMESTAMPS" and "TENSORS"
  uint64_t rate = 1000;                      // of so many requests one is traced
  int64_t count = -1;                        // so many traces are left to make; -1: no limit
  uint64_t log_frequency = 0;                // traces to a file; 0: all into one
  std::string file;
};

/// In Triton's shape: each value a string, `trace_level` an array of them.
std::string trace_settings_json(const TraceSettings& settings);

/// `settings` with what the body changes: numbers as strings or as numbers; null sets back to that of
/// `defaults`. `trace_mode` may be "triton" only. invalid_argument for members and values that are unknown.
/// Where files are written is the server's own choice: `trace_file` can be given as it is, not changed.
Result<TraceSettings> changed_trace_settings(const TraceSettings& settings, const TraceSettings& defaults,
                                             std::string_view body);

}  // namespace forebay::serving
