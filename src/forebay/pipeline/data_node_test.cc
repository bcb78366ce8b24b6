// Expressions in C++ give what the same expressions give in Python.
#include "forebay/pipeline/data_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "forebay/pipeline/pipeline.h"

namespace forebay::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Numbers of all sizes and tensors are operands; what converts to bool is none.
static_assert(std::is_convertible_v<DataNode, Operand> && std::is_convertible_v<bool, Operand>);
static_assert(std::is_convertible_v<size_t, Operand> && std::is_convertible_v<uint8_t, Operand>);
static_assert(std::is_convertible_v<int64_t, Operand> && std::is_convertible_v<float, Operand>);
static_assert(std::is_convertible_v<long double, Operand>);
static_assert(!std::is_convertible_v<const char*, Operand> && !std::is_convertible_v<int*, Operand>);
static_assert(!std::is_convertible_v<std::nullptr_t, Operand>);
static_assert(!std::is_convertible_v<tensor::DType, Operand> && !std::is_convertible_v<std::string, Operand>);

class DataNodeTest : public ::testing::Test {
 protected:
  DataNode numbers(std::vector<int64_t> content) {
    return pipe_.add("constant", {}, {{"idata", std::move(content)}})[0];
  }

  /// What the expression is in the one sample of a batch.
  template <class T>
  std::vector<T> values(DataNode node) {
    pipe_.set_outputs({node});
    const Status built = pipe_.build();
    EXPECT_TRUE(built.ok()) << built;
    const auto delivery = pipe_.run();
    EXPECT_TRUE(delivery.ok()) << delivery.status();
    const auto data = delivery->outputs[0].stacked();
    EXPECT_TRUE(data.ok()) << data.status();
    EXPECT_EQ(data->spec().dtype, tensor::kDTypeOf<T>) << data->spec().to_string();
    const auto span = data->view().template span<T>();
    return {span.begin(), span.end()};
  }

  Pipeline pipe_;
};

TEST_F(DataNodeTest, AFloatMakesFloats) {
  EXPECT_THAT(values<float>(numbers({0, 51, 255}) / 255.f), ElementsAre(0.f, 0.2f, 1.f));
}

TEST_F(DataNodeTest, DivisionIsOfFloats) {
  EXPECT_THAT(values<float>(numbers({3, 8}) / 2), ElementsAre(1.5f, 4.f));
}

TEST_F(DataNodeTest, WholeNumbersStayWhole) {
  EXPECT_THAT(values<int32_t>(10 - numbers({1, 2}) * 3 % 4), ElementsAre(7, 8));
}

TEST_F(DataNodeTest, TwoTensors) {
  const DataNode a = numbers({1, 2, 3});
  EXPECT_THAT(values<int32_t>(-(a + numbers({10, 20, 30}))), ElementsAre(-11, -22, -33));
}

TEST_F(DataNodeTest, ComparisonsGiveBools) {
  const DataNode a = numbers({1, 2, 3});
  EXPECT_THAT(values<bool>((a > 1.5) & (a != 3)), ElementsAre(false, true, false));
}

TEST_F(DataNodeTest, EqualToANumberOnEitherSide) {
  const DataNode a = numbers({1, 2});
  EXPECT_THAT(values<bool>((a == 1) ^ (2 == a)), ElementsAre(true, true));
}

TEST_F(DataNodeTest, OtherOperationsByName) {
  EXPECT_THAT(values<int32_t>(arithmetic("clamp", {numbers({-5, 5, 50}), 0, 10})), ElementsAre(0, 5, 10));
}

TEST_F(DataNodeTest, NumbersOfAllSizes) {
  const DataNode a = numbers({1, 2});
  EXPECT_THAT(values<int32_t>(a + size_t{3} + uint8_t{4}), ElementsAre(8, 9));
}

TEST_F(DataNodeTest, WhatIsOfAnotherPipelineIsAnError) {
  Pipeline other;
  const DataNode there = other.add("constant", {}, {{"idata", std::vector<int64_t>{7}}})[0];
  pipe_.set_outputs({numbers({1}) + there});
  EXPECT_THAT(std::string(message(pipe_.build())),
              AllOf(HasSubstr("_arithmetic: input 1"), HasSubstr("'constant' in another pipeline")));
  Pipeline outputs;
  outputs.set_outputs({there});
  EXPECT_THAT(std::string(message(outputs.build())),
              AllOf(HasSubstr("output 0"), HasSubstr("'constant' in another pipeline")));
  Pipeline arguments;
  arguments.set_outputs({arguments.add("random.coin_flip", {}, {{"probability", there}})[0]});
  EXPECT_THAT(std::string(message(arguments.build())),
              AllOf(HasSubstr("random.coin_flip: argument 'probability'"), HasSubstr("'constant'")));
}

TEST_F(DataNodeTest, WhatIsOfNoPipelineIsAnError) {
  pipe_.set_outputs({numbers({1}) + DataNode()});
  EXPECT_THAT(std::string(message(pipe_.build())),
              AllOf(HasSubstr("_arithmetic: input 1"), HasSubstr("DataNode()")));
  const DataNode lost = -(DataNode() / 2.f);
  EXPECT_TRUE(lost.is_given());
  Pipeline outputs;
  outputs.set_outputs({lost});
  EXPECT_THAT(std::string(message(outputs.build())),
              AllOf(HasSubstr("output 0"), HasSubstr("'arithmetic'"), HasSubstr("DataNode()")));
  const DataNode resized = add_operator("resize", {DataNode()}, {{"size", std::vector<int64_t>{8, 8}}})[0];
  Pipeline later;
  later.set_outputs({later.add("cast", {resized}, {{"dtype", tensor::DType::kFloat}})[0]});
  EXPECT_THAT(std::string(message(later.build())), AllOf(HasSubstr("cast: input 0"), HasSubstr("'resize'")));
}

TEST_F(DataNodeTest, OfNumbersAloneNothingComes) {
  pipe_.set_outputs({arithmetic("add", {1, 2})});
  EXPECT_THAT(std::string(message(pipe_.build())), HasSubstr("'arithmetic'"));
}

TEST_F(DataNodeTest, TheFirstErrorIsTheGraphs) {
  const DataNode none = pipe_.add("no_such_operator", {}, {})[0];
  pipe_.set_outputs({none / 255.f});
  EXPECT_NE(message(pipe_.build()).find("no_such_operator"), std::string_view::npos);
}

}  // namespace
}  // namespace forebay::pipeline
