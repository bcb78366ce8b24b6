// Which tasks of a trace waited longest, and for what, as a table for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "forebay/base/trace/task_log.h"

namespace forebay {

/// A line for each of the `count` kinds of task (the same name, lane and site) that waited longest in all:
/// how many there are; from push to ready, and after which tasks most of that; from ready to begin; from
/// begin to end. Each of the three in all, and in brackets the longest of one.
std::string report_waits(const std::vector<TraceTask>& tasks, size_t count = 10);

}  // namespace forebay
