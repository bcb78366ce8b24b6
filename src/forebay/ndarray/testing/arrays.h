// For tests: small arrays, and checking gradients against finite differences.
#pragma once

#include <functional>
#include <initializer_list>
#include <vector>

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray::testing {

Array array_of(std::initializer_list<double> values, const tensor::Shape& shape,
               tensor::DType dtype = tensor::DType::kFloat64);
Array random_array(const tensor::Shape& shape, uint64_t seed, double low = -1, double high = 1);

/// The content as doubles; aborts the test on an error.
std::vector<double> values_of(const Array& array);

/// Differentiates sum(function(inputs) * weights), with random weights, by autograd and by central
/// differences in double precision. Adds a test failure for each input whose gradients differ by more than
/// `tolerance`, relative to the largest one.
void check_gradients(const std::function<Result<Array>(std::span<const Array>)>& function, Arrays inputs,
                     double tolerance = 1e-6);

}  // namespace forebay::ndarray::testing
