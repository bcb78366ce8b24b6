#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/elementwise.h"
#include "forebay/ndarray/algebra/reduce.h"
#include "forebay/ndarray/algebra/strided.h"
#include "forebay/ndarray/backward/backward.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/nn/activation.h"
#include "forebay/ndarray/nn/convolution.h"
#include "forebay/ndarray/nn/cross_entropy.h"
#include "forebay/ndarray/nn/dense.h"
#include "forebay/ndarray/nn/normalization.h"
#include "forebay/ndarray/nn/optimizers.h"
#include "forebay/ndarray/nn/softmax.h"
#include "forebay/ndarray/random/random.h"
#include "forebay/ndarray/testing/arrays.h"

namespace forebay::ndarray {
namespace {

using kernels::Function;
using tensor::DType;
using tensor::Shape;
using testing::array_of;
using testing::check_gradients;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using testing::random_array;
using testing::values_of;

/// The first of several results.
Result<Array> first_of(Result<Arrays> made) {
  FOREBAY_RETURN_IF_ERROR(made.status());
  return std::move((*made)[0]);
}

TEST(NetworkGradientTest, OfConvolutions) {
  const auto check = [](const Shape& data, const Shape& weight, const ConvolutionOptions& options) {
    SCOPED_TRACE(weight.to_string());
    const Array bias = random_array({options.filters}, 3);
    check_gradients([&](auto in) { return convolution(in[0], in[1], in[2], options); },
                    {random_array(data, 1), random_array(weight, 2), bias});
  };
  check({3, 2, 6, 5}, {3, 2, 3, 2}, {.kernel = {3, 2}, .filters = 3});
  check({2, 4, 7, 6}, {6, 2, 3, 3},
        {.kernel = {3, 3}, .stride = {2, 1}, .dilate = {1, 2}, .pad = {1, 2}, .filters = 6, .groups = 2});
  check({2, 3, 9}, {2, 3, 4}, {.kernel = {4}, .stride = {2}, .filters = 2});
  check({1, 2, 4, 4, 4}, {2, 2, 2, 3, 2}, {.kernel = {2, 3, 2}, .pad = {1, 0, 1}, .filters = 2});
}

TEST(NetworkGradientTest, OfDeconvolutions) {
  const ConvolutionOptions options{
      .kernel = {3, 2}, .stride = {2, 3}, .pad = {1, 0}, .filters = 4, .groups = 2};
  check_gradients(
      [&](auto in) {
        return deconvolution(in[0], in[1], in[2], options, {1, 2});
      },
      {random_array({2, 2, 3, 3}, 1), random_array({2, 2, 3, 2}, 2), random_array({4}, 3)});
}

TEST(NetworkGradientTest, OfPooling) {
  const Array data = random_array({2, 3, 6, 7}, 1, 0.1, 2);
  for (const Pooling kind : {Pooling::kMax, Pooling::kAverage, Pooling::kSum, Pooling::kNorm}) {
    for (const bool full : {false, true}) {
      check_gradients(
          [&](auto in) {
            return pooling(in[0], {.kind = kind,
                                   .kernel = {3, 2},
                                   .stride = {2, 2},
                                   .pad = {1, 0},
                                   .full = full,
                                   .counts_padding = full,
                                   .power = 3});
          },
          {data});
    }
    check_gradients([&](auto in) { return pooling(in[0], {.kind = kind, .is_global = true}); }, {data});
  }
}

TEST(NetworkGradientTest, OfActivations) {
  for (int i = 0; i <= static_cast<int>(Function::kSoftsign); ++i) {
    SCOPED_TRACE(i);
    check_gradients([&](auto in) { return activation(static_cast<Function>(i), in[0]); },
                    {random_array({3, 5}, 1, 0.1, 2)});
  }
  const Array data = random_array({2, 3, 4}, 2, -2, 2);
  for (const Rectifier each : {Rectifier::kLeaky, Rectifier::kElu, Rectifier::kSelu, Rectifier::kGelu}) {
    check_gradients([&](auto in) { return rectified(each, 0.3, in[0]); }, {data});
  }
  check_gradients([](auto in) { return parametric_rectified(in[0], in[1]); }, {data, random_array({3}, 3)});
}

TEST(NetworkGradientTest, OfSoftmax) {
  const Array data = random_array({2, 4, 3}, 1, -2, 2);
  const Array lengths = array_of({1, 2, 3, 3, 2, 1, 3, 2}, {2, 4}, DType::kInt32);
  for (const int axis : {0, 1, -1}) {
    for (const bool logarithm : {false, true}) {
      check_gradients([&](auto in) { return softmax(in[0], {axis, logarithm, axis == 1, 1.5}); }, {data});
    }
  }
  check_gradients([&](auto in) { return softmax(in[0], {}, lengths); }, {data});
  const Array labels = array_of({0, 3, 1, 2, 0, 1}, {2, 3});
  check_gradients([&](auto in) { return softmax_cross_entropy(in[0], labels, 1); }, {data});
}

TEST(NetworkGradientTest, OfNormalization) {
  const Array data = random_array({3, 4, 5}, 1, -2, 2);
  const Array gamma = random_array({4}, 2, 0.5, 1.5);
  const Array beta = random_array({4}, 3);
  const Array wide_gamma = random_array({5}, 4);
  const Array wide_beta = random_array({5}, 5);
  const Array mean = *full({{4}, DType::kFloat64}, 0.1);
  const Array variance = *full({{4}, DType::kFloat64}, 1.3);
  for (const bool trains : {false, true}) {
    const bool before = set_training(trains);
    check_gradients(
        [&](auto in) {
          set_training(trains);
          return first_of(batch_norm(in[0], in[1], in[2], mean, variance, {.fix_gamma = false}));
        },
        {data, gamma, beta}, 1e-5);
    const Array wide_mean = *full({{21}, DType::kFloat64}, 0.1);
    const Array wide_variance = *full({{21}, DType::kFloat64}, 1.3);
    check_gradients(
        [&](auto in) {
          set_training(trains);
          return first_of(
              batch_norm(in[0], in[1], in[2], wide_mean, wide_variance, {.fix_gamma = false, .axis = -1}));
        },
        {random_array({3, 2, 21}, 6, -2, 2), random_array({21}, 7, 0.5, 1.5), random_array({21}, 8)}, 1e-5);
    set_training(before);
  }
  check_gradients([](auto in) { return first_of(layer_norm(in[0], in[1], in[2], -1, 1e-5)); },
                  {data, wide_gamma, wide_beta}, 1e-5);
  check_gradients([](auto in) { return first_of(layer_norm(in[0], in[1], in[2], 1, 1e-5)); },
                  {data, gamma, beta}, 1e-5);
  check_gradients([](auto in) { return first_of(group_norm(in[0], in[1], in[2], 2, 1e-5)); },
                  {data, random_array({2}, 6), random_array({2}, 7)}, 1e-5);
  check_gradients([](auto in) { return l2_normalized(in[0], std::array{1, 2}, 1e-10); }, {data});
  check_gradients([](auto in) { return local_response_norm(in[0], 0.5, 0.75, 2, 3); }, {data});
}

TEST(NetworkGradientTest, OfDenseLayersEmbeddingsAndMasks) {
  const Array data = random_array({3, 2, 4}, 1);
  check_gradients([](auto in) { return fully_connected(in[0], in[1], in[2], true); },
                  {data, random_array({5, 8}, 2), random_array({5}, 3)});
  check_gradients([](auto in) { return fully_connected(in[0], in[1], in[2], false); },
                  {data, random_array({5, 4}, 2), random_array({5}, 3)});
  const Array indices = array_of({2, 0, 2, 9, -1, 1}, {2, 3});
  check_gradients([&](auto in) { return embedding(indices, in[0]); }, {random_array({4, 3}, 4)});
  const Array lengths = array_of({1, 3}, {2});
  check_gradients([&](auto in) { return sequence_mask(in[0], lengths, 7, 0); }, {data});
}

TEST(NetworkTest, FloatsAreTheDoubles) {
  const Array data = random_array({37, 3, 28, 28}, 1);
  const Array weight = random_array({10, 3, 5, 5}, 2);
  const auto run = [&](DType dtype) {
    const Array made =
        *convolution(*cast(data, dtype), *cast(weight, dtype), {}, {.kernel = {5, 5}, .filters = 10});
    return values_of(*pooling(made, {.kernel = {2, 2}, .stride = {2, 2}}));
  };
  const auto narrow = run(DType::kFloat);
  const auto wide = run(DType::kFloat64);
  ASSERT_EQ(narrow.size(), wide.size());
  for (size_t i = 0; i < wide.size(); ++i) {
    ASSERT_NEAR(narrow[i], wide[i], 1e-4);
  }
}

TEST(NetworkTest, EqualsInAWindowGiveTheGradientToTheFirst) {
  for (const DType dtype : {DType::kFloat, DType::kFloat64}) {
    Array data = *cast(array_of({1, 3, 3, 2, 3, 0, 3, 3, 0, 0}, {1, 1, 2, 5}), dtype);
    ASSERT_TRUE(mark_variable(data, *full(data.spec(), 9), GradientMode::kWrite).ok());
    set_recording(true);
    const Array made = *pooling(data, {.kernel = {2, 2}, .stride = {2, 2}});
    set_recording(false);
    ASSERT_TRUE(backward({&made, 1}, {}).ok());
    EXPECT_THAT(values_of(gradient_of(data)), ElementsAre(0, 1, 1, 0, 0, 0, 0, 0, 0, 0));
  }
}

TEST(NetworkTest, MovingStatisticsFollowTheBatchesWhenGradientsPass) {
  Array data = array_of({1, 3, 5, 7}, {4, 1});
  const Array one = array_of({1}, {1});
  const Array mean = array_of({0}, {1});
  const Array variance = array_of({1}, {1});
  ASSERT_TRUE(mark_variable(data, *full(data.spec(), 0), GradientMode::kWrite).ok());
  set_recording(true);
  set_training(true);
  const Array made = *first_of(batch_norm(data, one, one, mean, variance, {.momentum = 0.5}));
  set_recording(false);
  set_training(false);
  EXPECT_THAT(values_of(mean), ElementsAre(0));
  ASSERT_TRUE(backward({&made, 1}, {}).ok());
  EXPECT_THAT(values_of(mean), ElementsAre(2));
  EXPECT_THAT(values_of(variance), ElementsAre(3));
  const Array after = *first_of(batch_norm(data, one, one, mean, variance, {.epsilon = 1, .momentum = 0.5}));
  EXPECT_THAT(values_of(after), ElementsAre(DoubleNear(0.5, 1e-9), DoubleNear(1.5, 1e-9),
                                            DoubleNear(2.5, 1e-9), DoubleNear(3.5, 1e-9)));
}

TEST(NetworkTest, ChannelsMayBeAnyAxis) {
  const Array data = random_array({30, 37, 2}, 1, -2, 2);
  const Array gamma = random_array({37}, 2, 0.5, 1.5);
  const Array beta = random_array({37}, 3);
  const Array mean = *full({{37}, DType::kFloat64}, 0);
  const Array last = *transpose(data, std::array{2, 0, 1});
  const bool before = set_training(true);
  const Arrays runs = *batch_norm(data, gamma, beta, mean, gamma, {.fix_gamma = false});
  const Arrays rows = *batch_norm(last, gamma, beta, mean, gamma, {.fix_gamma = false, .axis = 2});
  set_training(before);
  EXPECT_THAT(values_of(rows[0]),
              Pointwise(DoubleNear(1e-12), values_of(*transpose(runs[0], std::array{2, 0, 1}))));
  for (size_t i : {1, 2}) {
    EXPECT_THAT(values_of(rows[i]), Pointwise(DoubleNear(1e-12), values_of(runs[i])));
  }
}

TEST(NetworkTest, DropoutKeepsTheMeanAndDrawsAnewEachTime) {
  seed_random(7);
  const Array data = *full({{400, 500}}, 1);
  const Array once = *dropout(data, 0.25, {});
  const Array again = *dropout(data, 0.25, {});
  EXPECT_NEAR(values_of(*reduce(Reduction::kMean, once))[0], 1, 0.01);
  EXPECT_NE(values_of(once), values_of(again));
  seed_random(7);
  EXPECT_EQ(values_of(once), values_of(*dropout(data, 0.25, {})));
  const std::vector<double> rows = values_of(*dropout(data, 0.25, std::array{1}));
  EXPECT_THAT(std::vector<double>(rows.begin(), rows.begin() + 500), Each(rows[0]));
}

TEST(NetworkTest, OptimizersChangeWeightsInPlace) {
  const Array weight = *full({{100}, DType::kFloat64}, 2);
  const Array gradient = *full(weight.spec(), 3);
  const Array momentum = *full(weight.spec(), 1);
  ASSERT_TRUE(update(kernels::UpdateRule::kMomentum,
                     {.lr = 0.1, .wd = 0.5, .rescale = 2, .clip = 4, .momentum = 0.9}, weight, gradient,
                     {&momentum, 1}, weight)
                  .ok());
  EXPECT_THAT(values_of(momentum), Each(DoubleNear(0.4, 1e-12)));  // 0.9 - 0.1 (4 + 0.5 * 2)
  EXPECT_THAT(values_of(weight), Each(DoubleNear(2.4, 1e-12)));
  const Status refused = update(kernels::UpdateRule::kAdam, {}, weight, gradient, {&momentum, 1}, weight);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("adam_update keeps 2 states"));
  const Array states[] = {momentum, momentum};
  EXPECT_FALSE(update(kernels::UpdateRule::kAdam, {}, weight, gradient, states, weight).ok());
}

TEST(NetworkTest, WhatDoesNotFitIsNamed) {
  const Array data = random_array({2, 3, 5, 5}, 1);
  const auto made = convolution(data, random_array({4, 3, 3, 2}, 2), {}, {.kernel = {3, 3}, .filters = 4});
  EXPECT_THAT(std::string(made.status().message()), HasSubstr("Convolution: the weight is"));
  const auto pooled = pooling(data, {.kernel = {6, 6}});
  EXPECT_THAT(std::string(pooled.status().message()), HasSubstr("Pooling: a window of 6"));
  const auto dense = fully_connected(data, random_array({4, 3}, 2), {}, true);
  EXPECT_THAT(std::string(dense.status().message()), HasSubstr("FullyConnected"));
  EXPECT_FALSE(activation(Function::kTanh, *full({{3}, DType::kInt32}, 1)).ok());
}

}  // namespace
}  // namespace forebay::ndarray
