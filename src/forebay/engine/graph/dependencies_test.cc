#include "forebay/engine/graph/dependencies.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace forebay::engine {
namespace {

class DependenciesTest : public ::testing::Test {
 protected:
  ~DependenciesTest() override {
    for (Task* task : tasks_) {
      Task::destroy(task);
    }
    delete x_;
    delete y_;
  }

  Task& task(std::vector<VariableState*> reads, std::vector<VariableState*> writes) {
    Task* task = Task::create(reads.size() + writes.size());
    task->id = tasks_.size() + 1;
    task->is_for_device = for_device_;
    for (VariableState* variable : writes) {
      task->add_access(variable).writes = true;
    }
    for (VariableState* variable : reads) {
      task->add_access(variable).reads = true;
    }
    for (Access& access : task->accesses()) {
      append_access(access);
    }
    tasks_.push_back(task);
    return *task;
  }

  Task& device_task(std::vector<VariableState*> reads, std::vector<VariableState*> writes) {
    for_device_ = true;
    Task& made = task(std::move(reads), std::move(writes));
    for_device_ = false;
    return made;
  }

  static std::vector<uint64_t> ids(TaskList& tasks) {
    std::vector<uint64_t> found;
    while (!tasks.is_empty()) {
      found.push_back(tasks.take_first().id);
    }
    return found;
  }

  std::vector<uint64_t> issue(Task& task) {
    TaskList unblocked;
    for (Access& access : task.accesses()) {
      issue_access(access, unblocked);
    }
    return ids(unblocked);
  }

  std::vector<uint64_t> finish(Task& task) {
    TaskList unblocked;
    for (Access& access : task.accesses()) {
      remove_access(access, unblocked);
    }
    return ids(unblocked);
  }

  VariableState* x_ = new VariableState;
  VariableState* y_ = new VariableState;
  std::vector<Task*> tasks_;
  bool for_device_ = false;
};

using Ids = std::vector<uint64_t>;

TEST_F(DependenciesTest, ReadersShareAndWritersAreAlone) {
  Task& read1 = task({x_}, {});
  Task& read2 = task({x_}, {});
  Task& write = task({}, {x_});
  Task& read3 = task({x_}, {});
  Task& read4 = task({x_}, {});
  EXPECT_EQ(read1.blocked, 0);
  EXPECT_EQ(read2.blocked, 0);
  EXPECT_EQ(write.blocked, 1);
  EXPECT_EQ(finish(read2), Ids{});
  EXPECT_EQ(finish(read1), Ids{3});
  EXPECT_EQ(finish(write), (Ids{4, 5}));
  EXPECT_EQ(finish(read4), Ids{});
  EXPECT_EQ(finish(read3), Ids{});
  EXPECT_EQ(x_->head, nullptr);
  EXPECT_EQ(x_->last_write, nullptr);
}

TEST_F(DependenciesTest, WritersGoOneByOneInPushOrder) {
  Task& first = task({}, {x_});
  Task& second = task({}, {x_});
  Task& third = task({}, {x_});
  EXPECT_EQ(&x_->last_write->task(), &third);
  EXPECT_EQ(finish(first), Ids{2});
  EXPECT_EQ(finish(second), Ids{3});
  EXPECT_EQ(finish(third), Ids{});
}

TEST_F(DependenciesTest, ATaskIsReadyWhenItsLastGrantComes) {
  Task& write_x = task({}, {x_});
  Task& write_y = task({}, {y_});
  Task& sum = task({x_, y_}, {});
  EXPECT_EQ(sum.blocked, 2);
  EXPECT_EQ(finish(write_y), Ids{});
  EXPECT_EQ(finish(write_x), Ids{3});
  finish(sum);
}

TEST_F(DependenciesTest, PredecessorsOfAReadAreTheLastWriteOnly) {
  Task& write1 = task({}, {x_});
  Task& write2 = task({}, {x_});
  Task& read1 = task({x_}, {});
  Task& read2 = task({x_}, {});
  Task& write3 = task({}, {x_});
  const auto predecessors = [](Task& of) {
    Ids ids;
    visit_predecessors(of.accesses()[0], [&](Access& before) {
      ids.push_back(before.task().id);
      return true;
    });
    return ids;
  };
  EXPECT_EQ(predecessors(read2), Ids{2});
  EXPECT_EQ(predecessors(write3), (Ids{4, 3, 2}));
  EXPECT_EQ(predecessors(write1), Ids{});
  for (Task* task : {&write1, &write2, &read1, &read2, &write3}) {
    finish(*task);
  }
}

TEST_F(DependenciesTest, ManyReadersOfAHotVariableLeaveNothingBehind) {
  for (int i = 0; i < 1000; ++i) {
    finish(task({x_}, {y_}));
  }
  EXPECT_EQ(x_->head, nullptr);
  EXPECT_EQ(x_->tail, nullptr);
}

TEST_F(DependenciesTest, DevicesGoOnBehindWhatWasIssuedAndTheHostDoesNot) {
  Task& write = device_task({}, {x_});
  Task& read = device_task({x_}, {});
  Task& host_read = task({x_}, {});
  Task& read_too = device_task({x_}, {});
  Task& next_write = device_task({}, {x_});
  EXPECT_EQ(write.blocked, 0);
  EXPECT_EQ(issue(write), (Ids{2, 4})) << "the device's readers";
  EXPECT_EQ(issue(read_too), Ids{});
  EXPECT_EQ(issue(read), Ids{});
  EXPECT_EQ(host_read.blocked, 1);
  EXPECT_EQ(finish(write), Ids{3});
  EXPECT_EQ(next_write.blocked, 1) << "the host reads";
  EXPECT_EQ(finish(host_read), Ids{5});
  EXPECT_FALSE(is_first(next_write.accesses()[0])) << "readers were issued and are not known to be done";
  EXPECT_EQ(issue(next_write), Ids{});
  EXPECT_EQ(finish(read), Ids{});
  EXPECT_EQ(finish(read_too), Ids{});
  EXPECT_TRUE(is_first(next_write.accesses()[0]));
  EXPECT_EQ(finish(next_write), Ids{});
}

TEST_F(DependenciesTest, AChainOnADeviceIsIssuedAtOnce) {
  Task& first = device_task({}, {x_});
  Task& second = device_task({}, {x_});
  Task& third = device_task({y_}, {x_});
  EXPECT_EQ(issue(first), Ids{2});
  EXPECT_EQ(issue(second), Ids{3});
  EXPECT_EQ(issue(third), Ids{});
  Task& late = task({x_}, {});
  EXPECT_EQ(late.blocked, 1) << "the host waits, though all is issued";
  EXPECT_EQ(finish(first), Ids{});
  EXPECT_EQ(finish(second), Ids{});
  EXPECT_EQ(finish(third), Ids{4});
  EXPECT_EQ(finish(late), Ids{});
}

TEST_F(DependenciesTest, AnAccessThatEndsUnissuedLetsDevicesOn) {
  Task& failed = device_task({}, {x_});
  Task& read = device_task({x_}, {});
  Task& write = device_task({}, {x_});
  EXPECT_EQ(finish(failed), Ids{2});
  EXPECT_EQ(issue(read), Ids{3});
  EXPECT_EQ(finish(read), Ids{});
  EXPECT_EQ(issue(write), Ids{});
  EXPECT_EQ(finish(write), Ids{});
  Task& after = task({x_}, {});
  EXPECT_EQ(after.blocked, 0);
}

}  // namespace
}  // namespace forebay::engine
