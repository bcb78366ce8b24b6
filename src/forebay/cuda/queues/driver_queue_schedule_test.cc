// The engine's device tasks on queues of the simulated device, whose work runs late and in an order drawn
// from a seed, compared with a serial run in push order. A value is a hash of what was read, so anything that
// runs too early, too late or twice is detected.
//
// Covered here and in engine/devices/engine_device_test.cc, each part seen to fail without it: a queue's wait
// for another queue's point, and that the point is behind the task; that a writer waits for readers on other
// queues; the host's wait for a point; the order in which tasks of several queues finish; that a failed,
// skipped or cancelled task lets nobody overtake what it came after; that a device error reaches everything
// after its last good point, whether issued, ready or running meanwhile, and does not survive an overwrite.
//
// FOREBAY_SEEDS and FOREBAY_SEED: base/testing/seeds.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/base/testing/seeds.h"
#include "forebay/cuda/queues/driver_queue.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/testing/schedule_noise.h"
#include "forebay/memory/device/simulated_device.h"

namespace forebay::cuda {
namespace {

using engine::Engine;
using engine::ExecutorRef;
using engine::LaneRef;
using engine::Variable;
using memory::SimulatedDevice;

constexpr uint32_t kQueues = 3;
constexpr size_t kVariables = 5;

/// Shared by all tests, because the number of drivers is limited.
SimulatedDevice& device(bool eager) {
  static const auto& devices = *new std::vector<std::shared_ptr<SimulatedDevice>>{
      *SimulatedDevice::create({.queues = kQueues, .memory_bytes = 4096, .eager = false}),
      *SimulatedDevice::create({.queues = kQueues, .memory_bytes = 4096, .eager = true})};
  return *devices[eager ? 1 : 0];
}

enum class Fails { kNever, kInBody, kOnDevice };

struct Step {
  std::vector<size_t> reads;
  std::vector<size_t> writes;
  int place = -1;  // a queue number; -1: the host
  int priority = 0;
  Fails fails = Fails::kNever;
  uint64_t number = 0;
};

struct Faults {
  bool in_bodies = false;
  bool on_device = false;
  bool cancels = false;
  bool any() const { return in_bodies || on_device || cancels; }
};

using Values = std::vector<uint64_t>;

void compute(const Step& step, const Values& read, Values& values) {
  uint64_t value = step.number;
  for (const uint64_t one : read) {
    value = mix64(value, one);
  }
  for (const size_t variable : step.writes) {
    values[variable] = mix64(value, variable);
  }
}

Values read_all(const Step& step, const Values& values) {
  Values read;
  for (const size_t variable : step.reads) {
    read.push_back(values[variable]);
  }
  return read;
}

/// Disturbs the schedule of threads, if that is possible.
std::unique_ptr<engine::testing::ScheduleNoise> noise(uint32_t seed) {
  return engine::testing::can_make_noise() ? std::make_unique<engine::testing::ScheduleNoise>(seed) : nullptr;
}

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
      queues_.push_back(*engine_.device_executor("queue", driver_queue({device_.driver(), queue}, nullptr)));
    }
    for (size_t i = 0; i < kVariables; ++i) {
      variables_.push_back(engine_.new_variable());
    }
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      push(draw(static_cast<uint64_t>(i) + 1));
      disturb();
    }
    for (size_t variable = 0; variable < kVariables; ++variable) {
      wait(variable);
    }
    const Status all = engine_.wait_all(lane_);
    EXPECT_TRUE(all.ok() || faults_.any()) << all;
    EXPECT_EQ(engine_.pending_tasks(), 0);
    EXPECT_EQ(engine_.wait_all(lane_), ok_status());
    engine_.shutdown();
    (void)device_.synchronize();
  }

 private:
  uint64_t below(uint64_t end) { return random_() % end; }

  Step draw(uint64_t number) {
    Step step{.number = number};
    for (size_t variable = 0; variable < kVariables; ++variable) {
      const uint64_t use = below(10);
      if (use < 3) {
        step.reads.push_back(variable);
      }
      if (use == 2 || use == 3) {
        step.writes.push_back(variable);
      }
    }
    step.place = static_cast<int>(below(kQueues + 1)) - 1;
    step.priority = static_cast<int>(below(3));
    if (faults_.in_bodies && below(12) == 0) {
      step.fails = Fails::kInBody;
    } else if (faults_.on_device && step.place >= 0 && below(20) == 0) {
      step.fails = Fails::kOnDevice;
    }
    return step;
  }

  void push(const Step& step) {
    compute(step, read_all(step, serial_), serial_);
    std::vector<Variable> reads;
    std::vector<Variable> writes;
    for (const size_t variable : step.reads) {
      reads.push_back(variables_[variable]);
    }
    for (const size_t variable : step.writes) {
      writes.push_back(variables_[variable]);
    }
    const engine::TaskOptions options{
        .reads = reads,
        .writes = writes,
        .priority = step.priority,
        .executor = step.place < 0 ? nullptr : queues_[static_cast<size_t>(step.place)]};
    ASSERT_EQ(engine_.push(lane_, options, [this, step] { return do_step(step); }), ok_status());
  }

  /// Puts two pieces on the queue, so that others' work can come between reading and writing.
  Status do_step(const Step& step) {
    if (step.place < 0) {
      if (step.fails == Fails::kInBody) {
        return data_loss("as planned");
      }
      compute(step, read_all(step, values_), values_);
      return ok_status();
    }
    const auto queue = static_cast<uint32_t>(step.place);
    const auto read = std::make_shared<Values>();
    FOREBAY_RETURN_IF_ERROR(device_.submit(queue, [this, step, read] {
      *read = read_all(step, values_);
      return ok_status();
    }));
    if (step.fails == Fails::kInBody) {
      return data_loss("as planned, with half of the work on the queue");
    }
    return device_.submit(queue, [this, step, read]() -> Status {
      if (step.fails == Fails::kOnDevice) {
        return data_loss("as planned, on the device");
      }
      compute(step, *read, values_);
      return ok_status();
    });
  }

  void disturb() {
    for (uint64_t i = below(4); is_stepped_ && i > 0; --i) {
      engine_.step();
    }
    for (uint64_t i = below(4); i > 0; --i) {
      device_.step();
    }
    if (below(12) == 0) {
      wait(below(kVariables));
    }
    if (faults_.cancels && below(15) == 0) {
      engine_.cancel(lane_);
    }
  }

  // A variable without an error must have the value of a run in which nothing failed.
  void wait(size_t variable) {
    const Status status = engine_.wait(variables_[variable]);
    if (status.ok()) {
      EXPECT_EQ(values_[variable], serial_[variable]) << "variable " << variable;
    }
    EXPECT_TRUE(status.ok() || faults_.any()) << status;
  }

  std::mt19937_64 random_;
  const Faults faults_;
  SimulatedDevice& device_;
  Values values_ = Values(kVariables);
  Values serial_ = Values(kVariables);
  Engine engine_;
  const bool is_stepped_;
  LaneRef lane_ = engine_.new_lane({.name = "lane"});
  std::vector<ExecutorRef> queues_;
  std::vector<Variable> variables_;
};

Faults faults_of(uint32_t seed) {
  return {.in_bodies = seed % 2 == 0, .on_device = seed % 3 == 0, .cancels = seed % 5 == 0};
}

TEST(DriverQueueScheduleTest, SteppedSchedulesEqualASerialRun) {
  for_seeds(2500, [](uint32_t seed) { Trial(seed, 0, {}).run(40); });
}

TEST(DriverQueueScheduleTest, SteppedSchedulesWithErrorsLeaveNothingWrong) {
  for_seeds(2500, [](uint32_t seed) { Trial(seed, 0, faults_of(seed)).run(40); });
}

TEST(DriverQueueScheduleTest, ThreadedSchedulesEqualASerialRun) {
  for_seeds(8, [](uint32_t seed) {
    const auto disturbed = noise(seed);
    Trial(seed, 1 + static_cast<int>(seed % 2), {}).run(60);
  });
}

TEST(DriverQueueScheduleTest, ThreadedSchedulesWithErrorsLeaveNothingWrong) {
  for_seeds(8, [](uint32_t seed) {
    const auto disturbed = noise(seed);
    Trial(seed, 1 + static_cast<int>(seed % 2), faults_of(seed)).run(60);
  });
}

}  // namespace
}  // namespace forebay::cuda
