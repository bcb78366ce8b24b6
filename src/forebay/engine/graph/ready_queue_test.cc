#include "forebay/engine/graph/ready_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

namespace forebay::engine {
namespace {

class ReadyQueueTest : public ::testing::Test {
 protected:
  ~ReadyQueueTest() override {
    for (Task* task : tasks_) {
      Task::destroy(task);
    }
  }

  Lane& lane(int weight = 1, int width = 0) {
    lanes_.push_back(std::make_unique<Lane>());
    lanes_.back()->id = lanes_.size();
    lanes_.back()->options.weight = weight;
    lanes_.back()->options.width = width;
    return *lanes_.back();
  }

  Task& add(Lane& lane, uint64_t order, int priority = 0) {
    Task* task = Task::create(0);
    task->lane = &lane;
    task->id = tasks_.size() + 1;
    task->order = order;
    task->priority = priority;
    tasks_.push_back(task);
    queue_.add(*task);
    return *task;
  }

  std::vector<uint64_t> drain() {
    std::vector<uint64_t> orders;
    while (Task* task = queue_.take_next()) {
      orders.push_back(task->order);
    }
    return orders;
  }

  ReadyQueue queue_{0};
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Task*> tasks_;
};

TEST_F(ReadyQueueTest, OldestFirstWithinALane) {
  Lane& only = lane();
  for (const uint64_t order : {5, 3, 9, 1, 7, 2, 8}) {
    add(only, order);
  }
  EXPECT_EQ(drain(), (std::vector<uint64_t>{1, 2, 3, 5, 7, 8, 9}));
}

TEST_F(ReadyQueueTest, PriorityOverridesOrder) {
  Lane& only = lane();
  add(only, 1);
  add(only, 2, 10);
  add(only, 3, -1);
  add(only, 4, 10);
  EXPECT_EQ(drain(), (std::vector<uint64_t>{2, 4, 1, 3}));
}

TEST_F(ReadyQueueTest, LanesShareByWeight) {
  Lane& heavy = lane(3);
  Lane& light = lane(1);
  for (uint64_t i = 0; i < 400; ++i) {
    add(heavy, i);
    add(light, i);
  }
  std::map<Lane*, int> taken;
  for (int i = 0; i < 400; ++i) {
    ++taken[queue_.take_next()->lane];
  }
  EXPECT_NEAR(taken[&heavy], 300, 2);
  EXPECT_NEAR(taken[&light], 100, 2);
}

TEST_F(ReadyQueueTest, ALaneSomebodyWaitsForRises) {
  Lane& waited = lane();
  Lane& other = lane();
  waited.waiters = 1;
  for (uint64_t i = 0; i < 90; ++i) {
    add(waited, i);
    add(other, i);
  }
  std::map<Lane*, int> taken;
  for (int i = 0; i < 90; ++i) {
    ++taken[queue_.take_next()->lane];
  }
  EXPECT_NEAR(taken[&waited], 80, 2);
  EXPECT_NEAR(taken[&other], 10, 2) << "it rises, but starves nobody";
}

TEST_F(ReadyQueueTest, ALaneThatSleptSavesNoCredit) {
  Lane& busy = lane();
  Lane& sleeper = lane();
  for (uint64_t i = 0; i < 200; ++i) {
    add(busy, i);
  }
  for (int i = 0; i < 100; ++i) {
    queue_.take_next();
  }
  for (uint64_t i = 0; i < 100; ++i) {
    add(sleeper, i);
  }
  std::map<Lane*, int> taken;
  for (int i = 0; i < 20; ++i) {
    ++taken[queue_.take_next()->lane];
  }
  EXPECT_NEAR(taken[&busy], 10, 1);
}

TEST_F(ReadyQueueTest, AFullLaneIsPassedOver) {
  Lane& narrow = lane(1, 1);
  Lane& wide = lane();
  narrow.running = 1;
  add(narrow, 1);
  add(wide, 2);
  EXPECT_EQ(queue_.runnable(9), 1);
  EXPECT_EQ(drain(), std::vector<uint64_t>{2});
  narrow.running = 0;
  EXPECT_EQ(drain(), std::vector<uint64_t>{1});
}

TEST_F(ReadyQueueTest, AnyTaskCanBeTakenOut) {
  Lane& only = lane();
  std::vector<Task*> added;
  for (uint64_t i = 1; i <= 50; ++i) {
    added.push_back(&add(only, (i * 37) % 101));
  }
  for (size_t i = 0; i < added.size(); i += 2) {
    queue_.remove(*added[i]);
  }
  const std::vector<uint64_t> left = drain();
  EXPECT_EQ(left.size(), 25);
  EXPECT_TRUE(std::is_sorted(left.begin(), left.end()));
}

}  // namespace
}  // namespace forebay::engine
