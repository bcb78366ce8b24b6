// Performs the actions of a random program on an engine. Who runs the tasks, and when, is left to the caller.
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

/// An asynchronous task that has not been completed yet.
struct Outstanding {
  int task = -1;
  Completion completion;
};

class ProgramDriver {
 public:
  /// `keep` receives each task that somebody has to complete later, on any thread. `wait_options` apply to
  /// every wait.
  ProgramDriver(History& history, Engine& engine, std::function<void(Outstanding)> keep,
                WaitOptions wait_options);

  /// `inside`: the task whose body performs the action.
  void act(const Action& action, Doings& doings, const PlannedTask* inside = nullptr);
  /// Completes the task as planned, after making its writes.
  void complete(Outstanding outstanding);
  void wait_for_all();
  /// Records the error that each variable with a handle carries.
  void note_errors();

 private:
  void push(const PlannedTask& task, Doings& doings);
  Status push_as_planned(const PlannedTask& task, const TaskOptions& options);
  void wait(const Action& action, Doings& doings, const PlannedTask* inside);
  Status run(const PlannedTask& task);
  void begin(const PlannedTask& task);
  void write(const PlannedTask& task);
  /// enter() is called where a body begins or resumes after a wait, leave() where it ends or waits.
  void enter(const PlannedTask& task, Doings& doings);
  void leave(const PlannedTask& task);

  History& history_;
  Engine& engine_;
  const std::function<void(Outstanding)> keep_;
  const WaitOptions wait_options_;
  std::vector<LaneRef> lanes_;
  std::deque<std::atomic<int>> bodies_;  // bodies that run and do not wait, by lane
  std::vector<ExecutorRef> executors_;
  std::vector<Variable> variables_;
  std::vector<std::string> names_;
};

}  // namespace forebay::engine::testing
