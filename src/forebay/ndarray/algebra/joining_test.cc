#include "forebay/ndarray/algebra/joining.h"

#include <gtest/gtest.h>

#include "forebay/ndarray/testing/arrays.h"

namespace forebay::ndarray {
namespace {

using testing::check_gradients;
using testing::random_array;

TEST(ConcatenateTest, JoinsAndHasGradients) {
  const Array a = random_array({2, 1, 2}, 1);
  const Array b = random_array({2, 3, 2}, 2);
  EXPECT_EQ(concatenate(std::vector<Array>{a, b}, 1)->shape(), (tensor::Shape{2, 4, 2}));
  check_gradients([](std::span<const Array> in) { return concatenate(in, 1); }, {a, b});
  check_gradients([](std::span<const Array> in) { return concatenate(in, 0); }, {a, a});
  EXPECT_EQ(concatenate(std::vector<Array>{a, b}, 0).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::ndarray
