// A table that shows which tasks of a trace waited longest, and for what.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "forebay/base/trace/task_log.h"

namespace forebay {

/// One line for each of the `count` kinds of task (same name, lane and site) with the longest total wait: how
/// many there are; the time from push to ready, and which tasks caused most of it; from ready to begin; from
/// begin to end. Each time is given as a total, with the longest single one in brackets.
std::string report_waits(const std::vector<TraceTask>& tasks, size_t count = 10);

}  // namespace forebay
