// Recurring sequences of tasks, as graphs where that applies, between tasks of the host and of other queues,
// on the simulated device, compared with a serial run of all their tasks in push order. A value is a hash of
// what was read, so anything done too early, too late, twice, not at all, or by another step's graph is
// detected. Some steps recur and some do not; there are fewer graphs than steps.
//
// Each part was seen to fail without it: that a launch does what its key says; the update of a graph; that a
// graph, and its tasks' captures, live until the device has passed its last launch; that failed captures are
// put on the queue once; what a failing body has put on the queue.
//
// FOREBAY_SEEDS and FOREBAY_SEED: base/testing/seeds.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/base/testing/seeds.h"
#include "forebay/cuda/queues/driver_queue.h"
#include "forebay/cuda/queues/task_stream.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/testing/schedule_noise.h"
#include "forebay/memory/device/simulated_device.h"

namespace forebay::cuda {
namespace {

using engine::Engine;
using engine::ExecutorRef;
using engine::LaneRef;
using engine::Variable;
using memory::GraphStep;
using memory::Queue;
using memory::SimulatedDevice;

constexpr uint32_t kQueues = 2;  // and as many again for captures
constexpr size_t kVariables = 5;
constexpr uint64_t kSteps = 6;  // steps that recur

using Values = std::vector<uint64_t>;

/// Shared by all tests, because the number of drivers is limited.
SimulatedDevice& device(bool eager) {
  static const auto& devices = *new std::vector<std::shared_ptr<SimulatedDevice>>{
      *SimulatedDevice::create({.queues = 2 * kQueues, .memory_bytes = 4096, .eager = false}),
      *SimulatedDevice::create({.queues = 2 * kQueues, .memory_bytes = 4096, .eager = true})};
  return *devices[eager ? 1 : 0];
}

struct Work {
  std::vector<size_t> reads;
  std::vector<size_t> writes;
  uint64_t number = 0;

  void read(const Values& from, Values& to) const {
    to.clear();
    for (const size_t variable : reads) {
      to.push_back(from[variable]);
    }
  }
  void write(const Values& read, Values& to) const {
    uint64_t value = number;
    for (const uint64_t one : read) {
      value = mix64(value, one);
    }
    for (const size_t variable : writes) {
      to[variable] = mix64(value, variable);
    }
  }
};

/// Determined by its number alone.
struct Step {
  explicit Step(uint64_t number) {
    std::mt19937_64 random(number);
    queue = static_cast<uint32_t>(random() % kQueues);
    works.resize(1 + random() % 3);
    for (Work& work : works) {
      work.number = random();
      for (size_t variable = 0; variable < kVariables; ++variable) {
        const uint64_t use = random() % 10;
        if (use < 3) {
          work.reads.push_back(variable);
        }
        if (use == 2 || use == 3) {
          work.writes.push_back(variable);
        }
      }
    }
  }

  uint32_t queue = 0;
  std::vector<Work> works;
};

enum class Fails { kNever, kInBody, kOnDevice };

struct Faults {
  bool of_graphs = false;  // must not be noticeable
  bool in_bodies = false;
  bool on_device = false;
  bool cancels = false;
  bool are_seen() const { return in_bodies || on_device || cancels; }
};

/// One program under one schedule.
class Trial {
 public:
  Trial(uint32_t seed, int workers, Faults faults)
      : random_(seed),
        faults_(faults),
        device_(device(workers > 0 || seed % 2 == 0)),
        engine_({.workers = workers}),
        is_stepped_(workers == 0) {
    device_.reseed(seed);
    for (uint32_t queue = 0; queue < kQueues; ++queue) {
      EXPECT_EQ(device_.reset_queue(queue), ok_status());
      executors_.push_back(
          *engine_.device_executor("queue", driver_queue({device_.driver(), queue}, nullptr)));
      works_.push_back(*RepeatedWork::create({.queue = {device_.driver(), queue},
                                              .capture_queue = kQueues + queue,
                                              .most_graphs = 1 + seed % 3,
                                              .fewest_pieces = 3},
                                             nullptr));
      streams_.push_back(std::make_unique<TaskStream>(executors_[queue], works_[queue]));
    }
    for (size_t i = 0; i < kVariables; ++i) {
      variables_.push_back(engine_.new_variable());
    }
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      push_one();
      disturb();
    }
    for (size_t variable = 0; variable < kVariables; ++variable) {
      wait(variable);
    }
    const Status all = engine_.wait_all(lane_);
    EXPECT_TRUE(all.ok() || faults_.are_seen()) << all;
    engine_.shutdown();
    for (const auto& work : works_) {
      launched_ += work->counts().launched;
      updated_ += work->counts().updated;
    }
    streams_.clear();
    works_.clear();
    EXPECT_EQ(device_.graphs_in_use(), 0);
    const Status left = device_.synchronize();
    EXPECT_TRUE(left.ok() || faults_.on_device) << left;
    for (const GraphStep step : kGraphSteps) {
      device_.fail_next(step, ok_status());
    }
  }

  uint64_t launched() const { return launched_; }
  uint64_t updated() const { return updated_; }

 private:
  static constexpr std::array kGraphSteps = {GraphStep::kBegin, GraphStep::kEnd, GraphStep::kMake,
                                             GraphStep::kUpdate, GraphStep::kLaunch};

  uint64_t below(uint64_t end) { return random_() % end; }

  std::vector<Variable> handles(const std::vector<size_t>& numbers) const {
    std::vector<Variable> found;
    for (const size_t number : numbers) {
      found.push_back(variables_[number]);
    }
    return found;
  }

  void push_one() {
    const uint64_t number = below(8) == 0 ? 1000 + random_() % 1000000 : below(kSteps);
    const Step step(number);
    for (const Work& work : step.works) {
      Values read;
      work.read(serial_, read);
      work.write(read, serial_);
    }
    if (below(6) == 0) {
      push_on_host(step);
    } else {
      push_stream(step);
    }
  }

  void push_on_host(const Step& step) {
    for (const Work& work : step.works) {
      const std::vector<Variable> reads = handles(work.reads);
      const std::vector<Variable> writes = handles(work.writes);
      ASSERT_EQ(engine_.push(lane_, {.reads = reads, .writes = writes},
                             [this, work] {
                               Values read;
                               work.read(values_, read);
                               work.write(read, values_);
                               return ok_status();
                             }),
                ok_status());
    }
  }

  void push_stream(const Step& step) {
    TaskStream& stream = *streams_[step.queue];
    for (const Work& work : step.works) {
      const std::vector<Variable> reads = handles(work.reads);
      const std::vector<Variable> writes = handles(work.writes);
      stream.add({.name = "work", .reads = reads, .writes = writes, .key = work.number}, body(work));
    }
    const int priority = static_cast<int>(below(3));
    ASSERT_EQ(stream.push(engine_, lane_, {.priority = priority}), ok_status());
    if (below(8) == 0) {
      for (const Work& work : step.works) {
        Values read;
        work.read(serial_, read);
        work.write(read, serial_);
      }
      ASSERT_EQ(stream.push(engine_, lane_), ok_status());
    }
  }

  /// Puts two pieces, so that others' work can come between. What is read is memory owned by the body: the
  /// address sanitizer detects a graph that outlives it.
  TaskStream::Body body(const Work& work) {
    Fails fails = Fails::kNever;
    if (faults_.in_bodies && below(15) == 0) {
      fails = Fails::kInBody;
    } else if (faults_.on_device && below(40) == 0) {
      fails = Fails::kOnDevice;
    }
    return [this, work, fails, own = std::make_shared<Values>()](Queue queue) -> Status {
      const bool is_captured = queue.queue >= kQueues;
      const std::shared_ptr<Values> read =
          is_captured ? std::shared_ptr<Values>(std::shared_ptr<void>(), own.get()) : own;
      FOREBAY_RETURN_IF_ERROR(device_.submit(queue.queue, [this, work, read] {
        work.read(values_, *read);
        return ok_status();
      }));
      if (fails == Fails::kInBody) {
        return data_loss("as planned, with half of the work on the queue");
      }
      return device_.submit(queue.queue, [this, work, read, fails]() -> Status {
        if (fails == Fails::kOnDevice) {
          return data_loss("as planned, on the device");
        }
        work.write(*read, values_);
        return ok_status();
      });
    };
  }

  void disturb() {
    for (uint64_t i = below(4); is_stepped_ && i > 0; --i) {
      engine_.step();
    }
    for (uint64_t i = below(6); i > 0; --i) {
      device_.step();
    }
    if (below(12) == 0) {
      wait(below(kVariables));
    }
    if (faults_.cancels && below(15) == 0) {
      engine_.cancel(lane_);
    }
    if (faults_.of_graphs && below(6) == 0) {
      device_.fail_next(kGraphSteps[below(kGraphSteps.size())], data_loss("as planned, of a graph"));
    }
  }

  // A variable without an error must have the value of a run in which nothing failed.
  void wait(size_t variable) {
    const Status status = engine_.wait(variables_[variable]);
    if (status.ok()) {
      EXPECT_EQ(values_[variable], serial_[variable]) << "variable " << variable;
    }
    EXPECT_TRUE(status.ok() || faults_.are_seen()) << status;
  }

  std::mt19937_64 random_;
  const Faults faults_;
  SimulatedDevice& device_;
  Values values_ = Values(kVariables);
  Values serial_ = Values(kVariables);
  Engine engine_;
  const bool is_stepped_;
  LaneRef lane_ = engine_.new_lane({.name = "lane"});
  std::vector<ExecutorRef> executors_;
  std::vector<std::shared_ptr<RepeatedWork>> works_;
  std::vector<std::unique_ptr<TaskStream>> streams_;
  std::vector<Variable> variables_;
  uint64_t launched_ = 0;
  uint64_t updated_ = 0;
};

Faults faults_of(uint32_t seed) {
  return {.of_graphs = seed % 7 == 0,
          .in_bodies = seed % 2 == 0,
          .on_device = seed % 3 == 0,
          .cancels = seed % 5 == 0};
}

/// Disturbs the schedule of threads, if that is possible.
std::unique_ptr<engine::testing::ScheduleNoise> noise(uint32_t seed) {
  return engine::testing::can_make_noise() ? std::make_unique<engine::testing::ScheduleNoise>(seed) : nullptr;
}

TEST(RepeatedWorkScheduleTest, SteppedSchedulesEqualASerialRun) {
  uint64_t launched = 0;
  uint64_t updated = 0;
  for_seeds(1500, [&](uint32_t seed) {
    Trial trial(seed, 0, {});
    trial.run(50);
    launched += trial.launched();
    updated += trial.updated();
  });
  EXPECT_GT(launched, 0) << "nothing was tested";
  EXPECT_GT(updated, 0) << "nothing was updated";
}

TEST(RepeatedWorkScheduleTest, NobodyNoticesWhatFailsOfGraphs) {
  for_seeds(1500, [](uint32_t seed) { Trial(seed, 0, {.of_graphs = true}).run(50); });
}

TEST(RepeatedWorkScheduleTest, SteppedSchedulesWithErrorsLeaveNothingWrong) {
  for_seeds(1500, [](uint32_t seed) { Trial(seed, 0, faults_of(seed)).run(50); });
}

TEST(RepeatedWorkScheduleTest, ThreadedSchedulesEqualASerialRun) {
  for_seeds(8, [](uint32_t seed) {
    const auto disturbed = noise(seed);
    Trial(seed, 1 + static_cast<int>(seed % 2), {.of_graphs = seed % 3 == 0}).run(60);
  });
}

TEST(RepeatedWorkScheduleTest, ThreadedSchedulesWithErrorsLeaveNothingWrong) {
  for_seeds(8, [](uint32_t seed) {
    const auto disturbed = noise(seed);
    Trial(seed, 1 + static_cast<int>(seed % 2), faults_of(seed)).run(60);
  });
}

}  // namespace
}  // namespace forebay::cuda
