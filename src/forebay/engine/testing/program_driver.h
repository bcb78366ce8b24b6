// The actions of a random program, done on an engine; what is left open is who runs them, and when.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "forebay/engine/engine.h"
#include "forebay/engine/testing/history.h"

namespace forebay::engine::testing {

/// An asynchronous task that waits to be completed.
struct Outstanding {
  int task = -1;
  Completion completion;
};

class ProgramDriver {
 public:
  /// `keep` takes what somebody has to complete later, on any thread. `wait_options` are those of every wait.
  ProgramDriver(History& history, Engine& engine, std::function<void(Outstanding)> keep,
                WaitOptions wait_options);

  /// `inside`: the task whose body does it.
  void act(const Action& action, Doings& doings, const PlannedTask* inside = nullptr);
  /// Completes it as planned; its writes are made before.
  void complete(Outstanding outstanding);
  void wait_for_all();
  /// The error that each variable carries, for those with a handle.
  void note_errors();

 private:
  void push(const PlannedTask& task, Doings& doings);
  Status push_as_planned(const PlannedTask& task, const TaskOptions& options);
  void wait(const Action& action, Doings& doings, const PlannedTask* inside);
  Status run(const PlannedTask& task);
  void begin(const PlannedTask& task);
  void write(const PlannedTask& task);
  /// A body runs from here, or goes on after a wait; until there.
  void enter(const PlannedTask& task, Doings& doings);
  void leave(const PlannedTask& task);

  History& history_;
  Engine& engine_;
  const std::function<void(Outstanding)> keep_;
  const WaitOptions wait_options_;
  std::vector<LaneRef> lanes_;
  std::deque<std::atomic<int>> bodies_;  // that run and do not wait, by lane
  std::vector<ExecutorRef> executors_;
  std::vector<Variable> variables_;
  std::vector<std::string> names_;
};

}  // namespace forebay::engine::testing
