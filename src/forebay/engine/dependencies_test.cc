#include "forebay/engine/dependencies.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace forebay::engine {
namespace {

class DependenciesTest : public testing::Test {
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

  std::vector<uint64_t> finish(Task& task) {
    std::vector<uint64_t> unblocked;
    for (Access& access : task.accesses()) {
      remove_access(access, [&](Task& ready) { unblocked.push_back(ready.id); });
    }
    return unblocked;
  }

  VariableState* x_ = new VariableState;
  VariableState* y_ = new VariableState;
  std::vector<Task*> tasks_;
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

}  // namespace
}  // namespace forebay::engine
