// Writes a trace in the trace-event format of chrome://tracing, which Perfetto opens.
//
// Source: Trace Event Format, Google, 2016.
#pragma once

#include <cstdio>

#include "forebay/base/trace/trace.h"

namespace forebay {

/// Writes spans and tasks by thread, edges between tasks as arrows, and as curves over time: the number of
/// unfinished tasks, how many of them are ready, and every value of the trace, thinned to what can be
/// displayed. The process has its number and its program's name, threads have theirs. "otherData" counts the
/// records dropped for newer ones.
void write_trace_json(const Trace& trace, std::FILE* file);

}  // namespace forebay
