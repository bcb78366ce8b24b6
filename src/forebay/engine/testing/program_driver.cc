#include "forebay/engine/testing/program_driver.h"

#include <stdexcept>
#include <utility>

#include "absl/cleanup/cleanup.h"

namespace forebay::engine::testing {
namespace {

constexpr int kNarrow = 1;  // widths of lanes
constexpr int kAloof = 2;
constexpr int kWidths[] = {0, kNarrow, 0, kAloof};

Status planned_error() {
  return data_loss("planned");
}

}  // namespace

ProgramDriver::ProgramDriver(History& history, Engine& engine, std::function<void(Outstanding)> keep,
                             WaitOptions wait_options)
    : history_(history), engine_(engine), keep_(std::move(keep)), wait_options_(std::move(wait_options)) {
  lanes_ = {engine.new_lane({.name = "wide", .run_ahead_bytes = 1 << 20}),
            engine.new_lane({.name = "narrow", .width = kNarrow, .most_queued = 4}),
            engine.new_lane({.name = "heavy", .weight = 3, .run_ahead_bytes = 2 << 20}),
            engine.new_lane({.name = "aloof", .width = kAloof, .waiters_help = false})};
  bodies_.resize(lanes_.size());
  for (int i = 0; i < Program::kExecutors; ++i) {
    const std::string name = "executor" + std::to_string(i);
    executors_.push_back(i % 2 == 0 ? *engine.executor(name) : *engine.new_executor(name));
  }
  for (int i = 0; i < history.program.variables; ++i) {
    variables_.push_back(engine.new_variable());
  }
  for (const PlannedTask& task : history.program.tasks) {
    names_.push_back(std::to_string(task.number));
  }
}

void ProgramDriver::act(const Action& action, Doings& doings, const PlannedTask* inside) {
  switch (action.verb) {
    case Action::Verb::kPush:
      push(history_.program.tasks[action.target], doings);
      break;
    case Action::Verb::kWait:
    case Action::Verb::kWaitAll:
      wait(action, doings, inside);
      break;
    case Action::Verb::kCancel:
      engine_.cancel(lanes_[action.target]);
      doings.cancels.push_back({action.target, history_.ticket()});
      break;
    case Action::Verb::kDrop:
      variables_[action.target] = Variable();
      break;
  }
}

void ProgramDriver::push(const PlannedTask& task, Doings& doings) {
  std::vector<Variable> reads;
  std::vector<Variable> writes;
  for (const int variable : task.reads) {
    reads.push_back(variables_[variable]);
  }
  for (const int variable : task.writes) {
    writes.push_back(variables_[variable]);
  }
  TaskOptions options{.name = names_[task.number], .reads = reads, .writes = writes};
  options.priority = task.priority;
  options.order = task.order;
  options.bytes = task.bytes;
  options.run_on_error = task.run_on_error;
  if (task.executor >= 0) {
    options.executor = executors_[task.executor];
  }
  TaskRecord& record = history_.tasks[task.number];
  record.push_begin = history_.ticket();
  const Status status = push_as_planned(task, options);
  record.push_end = history_.ticket();
  (void)engine_.await_room(lanes_[task.lane], wait_options_);
  if (!status.ok()) {
    doings.faults.push_back("push of " + names_[task.number] + ": " + std::string(message(status)));
  }
}

Status ProgramDriver::push_as_planned(const PlannedTask& task, const TaskOptions& options) {
  const LaneRef& lane = lanes_[task.lane];
  if (task.kind == TaskKind::kPlain) {
    return engine_.push(lane, options, [this, &task] { return run(task); });
  }
  if (task.kind == TaskKind::kAsync) {
    return engine_.push_async(lane, options, [this, &task](Completion completion) {
      const absl::Cleanup left = [&] { leave(task); };
      enter(task, history_.tasks[task.number].inside);
      begin(task);
      if (task.ending == TaskEnding::kThrowsOther) {
        history_.tasks[task.number].done = history_.ticket();
        throw task.number;
      }
      keep_({task.number, std::move(completion)});
    });
  }
  FOREBAY_ASSIGN_OR_RETURN(Completion completion, engine_.push_open(lane, options));
  keep_({task.number, std::move(completion)});
  return ok_status();
}

void ProgramDriver::begin(const PlannedTask& task) {
  TaskRecord& record = history_.tasks[task.number];
  record.run_begin = history_.ticket();
  record.runs.fetch_add(1, std::memory_order_relaxed);
  record.input = input_of(task, history_.cells);
}

void ProgramDriver::enter(const PlannedTask& task, Doings& doings) {
  // Relaxed: it must not create an order that the engine should have made.
  if (task.executor >= 0) {
    return;  // it takes no place
  }
  const int bodies = bodies_[task.lane].fetch_add(1, std::memory_order_relaxed) + 1;
  if (kWidths[task.lane] > 0 && bodies > kWidths[task.lane]) {
    doings.faults.push_back("task " + names_[task.number] + " exceeds the width of its lane");
  }
}

void ProgramDriver::leave(const PlannedTask& task) {
  if (task.executor < 0) {
    bodies_[task.lane].fetch_sub(1, std::memory_order_relaxed);
  }
}

Status ProgramDriver::run(const PlannedTask& task) {
  TaskRecord& record = history_.tasks[task.number];
  const absl::Cleanup left = [&] { leave(task); };
  enter(task, record.inside);
  begin(task);
  for (const Action& action : task.inside) {
    act(action, record.inside, &task);
  }
  if (task.ending == TaskEnding::kOk) {
    write(task);
  }
  record.done = history_.ticket();
  switch (task.ending) {
    case TaskEnding::kThrowsStandard:
      throw std::runtime_error("planned");
    case TaskEnding::kThrowsOther:
      throw task.number;
    case TaskEnding::kError:
      return planned_error();
    default:
      return ok_status();
  }
}

void ProgramDriver::write(const PlannedTask& task) {
  const uint64_t input = history_.tasks[task.number].input;
  for (const Use& use : uses_of(task)) {
    if (use.writes) {
      Cell& cell = history_.cells[use.variable];
      cell.value = output_of(task, use.variable, input);
      ++cell.version;
    }
  }
}

void ProgramDriver::complete(Outstanding outstanding) {
  const PlannedTask& task = history_.program.tasks[outstanding.task];
  const bool is_ok = task.ending == TaskEnding::kOk;
  if (task.kind == TaskKind::kAsync) {
    if (is_ok) {
      write(task);
    }
    history_.tasks[task.number].done = history_.ticket();
  }
  if (task.ending == TaskEnding::kDropsCompletion) {
    return;
  }
  outstanding.completion.complete(is_ok ? ok_status() : planned_error());
}

void ProgramDriver::wait(const Action& action, Doings& doings, const PlannedTask* inside) {
  WaitRecord record{.action = action};
  record.begin = history_.ticket();
  if (inside != nullptr) {
    leave(*inside);
  }
  record.status = action.verb == Action::Verb::kWait ? engine_.wait(variables_[action.target], wait_options_)
                                                     : engine_.wait_all(lanes_[action.target], wait_options_);
  if (inside != nullptr) {
    enter(*inside, doings);
  }
  record.end = history_.ticket();
  if (inside == nullptr && action.verb == Action::Verb::kWait && history_.program.is_own[action.target]) {
    record.saw_value = true;
    record.value = history_.cells[action.target].value;
  }
  doings.waits.push_back(std::move(record));
}

void ProgramDriver::wait_for_all() {
  while (engine_.pending_tasks() > 0) {
    for (const LaneRef& lane : lanes_) {
      (void)engine_.wait_all(lane, wait_options_);
    }
  }
}

void ProgramDriver::note_errors() {
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i].is_valid()) {
      history_.left[i] = engine_.error_of(variables_[i]);
    }
  }
}

}  // namespace forebay::engine::testing
