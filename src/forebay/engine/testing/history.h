// What happened while a random program ran, noted by the tasks and threads themselves. Moments are tickets
// from one counter; taking one orders nothing else between threads, so that ThreadSanitizer still sees what
// the engine ordered.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/engine/testing/random_program.h"

namespace forebay::engine::testing {

struct WaitRecord {
  Action action;
  uint64_t begin = 0;
  uint64_t end = 0;
  Status status;
  bool saw_value = false;  // of an own variable, right after the wait
  uint64_t value = 0;
};

struct CancelRecord {
  int lane = 0;
  uint64_t end = 0;
};

/// Of one script, or of what a task's body did.
struct Doings {
  std::vector<WaitRecord> waits;
  std::vector<CancelRecord> cancels;
  std::vector<std::string> faults;
};

struct TaskRecord {
  uint64_t push_begin = 0;  // 0: never pushed
  uint64_t push_end = 0;
  std::atomic<int> runs{0};
  uint64_t run_begin = 0;
  uint64_t input = 0;  // what it read, all in one number
  uint64_t done = 0;   // the last thing that its body, or who completed it, did
  Doings inside;
};

struct Cell {
  uint64_t value = 0;
  uint64_t version = 0;
};

struct History {
  explicit History(const Program& of)
      : program(of),
        tasks(of.tasks.size()),
        scripts(of.scripts.size()),
        cells(of.variables),
        left(of.variables, Status(StatusCode::kUnknown, "")) {}

  uint64_t ticket() { return next_ticket.fetch_add(1, std::memory_order_relaxed); }
  bool was_pushed(int task) const { return tasks[task].push_begin != 0; }
  bool has_run(int task) const { return tasks[task].runs.load(std::memory_order_relaxed) > 0; }

  const Program& program;
  std::deque<TaskRecord> tasks;
  std::vector<Doings> scripts;
  std::vector<Cell> cells;   // by variable; read and written by tasks as they declared
  std::vector<Status> left;  // the error that each variable carried at the end; unknown where its handle went
  std::atomic<uint64_t> next_ticket{1};
};

/// What a task reads, as one number: its inputs as the cells hold them.
uint64_t input_of(const PlannedTask& task, const std::vector<Cell>& cells);
/// What a task writes to `variable` that read `input`.
uint64_t output_of(const PlannedTask& task, int variable, uint64_t input);
/// Its variables, each once, in the order in which the engine looks at them: the written ones, then the
/// others.
struct Use {
  int variable;
  bool reads;
  bool writes;
};
std::vector<Use> uses_of(const PlannedTask& task);

}  // namespace forebay::engine::testing
