#include "forebay/engine/testing/random_program.h"

#include <random>

namespace forebay::engine::testing {
namespace {

constexpr int kShared = 4;
constexpr int kOwn = 3;
constexpr int kDeepest = 2;

class Maker {
 public:
  Maker(uint32_t seed, const ProgramOptions& options) : options_(options), random_(seed) {
    program_.seed = seed;
    add_variables(shared_, kShared);
  }

  Program make() {
    for (int script = 0; script < options_.scripts; ++script) {
      std::vector<int> own;
      add_variables(own, kOwn, true);
      std::vector<Action> actions;
      for (int i = 0; i < options_.actions; ++i) {
        actions.push_back(script_action(own));
      }
      program_.scripts.push_back(std::move(actions));
    }
    return std::move(program_);
  }

 private:
  int below(int count) { return static_cast<int>(random_() % static_cast<uint32_t>(count)); }
  bool one_in(int count) { return below(count) == 0; }
  int any_of(const std::vector<int>& values) { return values[below(static_cast<int>(values.size()))]; }

  int add_variable(bool is_own) {
    program_.is_own.push_back(is_own);
    return program_.variables++;
  }

  void add_variables(std::vector<int>& pool, int count, bool are_own = false) {
    for (int i = 0; i < count; ++i) {
      pool.push_back(add_variable(are_own));
    }
  }

  std::vector<int> with_shared(std::vector<int> pool) const {
    pool.insert(pool.end(), shared_.begin(), shared_.end());
    return pool;
  }

  Action script_action(std::vector<int>& own) {
    const int dice = below(20);
    if (dice == 0) {
      return {Action::Verb::kWait, any_of(with_shared(own))};
    }
    if (dice == 1) {
      return {Action::Verb::kWait, any_of(own)};
    }
    if (dice == 2 && one_in(2)) {
      return {Action::Verb::kWaitAll, below(Program::kLanes)};
    }
    if (dice == 3 && options_.cancels && one_in(2)) {
      return {Action::Verb::kCancel, 1 + below(Program::kLanes - 1)};
    }
    if (dice == 4) {
      return drop_one(own);
    }
    return {Action::Verb::kPush, make_task(with_shared(own), -1, 0)};
  }

  Action drop_one(std::vector<int>& own) {
    int& place = own[below(static_cast<int>(own.size()))];
    const int dropped = place;
    place = add_variable(true);
    return {Action::Verb::kDrop, dropped};
  }

  int make_task(const std::vector<int>& pool, int inside_of, int depth) {
    const int number = static_cast<int>(program_.tasks.size());
    program_.tasks.emplace_back();
    PlannedTask task;
    task.number = number;
    task.inside_of = inside_of;
    for (int reads = below(4); reads > 0; --reads) {
      task.reads.push_back(any_of(pool));
    }
    for (int writes = below(3); writes > 0; --writes) {
      task.writes.push_back(any_of(pool));
    }
    choose_place(task);
    choose_kind(task);
    if (options_.nests && depth < kDeepest && task.kind == TaskKind::kPlain && one_in(options_.insides)) {
      fill_inside(task, depth);
    }
    program_.tasks[number] = std::move(task);
    return number;
  }

  void choose_place(PlannedTask& task) {
    task.lane = below(Program::kLanes);
    task.executor = one_in(options_.executors) ? below(Program::kExecutors) : -1;
    task.bytes = static_cast<uint64_t>(below(3)) << 20;
    if (options_.orders) {
      task.priority = one_in(4) ? below(3) - 1 : 0;
      task.order = one_in(4) ? 1 + static_cast<uint64_t>(below(1000)) : 0;
    }
  }

  void choose_kind(PlannedTask& task) {
    task.run_on_error = one_in(8);
    if (one_in(8)) {
      task.kind = TaskKind::kAsync;
    } else if (one_in(12)) {
      task.kind = TaskKind::kOpen;
      task.lane = 0;  // whether a cancelled open task carries an error depends on timing
    }
    if (options_.fails && one_in(10)) {
      task.ending = static_cast<TaskEnding>(1 + below(task.kind == TaskKind::kAsync ? 4 : 3));
    }
  }

  void fill_inside(PlannedTask& task, int depth) {
    std::vector<int> local;
    add_variables(local, 2);
    const bool is_closed = one_in(2);  // touches nothing else, so a wait for it must end
    const std::vector<int> pool = is_closed ? local : with_shared(local);
    for (int pushes = 1 + below(3); pushes > 0; --pushes) {
      task.inside.push_back(
          {Action::Verb::kPush, make_task(pool, task.number, is_closed ? kDeepest : depth + 1)});
    }
    if (one_in(2)) {
      task.inside.push_back({Action::Verb::kWait, any_of(pool), is_closed});
    } else if (one_in(3)) {
      task.inside.push_back({Action::Verb::kWaitAll, below(Program::kLanes)});
    }
  }

  const ProgramOptions options_;
  std::mt19937 random_;
  Program program_;
  std::vector<int> shared_;
};

}  // namespace

Program make_program(uint32_t seed, const ProgramOptions& options) {
  return Maker(seed, options).make();
}

}  // namespace forebay::engine::testing
