// Walks over what a task waits for, stepped by hand: others change the graph between two pieces.
#include "forebay/engine/waits/walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace forebay::engine {
namespace {

using ::testing::IsEmpty;

constexpr size_t kMany = 3 * Walk::kSteps;

class WalkTest : public ::testing::Test {
 protected:
  ~WalkTest() override {
    while (run_next()) {
    }
    destroy_finished();
  }

  Task& push(std::vector<VariableState*> reads, std::vector<VariableState*> writes) {
    Task* const task = Task::create(reads.size() + writes.size());
    task->lane = lane_.get();
    for (VariableState* const variable : writes) {
      task->add_access(variable).writes = true;
    }
    for (VariableState* const variable : reads) {
      task->add_access(variable).reads = true;
    }
    graph_.inbox().put(task, {.lane = lane_.get()});
    graph_.sort_in(Graph::kEverything);
    return *task;
  }

  VariableState& new_state() {
    states_.push_back(std::make_unique<VariableState>());
    return *states_.back();
  }

  bool run_next() {
    Task* const task = graph_.queue().take_next();
    if (task != nullptr) {
      graph_.end_body(*task, ok_status(), 0);
    }
    return task != nullptr;
  }

  size_t destroy_finished() {
    size_t count = 0;
    for (Task* task = graph_.take_finished(); task != nullptr; ++count) {
      Task::destroy(std::exchange(task, task->chain));
    }
    return count;
  }

  /// The numbers of the tasks that one piece of the walk visits.
  std::vector<uint64_t> walk_piece(Walk& walk) {
    std::vector<uint64_t> met;
    walk.begin_piece();
    while (Task* const task = walk.next()) {
      met.push_back(task->id);
      walk.add_predecessors(*task);
    }
    return met;
  }

  size_t walk_to_end(Walk& walk) {
    size_t met = 0;
    do {
      met += walk_piece(walk).size();
    } while (walk.is_at_end_of_piece());
    return met;
  }

  std::vector<std::unique_ptr<VariableState>> states_;
  Trace trace_;
  LaneRef lane_ = std::make_shared<Lane>();
  Graph graph_{trace_};
};

TEST_F(WalkTest, MeetsEachAncestorOnce) {
  VariableState& x = new_state();
  VariableState& y = new_state();
  push({}, {&x, &y});
  push({&x}, {});
  push({&y}, {});
  push({}, {&new_state()});  // nobody waits for it
  Task& last = push({}, {&x, &y});
  Walk walk(graph_);
  walk.add({.task = &last});
  EXPECT_THAT(walk_piece(walk), ::testing::UnorderedElementsAre(5, 3, 2, 1));
  EXPECT_FALSE(walk.is_at_end_of_piece());
}

TEST_F(WalkTest, StopsAfterAPieceOfAChain) {
  VariableState& x = new_state();
  Task* last = nullptr;
  for (size_t i = 0; i < kMany; ++i) {
    last = &push({}, {&x});
  }
  Walk walk(graph_);
  walk.add({.task = last});
  EXPECT_LE(walk_piece(walk).size(), Walk::kSteps);
  EXPECT_TRUE(walk.is_at_end_of_piece());
  EXPECT_GE(walk_to_end(walk), kMany - Walk::kSteps);
}

TEST_F(WalkTest, StopsAfterAPieceOfReadersAndOfALane) {
  VariableState& x = new_state();
  for (size_t i = 0; i < kMany; ++i) {
    push({&x}, {});
  }
  Task& writer = push({}, {&x});
  for (const Awaited& awaited : {Awaited{.task = &writer}, Awaited{.lane = lane_.get()}}) {
    Walk walk(graph_);
    walk.add(awaited);
    EXPECT_LE(walk_piece(walk).size(), Walk::kSteps);
    EXPECT_TRUE(walk.is_at_end_of_piece());
    EXPECT_GT(walk_to_end(walk), kMany - Walk::kSteps);
  }
}

TEST_F(WalkTest, WhatEndsBetweenTwoPiecesStaysInMemoryAndIsNotMet) {
  VariableState& x = new_state();
  Task* last = nullptr;
  for (size_t i = 0; i < kMany; ++i) {
    last = &push({}, {&x});
  }
  {
    Walk walk(graph_);
    walk.add({.task = last});
    const size_t met = walk_piece(walk).size();
    for (size_t i = 0; i < Walk::kSteps; ++i) {
      ASSERT_TRUE(run_next());
    }
    EXPECT_EQ(destroy_finished(), 0);
    EXPECT_EQ(met + walk_to_end(walk), kMany - Walk::kSteps);
  }
  EXPECT_EQ(destroy_finished(), Walk::kSteps);
}

TEST_F(WalkTest, EverythingMayEndBetweenTwoPieces) {
  VariableState& x = new_state();
  Task* last = nullptr;
  for (size_t i = 0; i < kMany; ++i) {
    push({&x}, {});
    last = &push({}, {&x});
  }
  Walk walk(graph_);
  walk.add({.task = last, .lane = lane_.get()});
  walk_piece(walk);
  while (run_next()) {
  }
  EXPECT_THAT(walk_piece(walk), IsEmpty());
  EXPECT_EQ(walk_to_end(walk), 0);
}

TEST_F(WalkTest, FollowsWhatABodyWaitsForAndWhatRunsAboveIt) {
  VariableState& x = new_state();
  VariableState& y = new_state();
  Task& awaited = push({}, {&y});
  Task& inner = push({}, {&new_state()});
  Task& waits = push({}, {&x});
  Task& last = push({&x}, {});
  const Awaited what{.task = &awaited};
  Running running{.inner = &inner, .awaited = &what};
  waits.running = &running;
  Walk walk(graph_);
  walk.add({.task = &last});
  EXPECT_THAT(walk_piece(walk), ::testing::UnorderedElementsAre(last.id, waits.id, inner.id, awaited.id));
}

}  // namespace
}  // namespace forebay::engine
