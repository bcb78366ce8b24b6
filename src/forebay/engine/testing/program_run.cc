#include "forebay/engine/testing/program_run.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/engine/testing/program_driver.h"

namespace forebay::engine::testing {
namespace {

// A wait that finds nothing to do this many times, with nothing left to complete, will never end.
constexpr int kHopeless = 1000;

class Stepper {
 public:
  Stepper(History& history, uint32_t schedule, Trace* trace)
      : history_(history),
        random_(schedule),
        engine_({.workers = 0, .trace = trace}),
        driver_(
            history, engine_, [this](Outstanding task) { outstanding_.push_back(std::move(task)); },
            {.interrupted = [this] { return is_hopeless(); }, .poll_interval = std::chrono::milliseconds(0)}),
        next_action_(history.program.scripts.size()) {}

  void run() {
    while (advance()) {
    }
    while (!outstanding_.empty() || engine_.step()) {
      complete_one();
    }
    hopeless_ = 0;
    if (engine_.pending_tasks() != 0) {
      history_.scripts[0].faults.emplace_back("tasks are left that nothing can run");
    }
    driver_.note_errors();
  }

 private:
  size_t below(size_t count) { return random_() % count; }

  /// Performs one thing that could happen next. Returns false when all scripts are at their ends.
  bool advance() {
    const size_t dice = below(4);
    if (dice == 0) {
      complete_one();
      return true;
    }
    if (dice == 1) {
      (void)engine_.step();
      return true;
    }
    return act_in_one();
  }

  bool act_in_one() {
    const size_t first = below(next_action_.size());
    for (size_t i = 0; i < next_action_.size(); ++i) {
      const size_t script = (first + i) % next_action_.size();
      const std::vector<Action>& actions = history_.program.scripts[script];
      if (next_action_[script] < actions.size()) {
        hopeless_ = 0;
        driver_.act(actions[next_action_[script]++], history_.scripts[script]);
        return true;
      }
    }
    return false;
  }

  void complete_one() {
    if (outstanding_.empty()) {
      return;
    }
    std::swap(outstanding_[below(outstanding_.size())], outstanding_.back());
    Outstanding task = std::move(outstanding_.back());
    outstanding_.pop_back();
    driver_.complete(std::move(task));
  }

  bool is_hopeless() {
    hopeless_ = outstanding_.empty() ? hopeless_ + 1 : 0;
    complete_one();
    return hopeless_ > kHopeless;
  }

  History& history_;
  std::mt19937 random_;
  std::vector<Outstanding> outstanding_;
  int hopeless_ = 0;
  Engine engine_;
  ProgramDriver driver_;
  std::vector<size_t> next_action_;
};

/// Threads that complete the asynchronous tasks left to them, in any order.
class Devices {
 public:
  explicit Devices(uint32_t seed) : random_(seed) {}

  void start(int count, ProgramDriver& driver) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, &driver] { serve(driver); });
    }
  }
  void keep(Outstanding task) {
    {
      const std::lock_guard lock(mutex_);
      outstanding_.push_back(std::move(task));
    }
    changed_.notify_one();
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

 private:
  void serve(ProgramDriver& driver) {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return is_over_ || !outstanding_.empty(); });
      if (outstanding_.empty()) {
        return;
      }
      std::swap(outstanding_[random_() % outstanding_.size()], outstanding_.back());
      Outstanding task = std::move(outstanding_.back());
      outstanding_.pop_back();
      lock.unlock();
      driver.complete(std::move(task));
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::mt19937 random_;
  std::condition_variable changed_;
  std::vector<Outstanding> outstanding_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

void run_stepped(History& history, uint32_t schedule, Trace* trace) {
  Stepper(history, schedule, trace).run();
}

void run_threaded(History& history, const ThreadedOptions& options) {
  Devices devices(history.program.seed);
  Engine engine({.workers = options.workers, .trace = options.trace});
  ProgramDriver driver(history, engine, [&](Outstanding task) { devices.keep(std::move(task)); }, {});
  devices.start(options.devices, driver);
  std::vector<std::thread> scripts;
  for (size_t script = 0; script < history.scripts.size(); ++script) {
    scripts.emplace_back([&, script] {
      for (const Action& action : history.program.scripts[script]) {
        driver.act(action, history.scripts[script]);
      }
    });
  }
  for (std::thread& script : scripts) {
    script.join();
  }
  driver.wait_for_all();
  devices.stop();
  driver.note_errors();
}

}  // namespace forebay::engine::testing
