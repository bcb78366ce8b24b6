#include "forebay/operators/statistics/statistic.h"

#include <algorithm>

#include "forebay/kernels/generic/normalize.h"

namespace forebay::operators {
namespace {

Shape ones(int rank) {
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) {
    shape.push_back(1);
  }
  return shape;
}

/// How many elements one number of a statistic is taken over.
int64_t reduced_count(std::span<const Sample> samples, std::span<const int> over) {
  int64_t count = 0;
  for (const Sample& sample : samples) {
    int64_t of_sample = 1;
    for (const int axis : over) {
      of_sample *= sample.input(0).shape()[axis];
    }
    count += of_sample;
  }
  return count;
}

}  // namespace

Result<Statistic> given_statistic(const Sample& sample, const Arg<float>& argument, std::span<const int> over,
                                  std::string_view name) {
  const Shape& in = sample.input(0).shape();
  if (!argument.is_tensor()) {
    return Statistic{{argument.constant()}, ones(in.rank())};
  }
  const Tensor& tensor = sample.argument(argument.slot());
  const Shape reduced = kernels::reduced_shape(in, over);
  const bool is_scalar = tensor.shape().rank() == 0;
  if (!is_scalar && tensor.shape() != reduced) {
    return invalid_argument("{} has the shape {}; over these axes the input's statistics have {}", name,
                            tensor.shape().to_string(), reduced.to_string());
  }
  Statistic given{memory::ScratchVector<float>(static_cast<size_t>(tensor.volume())),
                  is_scalar ? ones(in.rank()) : reduced};
  FOREBAY_RETURN_IF_ERROR(copy_floats(tensor, given.values));
  return given;
}

Result<Statistic> means_of(std::span<const Sample> samples, std::span<const int> over) {
  Statistic means{{}, kernels::reduced_shape(samples[0].input(0).shape(), over)};
  memory::ScratchVector<double> sums(static_cast<size_t>(means.shape.volume()));
  for (const Sample& sample : samples) {
    FOREBAY_RETURN_IF_ERROR(sample.named(kernels::add_sums(sample.input(0).view(), over, sums)));
  }
  const auto count = static_cast<double>(std::max<int64_t>(1, reduced_count(samples, over)));
  means.values.reserve(sums.size());
  for (const double sum : sums) {
    means.values.push_back(static_cast<float>(sum / count));
  }
  return means;
}

Result<Statistic> multipliers_of(std::span<const Sample> samples, std::span<const int> over,
                                 const Statistic& centre, const Spread& spread) {
  Statistic factor{{}, kernels::reduced_shape(samples[0].input(0).shape(), over)};
  memory::ScratchVector<double> squares(static_cast<size_t>(factor.shape.volume()));
  for (const Sample& sample : samples) {
    FOREBAY_RETURN_IF_ERROR(
        sample.named(kernels::add_squared_deviations(sample.input(0).view(), over, centre.values, squares)));
  }
  factor.values.resize(squares.size());
  kernels::multipliers_from_squares(squares, reduced_count(samples, over), spread.ddof, spread.epsilon,
                                    spread.scale, factor.values);
  return factor;
}

}  // namespace forebay::operators
