// Checks a trace of the engine against its rule: of two tasks that use a variable which one of them writes,
// the one pushed first ends before the other begins, or is issued before it if both are device tasks. Nothing
// is lost and nothing runs twice.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "forebay/base/trace/trace.h"

namespace forebay::engine::testing {

/// A task as the trace shows it.
struct TracedTask {
  uint64_t id = 0;  // push order
  std::string name;
  std::string lane;
  int64_t push_ns = 0;
  int64_t ready_ns = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::vector<uint64_t> after;  // tasks that it waited for
  std::string queue;            // for a device task
  int64_t issued_ns = 0;        // when it was put on the queue
};

/// The tasks among the spans of a trace, in push order.
std::vector<TracedTask> tasks_of(const std::vector<TraceSpan>& spans);

/// One variable that a task uses; variables have arbitrary numbers.
struct TracedUse {
  uint64_t variable;
  bool writes;
};

/// What is wrong with the tasks regardless of what they use, one line each: duplicate ids, times that go
/// backwards, edges to tasks that the trace lacks, that had not ended or that were pushed later.
std::vector<std::string> check_tasks(const std::vector<TracedTask>& tasks);

/// Which edges are required: none, or one between each two conflicting tasks of which the first had not ended
/// when the second was pushed. (The engine finds dependencies some time after the push, so only an engine
/// stepped by one thread has all of them.)
enum class Edges { kSome, kAll };

/// What is wrong with the order of the tasks, given what each one uses: conflicting tasks that overlap or ran
/// in the wrong order, and missing edges.
std::vector<std::string> check_order(const std::vector<TracedTask>& tasks, Edges edges,
                                     const std::function<std::vector<TracedUse>(const TracedTask&)>& uses_of);

}  // namespace forebay::engine::testing
