// Gradients of products, and the gradients' gradients, where elements are 0.
#include "forebay/ndarray/algebra/products_of_others.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/reduce.h"
#include "forebay/ndarray/backward/backward.h"
#include "forebay/ndarray/testing/arrays.h"

namespace forebay::ndarray {
namespace {

using tensor::Shape;
using testing::array_of;
using ::testing::ElementsAre;
using testing::values_of;

/// The gradient of the sum of the gradient of the sum ... of the product.
std::vector<double> gradient_of_product(Array x, int times, const ReduceOptions& options = {}) {
  EXPECT_EQ(mark_variable(x, *full(x.spec(), 0), GradientMode::kWrite), ok_status());
  set_recording(true);
  Array head = *reduce(Reduction::kProduct, x, options);
  set_recording(false);
  for (int i = 1; i < times; ++i) {
    head = (*gradients_of({&head, 1}, {&x, 1}, {}, {.create_graph = true}))[0];
  }
  EXPECT_EQ(backward({&head, 1}, {}), ok_status());
  return values_of(gradient_of(x));
}

TEST(ProductsOfOthersTest, HaveGradientsAtZero) {
  EXPECT_THAT(gradient_of_product(array_of({0, 3}, {2}), 1), ElementsAre(3, 0));
  EXPECT_THAT(gradient_of_product(array_of({0, 3}, {2}), 2), ElementsAre(1, 1));
  EXPECT_THAT(gradient_of_product(array_of({0, 0, 0}, {3}), 3), ElementsAre(2, 2, 2));
  EXPECT_THAT(gradient_of_product(array_of({5}, {1}), 1), ElementsAre(1));
}

TEST(ProductsOfOthersTest, OfAnyLength) {
  for (int64_t length = 1; length < 12; ++length) {
    SCOPED_TRACE(length);
    Array x = *arange(0, static_cast<double>(length), 1, 1, tensor::DType::kFloat64);
    std::vector<double> first(static_cast<size_t>(length));
    std::vector<double> second(static_cast<size_t>(length));
    for (int64_t i = 0; i < length; ++i) {
      for (int64_t j = 0; j < length; ++j) {
        double others = 1;
        for (int64_t k = 0; k < length; ++k) {
          others *= k == i || k == j ? 1 : static_cast<double>(k);
        }
        (i == j ? first : second)[static_cast<size_t>(i)] += others;
      }
    }
    EXPECT_EQ(gradient_of_product(x, 1), first);
    EXPECT_EQ(gradient_of_product(x, 2), second);
  }
}

TEST(ProductsOfOthersTest, OfASingleElementHaveGradientsOfZero) {
  for (const int times : {2, 3}) {
    SCOPED_TRACE(times);
    EXPECT_THAT(gradient_of_product(array_of({5}, {1}), times), ElementsAre(0));
    EXPECT_THAT(gradient_of_product(array_of({5, 0, 7}, {1, 3}), times, {.axes = {0}}), ElementsAre(0, 0, 0));
    EXPECT_THAT(gradient_of_product(array_of({5, 7}, {1, 2, 1}), times, {.axes = {0, 2}}), ElementsAre(0, 0));
  }
  EXPECT_THAT(gradient_of_product(array_of({2, 3}, {2}), 3), ElementsAre(0, 0)) << "as of any number";
}

TEST(ProductsOfOthersTest, AlongAnyAxes) {
  const Array x = array_of({2, 0, 3, 5, 7, 0, 1, 4}, {2, 2, 2});
  EXPECT_THAT(gradient_of_product(x, 1, {.axes = {1}}), ElementsAre(3, 5, 2, 0, 1, 4, 7, 0));
  EXPECT_THAT(gradient_of_product(x, 1, {.axes = {0, 2}}), ElementsAre(0, 0, 20, 12, 0, 0, 60, 15));
  EXPECT_THAT(gradient_of_product(x, 2, {.axes = {0, 2}}), ElementsAre(0, 14, 29, 19, 0, 14, 47, 23));
  EXPECT_THAT(gradient_of_product(x, 1), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
}

}  // namespace
}  // namespace forebay::ndarray
