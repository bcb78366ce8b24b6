// What happened while a random program ran, recorded by the tasks and threads themselves. Times are tickets
// from one counter. Taking a ticket orders nothing else between threads, so ThreadSanitizer still sees only
// the order that the engine made.
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
  bool saw_value = false;  // an own variable's value right after the wait
  uint64_t value = 0;
};

struct CancelRecord {
  int lane = 0;
  uint64_t end = 0;
};

/// What one script, or the body of one task, did.
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
  uint64_t input = 0;  // everything it read, hashed into one number
  uint64_t done = 0;   // ticket of the last thing done by its body, or by whoever completed it
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
  std::vector<Cell> cells;  // by variable; read and written by tasks as they declared
  // The error that each variable carried at the end; unknown if its handle was dropped.
  std::vector<Status> left;
  std::atomic<uint64_t> next_ticket{1};
};

/// Hashes what a task reads into one number: the cell values of its inputs.
uint64_t input_of(const PlannedTask& task, const std::vector<Cell>& cells);
/// The value that a task which read `input` writes to `variable`.
uint64_t output_of(const PlannedTask& task, int variable, uint64_t input);
/// The variables of a task, each once, in the order in which the engine looks at them: written ones first.
struct Use {
  int variable;
  bool reads;
  bool writes;
};
std::vector<Use> uses_of(const PlannedTask& task);

}  // namespace forebay::engine::testing
