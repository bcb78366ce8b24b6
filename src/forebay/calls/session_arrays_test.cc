#include "forebay/calls/session_arrays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/base/trace/trace.h"
#include "forebay/memory/copy.h"
#include "forebay/ndarray/algebra/elementwise.h"
#include "forebay/pipeline/testing/files.h"

namespace forebay::calls {
namespace {

using ndarray::Array;
using ndarray::Arrays;
using ndarray::ArraySpec;
using pipeline::Delivery;
using pipeline::Edge;
using pipeline::Graph;
using pipeline::Node;
using pipeline::Plan;
using pipeline::Session;
using pipeline::SessionOptions;
using pipeline::testing::FileFolder;
using ::testing::HasSubstr;

constexpr int kBatch = 4;
const ArraySpec kNumbers{{kBatch}, tensor::DType::kFloat};

class ArraysTest : public ::testing::Test {
 protected:
  /// One random number for each file.
  std::unique_ptr<Session> open(SessionOptions options = {}) {
    Graph graph;
    Node reader;
    reader.op = "readers.file";
    reader.constants["files"] = folder_.files();
    reader.constants["random_shuffle"] = true;
    EXPECT_TRUE(graph.add(reader).ok());
    Node uniform;
    uniform.op = "random.uniform";
    const Edge number{*graph.add(uniform), 0};
    EXPECT_TRUE(graph.set_outputs({number}).ok());
    return open(graph, std::move(options));
  }

  std::unique_ptr<Session> open(const Graph& graph, SessionOptions options) {
    auto plan = Plan::compile(graph, {.batch_size = kBatch, .seed = 7});
    EXPECT_TRUE(plan.ok()) << plan.status();
    options.num_threads = 2;
    auto session = Session::create(*plan, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }

  static std::vector<float> numbers_of(const Array& array) {
    const auto tensor = array.tensor();
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    const auto values = tensor->view().span<float>();
    return {values.begin(), values.end()};
  }

  static std::vector<float> next_numbers(Session& session) {
    const auto delivery = session.run();
    EXPECT_TRUE(delivery.ok()) << delivery.status();
    const auto whole = delivery->outputs[0].stacked();
    const auto values = whole->view().span<float>();
    return {values.begin(), values.end()};
  }

  FileFolder folder_{23};
};

TEST_F(ArraysTest, AreTheBatchesInTheirOrder) {
  const auto waited = open();
  const auto later = open();
  std::vector<Arrays> promised;
  for (int i = 0; i < 9; ++i) {
    auto arrays = run_arrays(*later, {&kNumbers, 1});
    ASSERT_TRUE(arrays.ok()) << arrays.status();
    promised.push_back(*std::move(arrays));
  }
  for (const Arrays& arrays : promised) {
    EXPECT_EQ(numbers_of(arrays[0]), next_numbers(*waited));
  }
  EXPECT_EQ(next_numbers(*later), next_numbers(*waited));
}

TEST_F(ArraysTest, RunComesAfterWhatWasPromised) {
  const auto waited = open();
  const auto later = open();
  const auto first = run_arrays(*later, {&kNumbers, 1});
  const std::vector<float> second = next_numbers(*later);
  EXPECT_EQ(numbers_of((*first)[0]), next_numbers(*waited));
  EXPECT_EQ(second, next_numbers(*waited));
}

TEST_F(ArraysTest, WhatIsComputedFromThemDependsOnTheSamples) {
  const auto session = open();
  process_trace().start();
  const uint64_t copied = memory::bytes_copied();
  const auto arrays = run_arrays(*session, {&kNumbers, 1});
  const Array doubled = *ndarray::scaled((*arrays)[0], 2);
  std::vector<float> expected = numbers_of((*arrays)[0]);
  for (float& number : expected) {
    number *= 2;
  }
  EXPECT_EQ(numbers_of(doubled), expected);
  EXPECT_EQ(memory::bytes_copied(), copied);
  process_trace().stop();
  bool has_edge = false;
  for (const TraceSpan& span : process_trace().spans()) {
    has_edge |= span.name == "hand over" && span.arguments.find("after") != std::string::npos;
  }
  process_trace().clear();
  EXPECT_TRUE(has_edge);
}

TEST_F(ArraysTest, ABatchThatIsOtherwiseIsTheErrorOfItsArrays) {
  const auto session = open();
  const ArraySpec wrong{{kBatch, 2}, tensor::DType::kFloat};
  const auto arrays = run_arrays(*session, {&wrong, 1});
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  const Array after = *ndarray::scaled((*arrays)[0], 2);
  EXPECT_THAT(std::string(after.wait().message()), HasSubstr("promised as float 4x2"));
  EXPECT_EQ(next_numbers(*session).size(), kBatch);
  EXPECT_EQ(run_arrays(*session, {}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(ArraysTest, ABrokenSampleIsTheErrorOfItsArrays) {
  Graph graph;
  Node reader;
  reader.op = "readers.file";
  reader.constants["files"] = folder_.files();
  const Edge label{*graph.add(reader), 1};
  ASSERT_TRUE(graph.set_outputs({label}).ok());
  folder_.remove(1);
  const auto session = open(graph, {});
  const ArraySpec labels{{kBatch, 1}, tensor::DType::kInt32};
  const auto broken = run_arrays(*session, {&labels, 1});
  const auto whole = run_arrays(*session, {&labels, 1});
  EXPECT_THAT(std::string((*broken)[0].wait().message()), HasSubstr("file1.jpg"));
  EXPECT_TRUE((*whole)[0].wait().ok()) << (*whole)[0].wait();
}

TEST_F(ArraysTest, ComeAlsoWhenTheSessionHasGone) {
  const auto waited = open();
  auto session = open();
  std::vector<Arrays> promised;
  for (int i = 0; i < 50; ++i) {
    promised.push_back(*run_arrays(*session, {&kNumbers, 1}));
  }
  session.reset();
  for (const Arrays& arrays : promised) {
    EXPECT_EQ(numbers_of(arrays[0]), next_numbers(*waited));
  }
}

TEST_F(ArraysTest, AreThereOrCancelledWhenTheSessionIsClosed) {
  const auto session = open();
  std::vector<Arrays> promised;
  for (int i = 0; i < 50; ++i) {
    promised.push_back(*run_arrays(*session, {&kNumbers, 1}));
  }
  session->close();
  for (const Arrays& arrays : promised) {
    const Status status = arrays[0].wait();
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::kCancelled) << status;
  }
  EXPECT_EQ(run_arrays(*session, {&kNumbers, 1}).status().code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace forebay::calls
