#include "forebay/calls/operator_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "forebay/memory/copy.h"
#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/elementwise.h"
#include "forebay/pipeline/session/session.h"

namespace forebay::calls {
namespace {

using ndarray::Array;
using ndarray::ArraySpec;
using operators::Value;
using pipeline::Edge;
using pipeline::Graph;
using pipeline::Node;
using pipeline::Plan;
using pipeline::Session;
using tensor::Batch;
using tensor::DType;
using tensor::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMany = 1000;  // more than an array keeps in itself

Tensor row_of(std::initializer_list<float> values) {
  return *Tensor::copy_of<float>(std::span<const float>(values.begin(), values.size()),
                                 tensor::Shape{static_cast<int64_t>(values.size())});
}

FutureBatchRef ready_batch_of(std::vector<Tensor> samples, bool is_external = false) {
  return ready_batch(Batch(std::move(samples)), is_external);
}

std::vector<FutureBatchRef> called(const std::string& name, std::map<std::string, Value> constants,
                                   std::vector<FutureBatchRef> inputs, CallOptions options = {}) {
  operators::Arguments arguments;
  arguments.constants = std::move(constants);
  arguments.num_inputs = static_cast<int>(inputs.size());
  const auto op = CalledOperator::create(name, std::move(arguments));
  EXPECT_TRUE(op.ok()) << op.status();
  auto results = call(*op, std::move(inputs), {}, options);
  EXPECT_TRUE(results.ok()) << results.status();
  return *std::move(results);
}

FutureBatchRef sum_of(FutureBatchRef a, FutureBatchRef b, int size = 1) {
  return called("_arithmetic", {{"op", std::string("add")}}, {std::move(a), std::move(b)}, {.size = size})[0];
}

std::vector<float> floats(FutureBatch& batch, int index = 0) {
  const auto content = batch.get();
  EXPECT_TRUE(content.ok()) << content.status();
  const auto values = (*content)[index].view().span<float>();
  return {values.begin(), values.end()};
}

TEST(OperatorCall, GivesWhatTheOperatorGivesForEachSample) {
  const FutureBatchRef sum =
      sum_of(ready_batch_of({row_of({1, 2}), row_of({3})}), ready_batch_of({row_of({10})}), 2);
  EXPECT_EQ(sum->size(), 2);
  EXPECT_THAT(floats(*sum, 0), ElementsAre(11, 12));
  EXPECT_THAT(floats(*sum, 1), ElementsAre(13));
  EXPECT_TRUE(sum->is_ready());
}

TEST(OperatorCall, PutsABatchOfOneShapeIntoOneBuffer) {
  const FutureBatchRef sum =
      sum_of(ready_batch_of({row_of({1, 2}), row_of({3, 4})}), ready_batch_of({row_of({1, 1})}), 2);
  EXPECT_TRUE(sum->get()->as_tensor().has_value());
}

TEST(OperatorCall, AFailureIsTheErrorOfAllThatIsMadeOfIt) {
  const FutureBatchRef broken = called(
      "_arithmetic", {{"op", std::string("add")}},
      {ready_batch_of({row_of({1, 2})}), ready_batch_of({row_of({1, 2, 3})})}, {.site = "script.py:7"})[0];
  const FutureBatchRef later = sum_of(broken, broken);
  for (const FutureBatchRef& each : {broken, later, later}) {
    const Status status = each->get().status();
    EXPECT_THAT(std::string(message(status)), HasSubstr("'_arithmetic' (pushed at script.py:7)"));
    EXPECT_FALSE(each->is_ready());
  }
}

TEST(OperatorCall, NamesTheSampleThatFails) {
  const FutureBatchRef broken =
      sum_of(ready_batch_of({row_of({1, 2}), row_of({1, 2, 3})}), ready_batch_of({row_of({1, 2})}), 2);
  EXPECT_THAT(std::string(message(broken->get().status())), HasSubstr("sample 1: "));
}

TEST(OperatorCall, RefusesWhatDoesNotFitAtOnce) {
  operators::Arguments arguments;
  arguments.num_inputs = 1;
  const auto op = CalledOperator::create("copy", arguments);
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ(call(*op, {ready_batch_of({row_of({1}), row_of({2})})}, {}, {.size = 3}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(call(*op, {}, {}, {}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(CalledOperator::create("readers.file", {}).status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(CalledOperator::create("no such operator", {}).status().code(), StatusCode::kNotFound);
}

TEST(OperatorCall, OfSamplesThatDifferInTypeIsAnError) {
  const FutureBatchRef whole = ready_batch_of({row_of({1}), *Tensor::scalar<int32_t>(1)});
  const auto mixed = gathered_batch({{whole, 0}, {whole, 1}});
  ASSERT_TRUE(mixed.ok()) << mixed.status();
  EXPECT_THAT(std::string(message(called("copy", {}, {*mixed}, {.size = 2})[0]->get().status())),
              HasSubstr("one type"));
  EXPECT_EQ((*mixed)->get().status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(gathered_batch({{whole, 2}}).status().code(), StatusCode::kOutOfRange);
}

TEST(OperatorCall, ReadsAnArrayBeforeWhatWritesItNext) {
  const Array array = *ndarray::full({tensor::Shape{kMany}, DType::kFloat}, 1);
  const FutureBatchRef of_array = *array_batch(array, "", false);
  std::vector<FutureBatchRef> sums;
  for (int i = 0; i < 20; ++i) {
    sums.push_back(sum_of(of_array, of_array));
    ASSERT_TRUE(ndarray::fill(array, i + 2).ok());
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(floats(*sums[i])[kMany - 1], 2.0F * (i + 1));
  }
}

TEST(OperatorCall, DoesNotShareAnArraysMemoryWithItsResult) {
  const Array array = *ndarray::full({tensor::Shape{kMany}, DType::kFloat}, 1);
  const FutureBatchRef copy = called("copy", {}, {*array_batch(array, "", false)})[0];
  ASSERT_TRUE(ndarray::fill(array, 5).ok());
  EXPECT_EQ(floats(*copy)[0], 1);
  ASSERT_TRUE(array.wait().ok());
  EXPECT_EQ(floats(*copy)[0], 1);
}

TEST(OperatorCall, DoesNotShareMemoryOfTheUserWithItsResult) {
  const Tensor mine = row_of({1, 2});
  const FutureBatchRef copy = called("copy", {}, {ready_batch_of({mine}, true)})[0];
  EXPECT_THAT(floats(*copy), ElementsAre(1, 2));
  mine.mutable_view().as<float>()[0] = 9;
  EXPECT_THAT(floats(*copy), ElementsAre(1, 2));
}

TEST(OperatorCall, SplitsAnArrayIntoSamples) {
  const Array array = *ndarray::arange(0, 6, 1, 1, DType::kFloat);
  const FutureBatchRef batch = *array_batch(array.viewed(tensor::Shape{3, 2}), "X", true);
  EXPECT_EQ(batch->size(), 3);
  EXPECT_THAT(floats(*batch, 2), ElementsAre(4, 5));
  EXPECT_EQ((*batch->get())[0].layout().to_string(), "X");
  EXPECT_FALSE(array_batch(array.viewed(tensor::Shape{3, 2}), "HWC", true).ok());
}

/// A result of two samples that each hold more than an array keeps in itself.
FutureBatchRef large_sum() {
  const FutureBatchRef ones =
      *array_batch(*ndarray::full({tensor::Shape{kMany}, DType::kFloat}, 1), "", false);
  return called("_arithmetic", {{"op", std::string("add")}}, {ones, ones}, {.size = 2})[0];
}

TEST(OperatorCall, AResultBecomesAnArrayWithoutACopy) {
  const FutureBatchRef sum = large_sum();
  ASSERT_TRUE(sum->get().ok());
  const uint64_t before = memory::bytes_copied();
  const auto array = sum->array(std::nullopt);
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->spec(), (ArraySpec{tensor::Shape{2, kMany}, DType::kFloat}));
  EXPECT_EQ(array->tensor()->view().span<float>()[0], 2);
  EXPECT_EQ(memory::bytes_copied(), before);
}

TEST(OperatorCall, AResultThatIsPromisedAsAnArrayIsOneAtOnce) {
  const auto array = large_sum()->array(ArraySpec{tensor::Shape{2, kMany}, DType::kFloat});
  ASSERT_TRUE(array.ok()) << array.status();
  const auto twice = ndarray::binary(ndarray::ArithmeticOp::kMul, *array, *array);
  EXPECT_EQ(twice->tensor()->view().span<float>()[kMany], 4);
  const auto wrong = large_sum()->array(ArraySpec{tensor::Shape{2, 3}, DType::kFloat});
  EXPECT_THAT(std::string(message(wrong->wait())), HasSubstr("promised as"));
}

TEST(OperatorCall, AResultThatBecameAnArrayIsTheArray) {
  const FutureBatchRef sum = large_sum();
  const auto before = sum_of(sum, sum, 2);
  const auto array = sum->array(std::nullopt);
  ASSERT_TRUE(array.ok()) << array.status();
  ASSERT_TRUE(ndarray::fill(*array, 7).ok());
  EXPECT_EQ(floats(*before)[0], 4);
  EXPECT_EQ(floats(*sum)[0], 7);
  EXPECT_EQ(floats(*sum_of(sum, sum, 2))[0], 14);
  EXPECT_EQ(sum->ownership(), Ownership::kArray);
}

TEST(OperatorCall, AnArrayGetsACopyOfWhatOthersHave) {
  const FutureBatchRef sum = large_sum();
  const Batch held = *sum->get();
  const auto array = sum->array(std::nullopt);
  ASSERT_TRUE(ndarray::fill(*array, 7).ok());
  ASSERT_TRUE(array->wait().ok());
  EXPECT_EQ(held[0].view().span<float>()[0], 2);
}

TEST(OperatorCall, DrawsWhatAPipelineWithThatSeedDraws) {
  Graph graph;
  Node uniform;
  uniform.op = "random.uniform";
  const Edge number{*graph.add(uniform), 0};
  ASSERT_TRUE(graph.set_outputs({number}).ok());
  const auto plan = Plan::compile(graph, {.batch_size = 5, .seed = 42});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto session = Session::create(*plan, {});
  const auto delivery = (*session)->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();

  const auto whole = called("random.uniform", {}, {}, {.size = 5, .seed = 42})[0];
  const auto part = called("random.uniform", {}, {}, {.size = 2, .seed = 42})[0];
  const auto next = called("random.uniform", {}, {}, {.size = 5, .seed = 42, .draw = 1})[0];
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(floats(*whole, i)[0], *delivery->outputs[0][i].view().as<float>());
    EXPECT_NE(floats(*next, i)[0], floats(*whole, i)[0]);
  }
  EXPECT_EQ(floats(*part, 1), floats(*whole, 1));
}

TEST(OperatorCall, ResultsThatNobodyWantsAreMadeAndFreed) {
  FutureBatchRef ones = ready_batch_of({row_of({1, 1})});
  for (int i = 0; i < 2000; ++i) {
    ones = sum_of(ones, ready_batch_of({row_of({1, 1})}));
  }
  EXPECT_THAT(floats(*ones), ElementsAre(2001, 2001));
  EXPECT_FALSE(calls_are_far_ahead());
}

}  // namespace
}  // namespace forebay::calls
