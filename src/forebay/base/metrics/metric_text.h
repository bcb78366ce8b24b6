// Pieces of the text that Prometheus reads. Format: "Text-based format", version 0.0.4, of its documentation.
#pragma once

#include <string>
#include <string_view>

namespace forebay {

inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

/// The two lines before the values of a metric: a counter if its name ends with "_total" or `counts` says so,
/// else a gauge.
std::string metric_head(std::string_view name, std::string_view help, bool counts = false);

/// The value of a label, between its quotes: quotes and backslashes are escaped, and what is not UTF-8 or
/// controls a terminal becomes `?`.
std::string metric_label(std::string_view text);

}  // namespace forebay
