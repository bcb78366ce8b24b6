// What normalize subtracts and multiplies by: given as arguments, or taken over the axes of one or more
// samples.
#pragma once

#include <span>

#include "forebay/memory/host/scratch.h"
#include "forebay/operators/arg.h"

namespace forebay::operators {

/// A statistic that broadcasts to the input: same rank, and each extent is the input's or 1.
struct Statistic {
  memory::ScratchVector<float> values;
  Shape shape;

  TensorView view() const { return {values.data(), {shape, DType::kFloat, {}}}; }
};

/// The statistic given as `argument`: one number, or a tensor with the shape left after reducing over `over`.
Result<Statistic> given_statistic(const Sample& sample, const Arg<float>& argument, std::span<const int> over,
                                  std::string_view name);

/// The means of all samples' inputs 0 together; their shapes reduced over `over` are equal.
Result<Statistic> means_of(std::span<const Sample> samples, std::span<const int> over);

struct Spread {
  float scale = 1;
  float epsilon = 0;
  int ddof = 0;
};

/// What makes standard deviations about `centre` those of `spread`: kernels::multipliers_from_squares().
Result<Statistic> multipliers_of(std::span<const Sample> samples, std::span<const int> over,
                                 const Statistic& centre, const Spread& spread);

}  // namespace forebay::operators
