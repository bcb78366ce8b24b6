// What a trace keeps of an engine's tasks: records of fixed size, in ticks, whose names are numbers. They are
// put into words when somebody reads them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "forebay/base/prefetch.h"
#include "forebay/base/trace/chunk_log.h"
#include "forebay/base/trace/ticks.h"

namespace forebay {

/// What tasks that are pushed at one place of a program have in common.
struct TaskLabel {
  std::string name;
  std::string lane;
  std::string site;   // where it was pushed, "file:line"; empty: unknown
  std::string queue;  // of a device, that its work was put on; empty: none
};

/// A task as a trace shows it.
struct TraceTask {
  uint32_t engine = 0;  // a number for each engine of the trace
  uint64_t id = 0;      // the order of pushes, of one engine
  std::shared_ptr<const TaskLabel> label;
  int64_t push_ns = 0;
  int64_t ready_ns = 0;  // when what it had to wait for was done
  int64_t begin_ns = 0;
  int64_t issued_ns = 0;  // when its work was on its device's queue
  int64_t end_ns = 0;
  uint64_t bytes = 0;            // memory that it takes for what it writes, in whole KiB; 0: not known
  uint32_t thread = 0;           // that ended it
  bool is_asynchronous = false;  // it ended after its body, perhaps on another thread
  std::vector<uint64_t> after;   // tasks that it had to wait for, as far as they are known
};

/// The tasks of one engine.
class TaskLog {
 public:
  /// Keeps the newest `most_tasks` at least, and twice as many edges.
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

  // Any thread.
  /// The number of these names, to be put into records.
  uint32_t label_of(const Names& names);

  // One thread at a time: the engine, under its mutex.
  void add(const Record& record) { tasks_.add(record); }
  /// `task` has to wait for `before`. Tasks in the order of their ids.
  void add_edge(uint64_t task, uint64_t before);

  // Any thread.
  /// Puts the tasks behind `tasks`, in the order in which they ended.
  void read(uint32_t engine, const TickScale& scale, std::vector<TraceTask>& tasks) const;
  void clear();
  /// Tasks that made room for newer ones.
  uint64_t forgotten() const { return tasks_.forgotten(); }

 private:
  /// Ids in 32 bits: those of a log are never that far apart.
  struct Edge {
    uint32_t task;
    uint32_t distance;
  };
  uint32_t find_label(const Names& names);

  const uint64_t log_id_;  // of all that there ever were
  alignas(kLineBytes) ChunkLog<Record> tasks_;
  ChunkLog<Edge> edges_;
  mutable std::mutex mutex_;  // of the labels
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<std::shared_ptr<const TaskLabel>>
      labels_;  // by number; the first stands for all that are too many
};

}  // namespace forebay
