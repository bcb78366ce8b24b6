#include "forebay/kernels/nn/convolution.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <vector>

#include "forebay/kernels/random/fill.h"

namespace forebay::kernels {
namespace {

struct ConvolutionCase {
  const char* name;
  ConvolutionShape shape;
};

const ConvolutionCase kConvolutions[] = {
    {"plain", {.in_channels = 2, .out_channels = 3, .in = {1, 6, 7}, .kernel = {1, 3, 2}}},
    {"LeNet", {.in_channels = 1, .out_channels = 6, .in = {1, 28, 28}, .kernel = {1, 5, 5}}},
    {"many rows", {.in_channels = 3, .out_channels = 25, .in = {1, 5, 5}, .kernel = {1, 3, 3}}},
    {"padded", {.in_channels = 2, .out_channels = 9, .in = {1, 5, 6}, .kernel = {1, 3, 3}, .pad = {0, 1, 2}}},
    {"strided",
     {.in_channels = 3,
      .out_channels = 4,
      .in = {1, 9, 8},
      .kernel = {1, 3, 3},
      .stride = {1, 2, 3},
      .pad = {0, 1, 1}}},
    {"kernel below stride",
     {.in_channels = 2, .out_channels = 2, .in = {1, 9, 9}, .kernel = {1, 1, 2}, .stride = {1, 3, 4}}},
    {"dilated",
     {.in_channels = 2,
      .out_channels = 2,
      .in = {1, 9, 9},
      .kernel = {1, 3, 3},
      .stride = {1, 2, 1},
      .dilate = {1, 2, 3},
      .pad = {0, 2, 3}}},
    {"grouped",
     {.groups = 3,
      .in_channels = 6,
      .out_channels = 9,
      .in = {1, 5, 5},
      .kernel = {1, 3, 3},
      .stride = {1, 2, 2},
      .pad = {0, 1, 1}}},
    {"depthwise", {.groups = 4, .in_channels = 4, .out_channels = 4, .in = {1, 6, 6}, .kernel = {1, 3, 3}}},
    {"one dimension", {.in_channels = 3, .out_channels = 5, .in = {1, 1, 20}, .kernel = {1, 1, 4}}},
    {"three dimensions",
     {.in_channels = 2,
      .out_channels = 3,
      .in = {5, 6, 7},
      .kernel = {3, 2, 3},
      .stride = {2, 1, 2},
      .pad = {1, 0, 2}}},
};

template <class T>
std::vector<T> random_values(int64_t count, uint64_t key) {
  std::vector<T> values(static_cast<size_t>(count));
  fill_uniform(key, 0, -1, 1, std::span(values));
  return values;
}

/// Calls body(out place, in place or -1, weight place) for every product in the definition.
template <class Body>
void for_each_product(const ConvolutionShape& s, Body&& body) {
  const Extents out = s.out();
  const int64_t in_group = s.in_channels / s.groups;
  const int64_t out_group = s.out_channels / s.groups;
  for (int64_t o = 0; o < s.out_channels; ++o) {
    for (int64_t place = 0; place < out[0] * out[1] * out[2]; ++place) {
      const Extents at{place / (out[1] * out[2]), place / out[2] % out[1], place % out[2]};
      for (int64_t tap = 0; tap < s.taps(); ++tap) {
        const int64_t k = tap % (s.kernel[0] * s.kernel[1] * s.kernel[2]);
        const Extents t{k / (s.kernel[1] * s.kernel[2]), k / s.kernel[2] % s.kernel[1], k % s.kernel[2]};
        int64_t from = o / out_group * in_group + tap / (s.kernel[0] * s.kernel[1] * s.kernel[2]);
        bool is_inside = true;
        for (size_t i = 0; i < 3; ++i) {
          const int64_t x = at[i] * s.stride[i] + t[i] * s.dilate[i] - s.pad[i];
          is_inside = is_inside && x >= 0 && x < s.in[i];
          from = from * s.in[i] + x;
        }
        if (is_inside) {
          body(o * out[0] * out[1] * out[2] + place, from, o * s.taps() + tap);
        }
      }
    }
  }
}

template <class T>
void expect_near(const std::vector<T>& value, const std::vector<T>& expected, double tolerance) {
  ASSERT_EQ(value.size(), expected.size());
  for (size_t i = 0; i < value.size(); ++i) {
    ASSERT_NEAR(value[i], expected[i], tolerance) << "at " << i;
  }
}

template <class T>
void check_case(const ConvolutionShape& shape, double tolerance) {
  constexpr int64_t kSamples = 3;
  ASSERT_TRUE(check(shape).ok()) << check(shape);
  const ConvolutionPlan plan(shape);
  const auto in = random_values<T>(kSamples * shape.in_volume(), 1);
  const auto weights = random_values<T>(shape.weight_volume(), 2);
  const auto gradient = random_values<T>(kSamples * shape.out_volume(), 3);
  const std::vector<T> bias(static_cast<size_t>(shape.out_channels), T{2});
  std::vector<T> out(gradient.size(), T{-7});
  std::vector<T> in_gradient(in.size(), T{-7});
  std::vector<T> weight_gradient(weights.size(), T{1});
  std::vector<T> forward(weights.size());
  std::vector<T> backward(weights.size());
  plan.pack_forward(weights.data(), forward.data());
  plan.pack_backward(weights.data(), backward.data());
  std::vector<T> expected_out(out.size(), T{2});
  std::vector<T> expected_in(in.size());
  std::vector<T> expected_weight(weights.size(), T{1});
  for (int64_t sample = 0; sample < kSamples; ++sample) {
    const int64_t from = sample * shape.in_volume();
    const int64_t to = sample * shape.out_volume();
    plan.forward(forward.data(), bias.data(), in.data() + from, out.data() + to);
    plan.data_gradient<T>(backward.data(), nullptr, gradient.data() + to, in_gradient.data() + from);
    for_each_product(shape, [&](int64_t o, int64_t i, int64_t w) {
      expected_out[to + o] += weights[w] * in[from + i];
      expected_in[from + i] += weights[w] * gradient[to + o];
      expected_weight[w] += gradient[to + o] * in[from + i];
    });
  }
  plan.weight_gradient(kSamples, in.data(), gradient.data(), weight_gradient.data());
  expect_near(out, expected_out, tolerance);
  expect_near(in_gradient, expected_in, tolerance);
  expect_near(weight_gradient, expected_weight, tolerance);
}

TEST(ConvolutionTest, IsTheSumOfItsDefinition) {
  const int64_t targets = hwy::SupportedTargets();
  for (int64_t left = targets; left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    for (const ConvolutionCase& each : kConvolutions) {
      SCOPED_TRACE(std::string(each.name) + " on " + hwy::TargetName(left & -left));
      check_case<double>(each.shape, 1e-10);
      check_case<float>(each.shape, 2e-3);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(ConvolutionTest, RefusesWhatIsNone) {
  ConvolutionShape shape{.in_channels = 2, .out_channels = 2, .in = {1, 4, 4}, .kernel = {1, 5, 5}};
  EXPECT_EQ(check(shape).code(), StatusCode::kInvalidArgument);
  shape.kernel = {1, 3, 3};
  EXPECT_TRUE(check(shape).ok());
  shape.groups = 3;
  EXPECT_EQ(check(shape).code(), StatusCode::kInvalidArgument);
  shape.groups = 1;
  shape.stride = {1, 0, 1};
  EXPECT_EQ(check(shape).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::kernels
