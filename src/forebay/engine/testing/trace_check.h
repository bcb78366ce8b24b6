// Holds a trace of the engine against its rule: of two tasks of which one writes what both use, the one that
// was pushed first ends before the other begins, or is issued where both are for devices; nothing is lost,
// nothing runs twice.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "forebay/base/trace/trace.h"

namespace forebay::engine::testing {

/// A task as the trace shows it.
struct TracedTask {
  uint64_t id = 0;  // the order of pushes
  std::string name;
  std::string lane;
  int64_t push_ns = 0;
  int64_t ready_ns = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::vector<uint64_t> after;  // tasks that it waited for
  std::string queue;            // of a task for a device
  int64_t issued_ns = 0;        // onto it
};

/// The tasks among the spans of a trace, in the order in which they were pushed.
std::vector<TracedTask> tasks_of(const std::vector<TraceSpan>& spans);

/// What a task says that it uses; variables by any number.
struct TracedUse {
  uint64_t variable;
  bool writes;
};

/// What is wrong with the tasks, a line each, whatever they use: ids given twice, times that go backwards,
/// edges to tasks that the trace does not have, or that had not ended, or that were pushed later.
std::vector<std::string> check_tasks(const std::vector<TracedTask>& tasks);

/// Which edges must be there besides: none are looked for, or one between each two conflicting tasks of which
/// the first had not ended when the second was pushed. (Who has to wait is found some time after the push, so
/// that only an engine that one thread steps through has all of them.)
enum class Edges { kSome, kAll };

/// What is wrong with their order, given what each one uses: conflicting tasks that overlap or went the wrong
/// way round, and edges that are missing.
std::vector<std::string> check_order(const std::vector<TracedTask>& tasks, Edges edges,
                                     const std::function<std::vector<TracedUse>(const TracedTask&)>& uses_of);

}  // namespace forebay::engine::testing
