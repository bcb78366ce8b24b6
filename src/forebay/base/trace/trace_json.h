// A trace in the trace-event format of chrome://tracing, which Perfetto opens.
//
// Source: Trace Event Format, Google, 2016.
#pragma once

#include <cstdio>

#include "forebay/base/trace/trace.h"

namespace forebay {

/// Spans and tasks on their threads, edges between tasks as arrows, and over the time: the tasks that have
/// been pushed and have not ended, those of them that are ready, and every value of the trace. What made room
/// for newer records is counted in "otherData".
void write_trace_json(const Trace& trace, std::FILE* file);

}  // namespace forebay
