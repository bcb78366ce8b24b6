// Every row of the operator table as scripts use it: saved and read again, in the branches of a condition,
// and fed with batches of differing sizes. What it gives is what it gives alone.
#include <gtest/gtest.h>

#include "graph_of_case.h"

namespace forebay::pipeline {
namespace {

using operators::OperatorSpec;
using operators::Scope;
using testing::case_named;
using testing::ConformanceCase;
using testing::Folder;
using testing::GraphOfCase;
using testing::GraphOptions;
using testing::kDelivered;
using testing::open;
using testing::Row;
using testing::take;

constexpr int kBatch = 4;
constexpr uint64_t kSeed = 9;  // equal seeds draw equal numbers, in whichever branch

class OperatorInScripts : public ::testing::TestWithParam<std::string> {
 protected:
  const ConformanceCase& of() const { return case_named(GetParam()); }
  const OperatorSpec& row() const { return **operators::find_operator(of().op); }

  /// What the graph of the case gives, in batches of kBatch.
  std::vector<Row> rows_of(GraphOptions options) {
    const Folder folder;
    const GraphOfCase made(of(), folder, std::move(options));
    return take(*open(made.graph(), {.batch_size = kBatch, .threads = 2, .feeds = made.feeds()}), kDelivered);
  }

  /// Whether what it gives a sample depends on that sample alone.
  bool works_alone() const {
    const Folder folder;
    const auto plan = Plan::compile(GraphOfCase(of(), folder).graph(), {});
    return (row().scope == Scope::kSample || row().scope == Scope::kGroup) &&
           (*plan)->batch_dependent().empty();
  }

  GraphOptions seeded() const {
    GraphOptions options;
    if (row().is_random) {
      options.seed = kSeed;
    }
    return options;
  }
};

TEST_P(OperatorInScripts, IsTheSameReadFromAFile) {
  const Folder folder;
  const Graph graph = GraphOfCase(of(), folder, seeded()).graph();
  const auto loaded = Graph::from_json(graph.to_json());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->fingerprint(), graph.fingerprint());
  EXPECT_EQ(loaded->to_json(), graph.to_json());
  EXPECT_EQ(take(*open(*loaded, {.batch_size = kBatch}), kDelivered),
            take(*open(graph, {.batch_size = kBatch}), kDelivered));
}

TEST_P(OperatorInScripts, IsTheSameInBranches) {
  if (row().scope == Scope::kSource || of().op == "_merge") {
    return;  // sources stand outside of branches; a merge ends them
  }
  GraphOptions in_branches = seeded();
  in_branches.in_branches = true;
  if (works_alone()) {
    EXPECT_EQ(rows_of(in_branches), rows_of(seeded()));
    return;
  }
  // What needs the whole batch, or changes how many samples there are, works in branches or says why not.
  const Folder folder;
  const GraphOfCase made(of(), folder, in_branches);
  const auto plan = Plan::compile(made.graph(), {.batch_size = kBatch});
  if (!plan.ok()) {
    EXPECT_NE(plan.status().message().find(of().op), std::string::npos) << plan.status();
    return;
  }
  Status error;
  take(*open(made.graph(), {.batch_size = kBatch}), kDelivered, &error);
  EXPECT_TRUE(error.ok() || error.message().find(of().op) != std::string::npos) << error;
}

TEST_P(OperatorInScripts, TakesBatchesOfAnySize) {
  if (row().scope == Scope::kSource) {
    return;  // takes none
  }
  GraphOptions one_by_one = seeded();
  one_by_one.fed_sizes = {1};
  GraphOptions differing = seeded();
  differing.fed_sizes = {1, 3, 2, 4};
  if (works_alone()) {
    EXPECT_EQ(rows_of(differing), rows_of(one_by_one));
    return;
  }
  const Folder folder;
  const GraphOfCase made(of(), folder, differing);
  Status error;
  take(*open(made.graph(), {.batch_size = kBatch, .feeds = made.feeds()}), kDelivered, &error);
  EXPECT_TRUE(error.ok() || error.message().find(of().op) != std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(Table, OperatorInScripts, ::testing::ValuesIn(testing::names_of_cases()),
                         [](const auto& info) { return testing::test_name(info.param); });

}  // namespace
}  // namespace forebay::pipeline
