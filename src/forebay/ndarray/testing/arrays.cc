#include "forebay/ndarray/testing/arrays.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "forebay/kernels/random/fill.h"
#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/elementwise.h"
#include "forebay/ndarray/algebra/reduce.h"
#include "forebay/ndarray/backward/backward.h"
#include "forebay/ndarray/copying.h"

namespace forebay::ndarray::testing {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.status();
    std::abort();
  }
  return *std::move(result);
}

Array array_of_doubles(const std::vector<double>& values, const tensor::Shape& shape) {
  return must(copy_of_bytes(std::as_bytes(std::span(values)), {shape, tensor::DType::kFloat64}));
}

double weighted_sum(const std::function<Result<Array>(std::span<const Array>)>& function,
                    const Arrays& inputs, const Array& weights) {
  const Array result = must(function(inputs));
  return values_of(must(reduce(Reduction::kSum, must(multiply(result, weights)))))[0];
}

}  // namespace

Array array_of(std::initializer_list<double> values, const tensor::Shape& shape, tensor::DType dtype) {
  return must(cast(array_of_doubles(values, shape), dtype));
}

Array random_array(const tensor::Shape& shape, uint64_t seed, double low, double high) {
  std::vector<double> values(static_cast<size_t>(shape.volume()));
  kernels::fill_uniform(seed, 0, low, high, values);
  return array_of_doubles(values, shape);
}

std::vector<double> values_of(const Array& array) {
  const Array doubles = must(cast(array.detached(), tensor::DType::kFloat64));
  const Result<tensor::Tensor> content = doubles.copied();
  EXPECT_TRUE(content.ok()) << content.status();
  const auto values = content.ok() ? content->view().span<double>() : std::span<const double>();
  return {values.begin(), values.end()};
}

void check_gradients(const std::function<Result<Array>(std::span<const Array>)>& function, Arrays inputs,
                     double tolerance) {
  constexpr double kStep = 1e-5;
  const Array weights = random_array(must(function(inputs)).shape(), 4711, 0.5, 1.5);
  for (Array& input : inputs) {
    ASSERT_TRUE(mark_variable(input, must(full(input.spec(), 0)), GradientMode::kWrite).ok());
  }
  set_recording(true);
  const Array result = must(function(inputs));
  set_recording(false);
  const Status status = backward({&result, 1}, {&weights, 1});
  ASSERT_TRUE(status.ok()) << status;
  for (size_t place = 0; place < inputs.size(); ++place) {
    const std::vector<double> gradient = values_of(gradient_of(inputs[place]));
    std::vector<double> content = values_of(inputs[place]);
    double greatest = 1e-3;
    for (const double value : gradient) {
      greatest = std::max(greatest, std::abs(value));
    }
    for (size_t i = 0; i < content.size(); ++i) {
      const double before = content[i];
      Arrays moved = inputs;
      content[i] = before + kStep;
      moved[place] = array_of_doubles(content, inputs[place].shape());
      const double above = weighted_sum(function, moved, weights);
      content[i] = before - kStep;
      moved[place] = array_of_doubles(content, inputs[place].shape());
      const double below = weighted_sum(function, moved, weights);
      content[i] = before;
      EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), tolerance * greatest)
          << "input " << place << ", element " << i;
    }
  }
}

}  // namespace forebay::ndarray::testing
