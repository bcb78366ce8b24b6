// Operators of libraries at work: what they are given, what they give, and how they fail.
#include "forebay/plugin/plugin_operator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/pressed_services.h"
#include "forebay/operators/testing/scalars.h"
#include "forebay/operators/testing/tensors.h"
#include "forebay/plugin/load.h"

namespace forebay::plugin {
namespace {

using operators::Value;
using operators::testing::counted;
using operators::testing::Given;
using operators::testing::make_operator;
using operators::testing::run_operator;
using operators::testing::scalar_of;
using operators::testing::values_of;
using tensor::DType;
using tensor::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PluginOperators : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_TRUE(load_operators(FOREBAY_TEST_GOOD).ok());
    ASSERT_TRUE(load_operators(FOREBAY_TEST_LYING).ok());
  }

  static std::string error_of(const std::string& op, const std::string& argument, const std::string& value,
                              StatusCode code) {
    const bool takes_input = op != "lying.output";
    std::vector<Tensor> inputs;
    if (takes_input) {
      inputs.push_back(counted<uint8_t>({2, 3}));
    }
    const auto outputs = run_operator(op, std::move(inputs), {.constants = {{argument, value}}});
    EXPECT_EQ(outputs.status().code(), code) << outputs.status();
    return std::string(message(outputs.status()));
  }
  static std::string lie(const std::string& what, StatusCode code = StatusCode::kInvalidArgument) {
    return error_of("lying.output", "lie", what, code);
  }
  static std::string failure(const std::string& how, StatusCode code) {
    return error_of("plugin_test.fails", "how", how, code);
  }
};

TEST_F(PluginOperators, ConstantsAndTensorsAsArguments) {
  const Tensor data = counted<uint8_t>({2, 2}, "HW");
  const auto halved = run_operator("plugin_test.scale", {data}, {.constants = {{"factor", 0.5}}});
  ASSERT_TRUE(halved.ok()) << halved.status();
  EXPECT_THAT(values_of<float>((*halved)[0]), ElementsAre(0, 0.5f, 1, 1.5f));
  EXPECT_EQ((*halved)[0].layout(), "HW");

  const auto tripled = run_operator(
      "plugin_test.scale", {data},
      {.constants = {{"dtype", static_cast<int64_t>(DType::kInt32)}}, .tensors = {{"factor", scalar_of(3)}}});
  ASSERT_TRUE(tripled.ok()) << tripled.status();
  EXPECT_THAT(values_of<int32_t>((*tripled)[0]), ElementsAre(0, 3, 6, 9));
}

TEST_F(PluginOperators, ArgumentsAreChecked) {
  const Tensor data = counted<uint8_t>({2});
  const auto error = [&](const Given& given) {
    return std::string(message(run_operator("plugin_test.scale", {data}, given).status()));
  };
  EXPECT_EQ(error({.constants = {{"factor", -1.0}}}), "plugin_test.scale: factor is -1, which is negative");
  EXPECT_THAT(error({.constants = {{"factor", std::string("much")}}}),
              HasSubstr("plugin_test.scale: factor: 'much'"));
  EXPECT_THAT(error({.constants = {{"fctor", 1.0}}}), HasSubstr("no argument 'fctor'"));
  EXPECT_THAT(error({.tensors = {{"factor", counted<float>({2})}}}),
              HasSubstr("one number was given a tensor of 2"));
  EXPECT_THAT(error({.tensors = {{"dtype", scalar_of(1)}}}), HasSubstr("cannot be a tensor"));
  const auto without = run_operator("plugin_test.scale", {}, {});
  EXPECT_THAT(std::string(message(without.status())), HasSubstr("0 inputs given, 1 expected"));
}

TEST_F(PluginOperators, EmptyTensorsAndScalars) {
  const auto empty = run_operator("plugin_test.scale", {counted<float>({0, 3})});
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ((*empty)[0].shape(), tensor::Shape({0, 3}));
  const auto scalar =
      run_operator("plugin_test.scale", {scalar_of(5.0f)}, {.constants = {{"factor", int64_t{2}}}});
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_THAT(values_of<float>((*scalar)[0]), ElementsAre(10));
}

TEST_F(PluginOperators, TheNumberOfOutputsMayDependOnArguments) {
  const auto parts =
      run_operator("plugin_test.split", {counted<uint8_t>({6})}, {.constants = {{"parts", int64_t{3}}}});
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 3);
  EXPECT_THAT(values_of<uint8_t>((*parts)[2]), ElementsAre(4, 5));
  for (const int64_t count : {int64_t{0}, int64_t{65}, int64_t{-1}}) {
    const auto made = make_operator("plugin_test.split", {.constants = {{"parts", count}}}, 1);
    EXPECT_THAT(std::string(message(made.status())), HasSubstr("1 to 64 are possible"));
  }
}

TEST_F(PluginOperators, EveryKindOfArgument) {
  Given given;
  given.identity.epoch = 2;
  given.identity.position = 9;
  given.constants = {{"needed", std::string("x\xff")}};
  const auto text = [&] {
    const auto written = run_operator("plugin_test.every_kind", {}, given);
    EXPECT_TRUE(written.ok()) << written.status();
    const std::vector<uint8_t> bytes = values_of<uint8_t>((*written)[0]);
    return std::string(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(text(), "1 -3 7 0.5 one [1 2 0.5 1.5 a b ] int16 1 1 HWC nothing 0 x\xff 2 9");

  given.constants = {{"flag", false},
                     {"number", int64_t{1} << 40},
                     {"small_number", 4.0},
                     {"fraction", int64_t{2}},
                     {"word", std::string("two")},
                     {"numbers", int64_t{5}},
                     {"fractions", std::vector<int64_t>{}},
                     {"words", std::string("c")},
                     {"dtype", int64_t{9}},
                     {"image_type", int64_t{2}},
                     {"interp_type", int64_t{0}},
                     {"layout", std::string()},
                     {"maybe", 0.25},
                     {"sometimes", true},
                     {"needed", std::string()}};
  EXPECT_EQ(text(), "0 1099511627776 4 2 two [5 c ] float 2 0  0.25 1  2 9");
}

TEST_F(PluginOperators, ArgumentsThatDoNotFit) {
  const auto error = [&](const std::string& name, const Value& value) {
    const auto made =
        make_operator("plugin_test.every_kind", {.constants = {{"needed", std::string()}, {name, value}}}, 0);
    return std::string(message(made.status()));
  };
  EXPECT_THAT(error("small_number", int64_t{1} << 40),
              HasSubstr("small_number: 1099511627776 is not an int32"));
  EXPECT_THAT(error("word", std::string("three")), HasSubstr("is not one of ['one', 'two']"));
  EXPECT_THAT(error("dtype", int64_t{99}), HasSubstr("99 is not a DALIDataType"));
  EXPECT_THAT(error("layout", std::string("ABCDEFGHI")), HasSubstr("more than 8 axes"));
  const auto without = make_operator("plugin_test.every_kind", {}, 0);
  EXPECT_THAT(std::string(message(without.status())), HasSubstr("'needed' must be given"));
}

// The numbers are those that an operator of Forebay's own would draw.
TEST_F(PluginOperators, RandomNumbersAreThoseOfTheSample) {
  Given given;
  given.identity.position = 5;
  given.seed = 3;
  given.constants = {{"shape", std::vector<int64_t>{2, 2}}};
  const auto drawn = run_operator("plugin_test.noise", {}, given);
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  operators::testing::SampleFrame frame("plugin_test.noise", {}, given, 1);
  std::vector<double> expected;
  for (uint32_t item = 0; item < 4; ++item) {
    RandomStream stream = frame.sample().random(item);
    const uint32_t first = stream.next_u32();
    double value = stream.normal();
    value += stream.uniform(0, 1);
    value += static_cast<double>(stream.below(10));
    expected.push_back(value + first % 2);
  }
  EXPECT_EQ(values_of<double>((*drawn)[0]), expected);
}

TEST_F(PluginOperators, ThreadsMakeNoDifference) {
  const Given given{.constants = {{"shape", std::vector<int64_t>{64}}}};
  const auto made = make_operator("plugin_test.noise", given, 0);
  ASSERT_TRUE(made.ok()) << made.status();
  std::vector<std::vector<double>> results;
  for (const auto order :
       {operators::testing::ParallelOrder::kForwards, operators::testing::ParallelOrder::kThreads}) {
    operators::testing::PressedServices services({.order = order});
    std::vector<Tensor> outputs(1);
    const operators::SampleIdentity identity;
    operators::Sample sample(identity, 1, {}, {}, outputs, services);
    ASSERT_TRUE((*made)->run(sample).ok());
    results.push_back(values_of<double>(outputs[0]));
  }
  EXPECT_EQ(results[0], results[1]);
}

// Both the output and the working memory may be refused: the error is the one that was made here.
TEST_F(PluginOperators, RefusedMemoryComesBackAsItIs) {
  const Given given{.constants = {{"shape", std::vector<int64_t>{64}}}};
  const auto made = make_operator("plugin_test.noise", given, 0);
  ASSERT_TRUE(made.ok());
  for (const auto refusal : {operators::testing::Refusal::kStatus, operators::testing::Refusal::kThrow}) {
    for (const int request : {0, 1}) {
      operators::testing::PressedServices services({.refusal = refusal, .refused_request = request});
      std::vector<Tensor> outputs(1);
      const operators::SampleIdentity identity;
      operators::Sample sample(identity, 1, {}, {}, outputs, services);
      const Status status = caught([&] { return (*made)->run(sample); });
      EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
    }
  }
}

TEST_F(PluginOperators, ErrorsAndExceptionsHaveTheirText) {
  EXPECT_EQ(failure("status", StatusCode::kDataLoss), "the bytes are broken");
  EXPECT_EQ(failure("error", StatusCode::kOutOfRange), "past the end");
  EXPECT_EQ(failure("exception", StatusCode::kInternal), "the operator threw: a tap was left open");
  EXPECT_EQ(failure("in output_spec", StatusCode::kInternal), "the operator threw: no spec today");
  EXPECT_EQ(failure("number", StatusCode::kInternal), "the operator threw what is no std::exception");
  EXPECT_EQ(failure("memory", StatusCode::kResourceExhausted), "memory ran out");
  EXPECT_EQ(failure("index", StatusCode::kOutOfRange), "there is no input 5, but 1");
  EXPECT_EQ(failure("dtype", StatusCode::kInvalidArgument),
            "a tensor of uint8 was given where float64 is expected");
  EXPECT_EQ(failure("in parallel", StatusCode::kInternal), "the operator threw: item 3");
  EXPECT_THAT(failure("scratch", StatusCode::kInvalidArgument), HasSubstr("bytes of working memory"));
}

TEST_F(PluginOperators, LiesAboutOutputs) {
  EXPECT_THAT(lie("nothing"), HasSubstr("output 0: the library did not say"));
  EXPECT_THAT(lie("dtype"), HasSubstr("output 0: there is no element type 77"));
  EXPECT_THAT(lie("rank"), HasSubstr("output 0: 9 axes"));
  EXPECT_THAT(lie("negative rank"), HasSubstr("output 0: -1 axes"));
  EXPECT_THAT(lie("negative"), HasSubstr("output 0: axis 1 has a negative extent, -3"));
  EXPECT_THAT(lie("overflow"), HasSubstr("more bytes than any machine can address"));
  EXPECT_THAT(lie("overflow of bytes"), HasSubstr("more bytes than any machine can address"));
  EXPECT_THAT(lie("layout"), HasSubstr("output 0: the layout 'HWC' does not fit 2 axes"));
  EXPECT_THAT(lie("endless layout"), HasSubstr("output 0: the layout does not end"));
  EXPECT_THAT(lie("odd layout"), HasSubstr("output 0: the layout 'H\x01' is not made of letters"));
}

TEST_F(PluginOperators, MoreMemoryThanThereIs) {
  EXPECT_FALSE(lie("too large", StatusCode::kResourceExhausted).empty());
}

TEST_F(PluginOperators, LiesInRun) {
  EXPECT_EQ(lie("status", StatusCode::kInternal), "the library's function returned 4711, which is no status");
  EXPECT_EQ(lie("silent", StatusCode::kUnavailable), "the library's function failed and did not say why");
  EXPECT_THAT(lie("host error", StatusCode::kInternal), HasSubstr("there was none"));
  EXPECT_THAT(lie("argument", StatusCode::kInvalidArgument), HasSubstr("argument 99, which is none"));
  EXPECT_THAT(lie("no call", StatusCode::kInternal), HasSubstr("there was none"));
  EXPECT_THAT(lie("no body", StatusCode::kInvalidArgument), HasSubstr("3 calls of no function"));
  EXPECT_THAT(lie("text", StatusCode::kInternal), HasSubstr("\\xfe\\xfe"));
  EXPECT_EQ(lie("throw", StatusCode::kInternal), "out of the library: exception: thrown across");
}

TEST_F(PluginOperators, WhatALibraryDoesToItsViewsChangesNothing) {
  const auto outputs = run_operator("lying.output", {}, {.constants = {{"lie", std::string("struct")}}});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ((*outputs)[0].shape(), tensor::Shape({2, 3}));
  EXPECT_THAT(values_of<int64_t>((*outputs)[0]), ::testing::Each(0x0101010101010101));
}

}  // namespace
}  // namespace forebay::plugin
