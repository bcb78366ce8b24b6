#include "forebay/cuda/queues/task_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/cuda/queues/driver_queue.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/device_driver.h"

namespace forebay::cuda {
namespace {

using engine::Engine;
using engine::ExecutorRef;
using engine::LaneRef;
using engine::Variable;
using memory::Queue;
using memory::SimulatedDevice;
using ::testing::HasSubstr;
using ::testing::Not;

/// On one thread: tasks run when the test steps or waits, and the device's work when somebody waits.
class TaskStreamTest : public ::testing::Test {
 protected:
  ~TaskStreamTest() override {
    engine_.shutdown();
    (void)device_->synchronize();
  }

  /// Adds a task whose work records `name`.
  void add(const std::string& name, std::vector<Variable> reads, std::vector<Variable> writes,
           uint64_t key = 0) {
    stream_.add({.name = name, .reads = reads, .writes = writes, .key = key}, [this, name](Queue queue) {
      ++calls_;
      return device_->submit(queue.queue, [this, name] {
        notes_ += name;
        return ok_status();
      });
    });
  }
  void add_step(uint64_t key = 0) {
    add("a", {}, {x_}, key);
    add("b", {x_}, {y_}, key);
  }
  void push() { ASSERT_EQ(stream_.push(engine_, lane_, {.name = "step"}), ok_status()); }
  std::string text_of(const Status& status) { return std::string(message(status)); }
  std::string done() {
    EXPECT_EQ(engine_.wait_all(lane_), ok_status());
    return std::exchange(notes_, {});
  }

  std::shared_ptr<SimulatedDevice> device_ = *SimulatedDevice::create({.queues = 3, .eager = false});
  Engine engine_{{.workers = 0}};
  LaneRef lane_ = engine_.new_lane({.name = "lane"});
  ExecutorRef executor_ = *engine_.device_executor("queue", driver_queue({device_->driver(), 0}, device_));
  std::shared_ptr<RepeatedWork> work_ = *RepeatedWork::create(
      {.queue = {device_->driver(), 0}, .capture_queue = 1, .fewest_pieces = 2}, device_);
  TaskStream stream_{executor_, work_};
  Variable x_ = engine_.new_variable();
  Variable y_ = engine_.new_variable();
  Variable z_ = engine_.new_variable();
  std::string notes_;
  int calls_ = 0;
};

TEST_F(TaskStreamTest, AStepIsOneTaskAndOneLaunch) {
  for (int i = 0; i < 5; ++i) {
    add_step();
    push();
    EXPECT_EQ(engine_.pending_tasks(), 1);
    EXPECT_EQ(done(), "ab");
  }
  EXPECT_EQ(calls_, 4) << "plain and captured, two tasks each";
  EXPECT_EQ(work_->counts().launched, 4);
}

TEST_F(TaskStreamTest, WhatWasPushedMayBePushedAgain) {
  add_step();
  push();
  push();
  push();
  EXPECT_EQ(done(), "ababab");
  EXPECT_EQ(work_->counts().launched, 2);
  add("c", {}, {z_});
  push();
  EXPECT_EQ(done(), "c") << "another step";
}

TEST_F(TaskStreamTest, NothingIsPushedForNothing) {
  push();
  EXPECT_EQ(engine_.pending_tasks(), 0);
}

TEST_F(TaskStreamTest, KeysOfTheTasksAndTheirOrderTellStepsApart) {
  const auto run = [&](const std::vector<std::pair<std::string, uint64_t>>& tasks) {
    for (const auto& [name, key] : tasks) {
      add(name, {}, {x_}, key);
    }
    push();
    EXPECT_EQ(done(), tasks[0].first + tasks[1].first);
  };
  run({{"a", 1}, {"b", 2}});
  run({{"b", 2}, {"a", 1}});
  run({{"a", 2}, {"b", 1}});
  run({{"c", 1}, {"b", 2}});
  EXPECT_EQ(work_->counts().launched, 0);
  run({{"a", 1}, {"b", 2}});
  EXPECT_EQ(work_->counts().launched, 1);
}

TEST_F(TaskStreamTest, ItComesBetweenWhatWasPushedBeforeAndAfter) {
  const ExecutorRef other = *engine_.device_executor("other", driver_queue({device_->driver(), 2}, device_));
  const auto push_single = [&](const std::string& name, const Variable& reads, const Variable& writes) {
    ASSERT_EQ(engine_.push(lane_, {.reads = {&reads, 1}, .writes = {&writes, 1}, .executor = other},
                           [this, name] {
                             return device_->submit(2, [this, name] {
                               notes_ += name;
                               return ok_status();
                             });
                           }),
              ok_status());
  };
  for (int i = 0; i < 4; ++i) {
    push_single("<", z_, x_);
    add("a", {x_}, {y_});
    add("b", {y_}, {z_});
    push();
    push_single(">", y_, y_);
    EXPECT_EQ(done(), "<ab>");
  }
  EXPECT_EQ(work_->counts().launched, 3);
}

TEST_F(TaskStreamTest, AnErrorNamesTheStreamAndTheTask) {
  for (int i = 0; i < 2; ++i) {
    add("fine", {}, {x_});
    stream_.add({.name = "broken", .reads = {&x_, 1}, .writes = {&y_, 1}},
                [](Queue) { return data_loss("as planned"); });
    push();
    const std::string text = text_of(engine_.wait(y_));
    EXPECT_THAT(text, HasSubstr("'step'"));
    EXPECT_THAT(text, HasSubstr("broken: as planned"));
    EXPECT_THAT(text, Not(HasSubstr("fine")));
    EXPECT_EQ(text_of(engine_.wait(x_)), text) << "one task, one error";
    (void)engine_.wait_all(lane_);
  }
  EXPECT_EQ(std::exchange(notes_, {}), "fine") << "the captured one was dropped";
  add_step();
  push();
  EXPECT_EQ(done(), "ab") << "the queue is whole, and an overwrite heals";
}

TEST_F(TaskStreamTest, AnExceptionIsAnErrorOfItsTask) {
  for (int i = 0; i < 2; ++i) {
    stream_.add({.name = "broken", .writes = {&x_, 1}},
                [](Queue) -> Status { throw std::runtime_error("as planned"); });
    push();
    EXPECT_THAT(text_of(engine_.wait(x_)), HasSubstr("broken: exception: as planned"));
  }
  (void)engine_.wait_all(lane_);
}

TEST_F(TaskStreamTest, AnErrorOfTheDeviceIsTheSteps) {
  for (int i = 0; i < 3; ++i) {
    add("a", {}, {x_});
    stream_.add({.name = "b", .reads = {&x_, 1}, .writes = {&y_, 1}}, [this](Queue queue) {
      return device_->submit(queue.queue,
                             [this] { return ++calls_ < 5 ? ok_status() : data_loss("an illegal address"); });
    });
    push();
    const Status status = engine_.wait(y_);
    EXPECT_EQ(status.ok(), calls_ < 5) << status;
  }
  EXPECT_EQ(work_->counts().launched, 2);
  EXPECT_THAT(text_of(engine_.wait(y_)), HasSubstr("an illegal address"));
  EXPECT_FALSE(engine_.wait_all(lane_).ok());
}

TEST_F(TaskStreamTest, ErrorsFromOutsideAreInheritedOrHealedAsByItsTasks) {
  ASSERT_EQ(engine_.push(lane_, {.writes = {&x_, 1}}, [] { return data_loss("from before"); }), ok_status());
  add("reads", {x_}, {y_});
  push();
  EXPECT_THAT(text_of(engine_.wait(y_)), HasSubstr("from before"));
  EXPECT_FALSE(engine_.wait_all(lane_).ok());
  add_step();  // writes x before it reads it
  push();
  EXPECT_EQ(engine_.wait(x_), ok_status());
  EXPECT_EQ(engine_.wait(y_), ok_status());
  EXPECT_EQ(done(), "ab");
}

TEST_F(TaskStreamTest, AnUpdateInheritsWhatWasThere) {
  ASSERT_EQ(engine_.push(lane_, {.writes = {&x_, 1}}, [] { return data_loss("from before"); }), ok_status());
  add("update", {x_}, {x_});
  push();
  EXPECT_THAT(text_of(engine_.wait(x_)), HasSubstr("from before"));
  EXPECT_FALSE(engine_.wait_all(lane_).ok());
  EXPECT_EQ(notes_, "");
}

TEST_F(TaskStreamTest, ACancelledStepLeavesNothing) {
  add_step();
  push();
  EXPECT_EQ(done(), "ab");
  add_step();
  push();  // would be captured
  engine_.cancel(lane_);
  EXPECT_EQ(engine_.wait(y_).code(), StatusCode::kCancelled);
  EXPECT_EQ(engine_.wait_all(lane_), ok_status());
  EXPECT_EQ(notes_, "");
  for (int i = 0; i < 2; ++i) {
    add_step();
    push();
    EXPECT_EQ(done(), "ab");
  }
  EXPECT_EQ(work_->counts().launched, 2);
}

TEST_F(TaskStreamTest, WhatBodiesCapturedLivesAsLongAsTheGraph) {
  const auto memory = std::make_shared<int>(1);
  const auto run = [&] {
    stream_.add({.name = "use", .writes = {&x_, 1}}, [this, memory](Queue queue) -> Status {
      FOREBAY_RETURN_IF_ERROR(device_->submit(queue.queue, [] { return ok_status(); }));
      return device_->submit(queue.queue, [] { return ok_status(); });
    });
    push();
    stream_.add({.name = "another step"}, [](Queue) { return ok_status(); });
    push();
    ASSERT_EQ(engine_.wait_all(lane_), ok_status());
  };
  run();
  EXPECT_EQ(memory.use_count(), 1) << "it was run plainly";
  run();
  EXPECT_EQ(memory.use_count(), 2) << "the graph uses it";
  run();
  EXPECT_EQ(memory.use_count(), 2) << "that of the first graph alone";
}

}  // namespace
}  // namespace forebay::cuda
