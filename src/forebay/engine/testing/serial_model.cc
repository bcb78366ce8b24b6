#include "forebay/engine/testing/serial_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace forebay::engine::testing {
namespace {

/// The tasks whose error a variable may carry; empty: it carries no error. More than one if a cancellation
/// may have come before or after.
using Origins = std::set<int>;

/// A write as waits see it.
struct Write {
  int task;
  Origins carried;  // what the variable may carry after the write
  uint64_t value;
};

class Model {
 public:
  explicit Model(const History& history)
      : history_(history),
        cells_(history.cells.size()),
        carried_(history.cells.size()),
        writes_(history.cells.size()),
        cancelled_at_(Program::kLanes) {
    for (const Doings& script : history.scripts) {
      for (const CancelRecord& cancel : script.cancels) {
        cancelled_at_[cancel.lane] = std::max(cancelled_at_[cancel.lane], cancel.end);
      }
    }
  }

  std::vector<std::string> run(const std::vector<int>& order) {
    for (const int task : order) {
      apply(history_.program.tasks[task]);
    }
    for (const Doings& script : history_.scripts) {
      check_doings(script);
    }
    for (const TaskRecord& record : history_.tasks) {
      check_doings(record.inside);
    }
    check_end();
    return std::move(differences_);
  }

 private:
  template <class... Arguments>
  void report(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    differences_.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  bool may_be_cancelled(const PlannedTask& task) const {
    return history_.tasks[task.number].push_begin < cancelled_at_[task.lane];
  }

  Origins inherited(const std::vector<Use>& uses) const {
    for (const Use& use : uses) {
      if (use.reads && !carried_[use.variable].empty()) {
        return carried_[use.variable];
      }
    }
    return {};
  }

  void apply(const PlannedTask& task) {
    const std::vector<Use> uses = uses_of(task);
    const Origins before = task.run_on_error ? Origins{} : inherited(uses);
    Origins result;
    if (task.kind == TaskKind::kOpen) {
      result = result_of_open(task, before);
    } else if (history_.has_run(task.number)) {
      result = result_of_run(task, before);
    } else {
      result = result_of_skip(task, before);
    }
    for (const Use& use : uses) {
      if (use.writes) {
        carried_[use.variable] = result;
        writes_[use.variable].push_back({task.number, result, cells_[use.variable].value});
      }
    }
  }

  Origins result_of_run(const PlannedTask& task, const Origins& before) {
    const TaskRecord& record = history_.tasks[task.number];
    if (record.runs > 1) {
      report("task {} ran {} times", task.number, record.runs.load());
    }
    if (!before.empty()) {
      report("task {} ran on a value that carries the error of task {}", task.number, *before.begin());
    }
    const uint64_t input = input_of(task, cells_);
    if (record.input != input) {
      report("task {} read other values than a serial run", task.number);
    }
    if (task.ending != TaskEnding::kOk) {
      return {task.number};
    }
    for (const Use& use : uses_of(task)) {
      if (use.writes) {
        cells_[use.variable] = {output_of(task, use.variable, input), cells_[use.variable].version + 1};
      }
    }
    return {};
  }

  Origins result_of_skip(const PlannedTask& task, const Origins& before) {
    Origins result = before;
    if (task.run_on_error) {
      report("task {} did not run, although it runs on errors", task.number);
    } else if (may_be_cancelled(task)) {
      result.insert(task.number);
    } else if (before.empty()) {
      report("task {} did not run", task.number);
    }
    return result;
  }

  Origins result_of_open(const PlannedTask& task, Origins before) {
    if (task.ending != TaskEnding::kOk && (before.empty() || task.ending != TaskEnding::kDropsCompletion)) {
      before.insert(task.number);
    }
    return before;
  }

  void check_doings(const Doings& doings) {
    for (const std::string& fault : doings.faults) {
      report("{}", fault);
    }
    for (const WaitRecord& wait : doings.waits) {
      if (wait.status.code() == StatusCode::kFailedPrecondition) {
        check_refusal(doings, wait);
      } else if (wait.action.verb == Action::Verb::kWait) {
        check_wait(wait);
      } else {
        check_wait_all(wait);
      }
    }
  }

  void check_refusal(const Doings& doings, const WaitRecord& wait) {
    const bool is_script =
        &doings >= history_.scripts.data() && &doings < history_.scripts.data() + history_.scripts.size();
    if (is_script || wait.action.must_end) {
      report("a wait for {} was refused: {}", wait.action.target, message(wait.status));
    }
  }

  bool is_explained(const Status& status, const Origins& origins) const {
    if (status.ok() || origins.empty()) {
      return status.ok() && origins.empty();
    }
    return std::any_of(origins.begin(), origins.end(), [&](int task) {
      return message(status).find(fmt::format("task '{}'", task)) != std::string_view::npos;
    });
  }

  void check_done(const WaitRecord& wait, int task) {
    const TaskRecord& record = history_.tasks[task];
    if (record.push_end < wait.begin && record.done > wait.end) {
      report("a wait for {} ended before task {} was done", wait.action.target, task);
    }
  }

  // A wait returns the error of some write pushed before the wait ended, and no older than the last one
  // before it began.
  void check_wait(const WaitRecord& wait) {
    const int variable = wait.action.target;
    bool is_right = wait.status.ok();
    uint64_t value = 0;
    for (const Write& write : writes_[variable]) {
      const TaskRecord& record = history_.tasks[write.task];
      check_done(wait, write.task);
      if (record.push_begin > wait.end) {
        continue;
      }
      const bool is_explained_by_it = is_explained(wait.status, write.carried);
      is_right = record.push_end < wait.begin ? is_explained_by_it : is_right || is_explained_by_it;
      value = write.value;
    }
    if (!is_right) {
      report("a wait for {} gave '{}'", variable, message(wait.status));
    }
    if (wait.saw_value && wait.value != value) {
      report("after a wait, {} had another value than in a serial run", variable);
    }
  }

  void check_wait_all(const WaitRecord& wait) {
    if (message(wait.status).find("interrupted") != std::string_view::npos) {
      report("a wait for all of lane {} would never have ended", wait.action.target);
      return;
    }
    for (const PlannedTask& task : history_.program.tasks) {
      if (task.lane == wait.action.target && history_.was_pushed(task.number)) {
        check_done(wait, task.number);
      }
    }
  }

  void check_end() {
    for (size_t i = 0; i < cells_.size(); ++i) {
      if (history_.cells[i].value != cells_[i].value || history_.cells[i].version != cells_[i].version) {
        report("variable {} ended with another value than in a serial run", i);
      }
      if (history_.left[i].code() != StatusCode::kUnknown && !is_explained(history_.left[i], carried_[i])) {
        report("variable {} ended with '{}'", i, message(history_.left[i]));
      }
    }
  }

  const History& history_;
  std::vector<Cell> cells_;
  std::vector<Origins> carried_;
  std::vector<std::vector<Write>> writes_;
  std::vector<uint64_t> cancelled_at_;
  std::vector<std::string> differences_;
};

}  // namespace

std::vector<int> order_of_pushes(const History& history) {
  std::vector<int> order;
  for (const PlannedTask& task : history.program.tasks) {
    if (history.was_pushed(task.number)) {
      order.push_back(task.number);
    }
  }
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return history.tasks[a].push_begin < history.tasks[b].push_begin; });
  return order;
}

std::vector<std::string> find_differences(const History& history, const std::vector<int>& order) {
  return Model(history).run(order);
}

}  // namespace forebay::engine::testing
