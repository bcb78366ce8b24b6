// Every row of the operator table in sessions: what decides when and where an operator runs does not decide
// what it gives.
//
// Inputs and tensor arguments of a case are files of raw bytes, a reader each, so that samples have
// positions: they can be replayed and resumed. `reinterpret` gives the bytes their type and shape.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "graph_of_case.h"

namespace forebay::pipeline {
namespace {

using tensor::Tensor;
using testing::all_cases;
using testing::case_named;
using testing::Folder;
using testing::GraphOfCase;
using testing::kDelivered;
using testing::open;
using testing::Row;
using testing::Settings;
using testing::take;
using testing::text_of;

class OperatorInSessions : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    graph_ = GraphOfCase(case_named(GetParam()), folder_).graph();
    const auto plan = Plan::compile(graph_, {});
    ASSERT_TRUE(plan.ok()) << plan.status();
    depends_on_batch_ = !(*plan)->batch_dependent().empty();
    expected_ = take(*open(graph_, {}), kDelivered);
    ASSERT_EQ(expected_.size(), kDelivered);
  }

  Folder folder_;
  Graph graph_;
  bool depends_on_batch_ = false;
  std::vector<Row> expected_;  // by one thread, in batches of one
};

TEST_P(OperatorInSessions, ThreadsAndBatchSizesChangeNothing) {
  for (const int batch_size : {1, 3, 8}) {
    const std::vector<Row> by_one = take(*open(graph_, {.batch_size = batch_size}), kDelivered);
    if (!depends_on_batch_) {
      EXPECT_EQ(by_one, expected_) << "batches of " << batch_size;
    }
    for (const int threads : {2, 4}) {
      EXPECT_EQ(take(*open(graph_, {.batch_size = batch_size, .threads = threads}), kDelivered), by_one)
          << threads << " threads, batches of " << batch_size;
    }
    EXPECT_EQ(take(*open(graph_, {.batch_size = batch_size, .fuse = false}), kDelivered), by_one)
        << "batches of " << batch_size << ", not fused";
  }
}

TEST_P(OperatorInSessions, GoesOnWhereItWas) {
  const Settings kSettings{.batch_size = 3, .threads = 2};
  const std::vector<Row> whole = take(*open(graph_, kSettings), kDelivered);
  for (const size_t batches : {0, 1, 4}) {
    const auto before = open(graph_, kSettings);
    const std::vector<Row> rows = take(*before, 3 * batches);
    const auto after = open(graph_, kSettings);
    ASSERT_EQ(after->restore(before->state()), ok_status());
    std::vector<Row> both = rows;
    std::ranges::copy(take(*after, kDelivered - rows.size()), std::back_inserter(both));
    EXPECT_EQ(both, whole) << "after " << batches << " batches";
  }
}

TEST_P(OperatorInSessions, ReplaysOrSaysWhyNot) {
  const auto session = open(graph_, {});
  for (const Row& row : expected_) {
    const auto replayed = session->replay(row.epoch, row.position);
    if (!replayed.ok()) {
      EXPECT_EQ(replayed.status().code(), StatusCode::kFailedPrecondition) << replayed.status();
      EXPECT_TRUE(depends_on_batch_) << replayed.status();
      continue;
    }
    std::string content;
    for (const Tensor& output : *replayed) {
      content += text_of(output);
    }
    EXPECT_EQ(content, row.content) << "epoch " << row.epoch << ", position " << row.position;
  }
}

TEST_P(OperatorInSessions, SameBitsOrANamedErrorUnderAnyMemoryLimit) {
  const std::vector<Row> whole = take(*open(graph_, {.batch_size = 3, .threads = 2}), kDelivered);
  for (uint64_t limit = 64; limit <= (uint64_t{1} << 20); limit *= 4) {
    const auto session = open(graph_, {.batch_size = 3, .threads = 2, .memory_limit_bytes = limit});
    Status error;
    const std::vector<Row> rows = take(*session, kDelivered, &error);
    if (error.ok()) {
      EXPECT_EQ(rows, whole) << limit << " bytes";
    } else {
      EXPECT_EQ(error.code(), StatusCode::kResourceExhausted) << limit << " bytes: " << error;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OperatorInSessions, ::testing::ValuesIn(testing::names_of_cases()),
                         [](const auto& info) { return testing::test_name(info.param); });

TEST(OperatorsInSessions, EveryRowIsThere) {
  std::set<std::string> covered;
  for (const testing::ConformanceCase& one : all_cases()) {
    covered.insert(one.op);
  }
  for (const operators::OperatorSpec& row : operators::all_operators()) {
    EXPECT_TRUE(covered.contains(row.name)) << row.name << " has no case in testing/conformance_cases.cc";
  }
}

}  // namespace
}  // namespace forebay::pipeline
