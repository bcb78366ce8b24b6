// A trace's records of an engine's tasks: fixed-size records, in ticks, with names as numbers. They are
// formatted when somebody reads them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "forebay/base/prefetch.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/trace/chunk_log.h"
#include "forebay/base/trace/ticks.h"

namespace forebay {

/// What all tasks pushed at one place of a program share.
struct TaskLabel {
  std::string name;
  std::string lane;
  std::string site;   // where it was pushed, "file:line"; empty if unknown
  std::string queue;  // the device queue that its work was put on; empty if none
};

/// A task as shown in a trace.
struct TraceTask {
  uint32_t engine = 0;  // a number for each engine in the trace
  uint64_t id = 0;      // push order within the engine
  std::shared_ptr<const TaskLabel> label;
  int64_t push_ns = 0;
  int64_t ready_ns = 0;  // when everything it had to wait for was done
  int64_t begin_ns = 0;
  int64_t issued_ns = 0;  // when its work had been put on its device's queue
  int64_t end_ns = 0;
  uint64_t bytes = 0;            // memory it takes for its outputs, in whole KiB; 0 if unknown
  uint32_t thread = 0;           // the thread that ended it
  bool is_asynchronous = false;  // it ended after its body, possibly on another thread
  std::vector<uint64_t> after;   // tasks that it had to wait for, as far as known
};

/// The tasks of one engine.
class TaskLog {
 public:
  /// Keeps at least the newest `most_tasks`, and twice as many edges.
  explicit TaskLog(size_t most_tasks);

  struct Times {
    int64_t push = 0;
    int64_t ready = 0;
    int64_t begin = 0;
    int64_t issued = 0;
    int64_t end = 0;
  };
  struct Names {
    std::string_view name;
    std::string_view site;
    std::string_view lane;
    uint64_t lane_id = 0;
    std::string_view queue = {};
  };

  /// A task that has ended.
  struct Record {
    uint64_t id = 0;
    Times ticks;
    uint32_t label = 0;
    uint32_t thread : 31 = 0;
    uint32_t is_asynchronous : 1 = 0;
    uint32_t kibibytes = 0;
  };

  // Callable from any thread.
  /// Returns the number that stands for these names in records.
  uint32_t label_of(const Names& names);

  // Called by one thread at a time: the engine, under its mutex.
  void add(const Record& record) { tasks_.add(record); }
  /// Records that `task` has to wait for `before`. Tasks must come in the order of their ids.
  void add_edge(uint64_t task, uint64_t before);

  // Callable from any thread.
  /// Appends the tasks to `tasks`, in the order in which they ended.
  void read(uint32_t engine, const TickScale& scale, std::vector<TraceTask>& tasks) const;
  void clear();
  /// How many tasks were dropped for newer ones.
  uint64_t forgotten() const { return tasks_.forgotten(); }

 private:
  /// Ids relative to each other in 32 bits; ids in a log are never further apart.
  struct Edge {
    uint32_t task;
    uint32_t distance;
  };
  uint32_t find_label(const Names& names);

  const uint64_t log_id_;  // unique among all logs ever made
  alignas(kLineBytes) ChunkLog<Record> tasks_;
  ChunkLog<Edge> edges_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, uint32_t> numbers_ FOREBAY_GUARDED_BY(mutex_);
  // By number; the first stands for all labels beyond the limit.
  std::vector<std::shared_ptr<const TaskLabel>> labels_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay
