#include "forebay/kernels/generic/normalize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "forebay/kernels/generic/broadcast_rows.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/generic/ordered_sum.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using tensor::MutableTensorView;
using tensor::Shape;
using tensor::TensorView;

Status check_axes(const Shape& shape, std::span<const int> axes, size_t statistics) {
  for (const int axis : axes) {
    if (axis < 0 || axis >= shape.rank()) {
      return invalid_argument("statistics: no axis {} in {}", axis, shape.to_string());
    }
  }
  if (static_cast<int64_t>(statistics) != reduced_shape(shape, axes).volume()) {
    return invalid_argument("statistics: {} values for {} reduced to {}", statistics, shape.to_string(),
                            reduced_shape(shape, axes).to_string());
  }
  return ok_status();
}

template <class T>
double as_double(T value) {
  if constexpr (std::is_same_v<T, tensor::Float16>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return static_cast<double>(value);
  }
}

/// sums[place] = join(sums[place], element, place) for all elements, in memory order.
template <class Join>
void fold_as_double(const TensorView& in, std::span<const int> axes, std::span<double> sums, Join join) {
  const Strides strides = broadcast_strides(reduced_shape(in.shape(), axes));
  tensor::visit_dtype(in.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* data = static_cast<const T*>(in.data);
    for_each_block(in.shape(), strides, [&](const RowBlock& block) {
      fold_block(data, block, sums.data(),
                 [&](double sum, T value, int64_t place) { return join(sum, as_double(value), place); });
    });
  });
}

/// The same where each element adds itself, or its square, to the sum.
template <Summand kSummand>
void add_in_order(const TensorView& in, std::span<const int> axes, std::span<double> sums) {
  const auto add = [](double sum, double value, int64_t) {
    return sum + (kSummand == Summand::kValue ? value : value * value);
  };
  if (in.dtype() != tensor::DType::kFloat) {
    return fold_as_double(in, axes, sums, add);
  }
  const float* data = in.as<float>();
  for_each_block(in.shape(), broadcast_strides(reduced_shape(in.shape(), axes)), [&](const RowBlock& block) {
    if (block.step == 0) {
      double& sum = sums[static_cast<size_t>(block.place)];
      sum = ordered_sum(kSummand, sum, data + block.element, block.size);
    } else {
      fold_block(data, block, sums.data(), [&](double sum, float value, int64_t place) {
        return add(sum, static_cast<double>(value), place);
      });
    }
  });
}

}  // namespace

Shape reduced_shape(const Shape& shape, std::span<const int> axes) {
  Shape reduced = shape;
  for (const int axis : axes) {
    if (axis >= 0 && axis < shape.rank()) {
      reduced[axis] = 1;
    }
  }
  return reduced;
}

Status add_sums(const TensorView& in, std::span<const int> axes, std::span<double> sums) {
  FOREBAY_RETURN_IF_ERROR(check_axes(in.shape(), axes, sums.size()));
  add_in_order<Summand::kValue>(in, axes, sums);
  return ok_status();
}

Status add_squared_deviations(const TensorView& in, std::span<const int> axes, std::span<const float> mean,
                              std::span<double> sums) {
  FOREBAY_RETURN_IF_ERROR(check_axes(in.shape(), axes, sums.size()));
  if (mean.size() != sums.size() && mean.size() != 1) {
    return invalid_argument("statistics: {} means for {} values", mean.size(), sums.size());
  }
  if (mean.size() == 1 && mean[0] == 0) {
    add_in_order<Summand::kSquare>(in, axes, sums);
    return ok_status();
  }
  const float* means = mean.data();
  const int64_t step = mean.size() == 1 ? 0 : 1;
  fold_as_double(in, axes, sums, [means, step](double sum, double value, int64_t place) {
    const double difference = value - static_cast<double>(means[place * step]);
    return sum + difference * difference;
  });
  return ok_status();
}

void multipliers_from_squares(std::span<const double> squares, int64_t count, int ddof, float epsilon,
                              float scale, std::span<float> multipliers) {
  const int64_t divisor = count - ddof;
  for (size_t i = 0; i < squares.size(); ++i) {
    if (divisor <= 0 && epsilon == 0) {
      multipliers[i] = 0;
      continue;
    }
    const double variance = (divisor > 0 ? squares[i] / static_cast<double>(divisor) : 0.0) + epsilon;
    multipliers[i] = variance > 0 ? static_cast<float>(scale / std::sqrt(variance)) : 0;
  }
}

void multipliers_from_stddev(std::span<float> stddev, float epsilon, float scale) {
  for (float& deviation : stddev) {
    deviation = epsilon > 0 ? scale / std::sqrt(deviation * deviation + epsilon) : scale / deviation;
  }
}

namespace {

Status check_normalize(const TensorView& in, const TensorView& mean, const TensorView& multiplier,
                       const MutableTensorView& out) {
  const Shape& shape = in.shape();
  bool fits = out.shape() == shape && mean.dtype() == tensor::DType::kFloat &&
              multiplier.dtype() == tensor::DType::kFloat;
  for (const TensorView* view : {&mean, &multiplier}) {
    fits = fits && view->shape().rank() == shape.rank();
    for (int axis = 0; fits && axis < shape.rank(); ++axis) {
      fits = view->shape()[axis] == 1 || view->shape()[axis] == shape[axis];
    }
  }
  if (!fits) {
    return invalid_argument("normalize: mean {} and deviation {} do not fit {} to {}",
                            mean.shape().to_string(), multiplier.shape().to_string(), shape.to_string(),
                            out.shape().to_string());
  }
  return ok_status();
}

/// Mean and multiplier of each place that one of both has.
struct Statistics {
  memory::ScratchVector<float> means;
  memory::ScratchVector<float> multipliers;
  Strides strides{};  // of a place, by the axes of the input
};

/// Both brought to the shape that they have together.
Statistics statistics_of(const TensorView& mean, const TensorView& multiplier) {
  Shape shape = mean.shape();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    shape[axis] = shape[axis] == 1 ? multiplier.shape()[axis] : shape[axis];
  }
  const auto spread = [&](const TensorView& from) {
    memory::ScratchVector<float> to(static_cast<size_t>(shape.volume()));
    const float* values = from.as<float>();
    for_each_block(shape, broadcast_strides(from.shape()), [&](const RowBlock& block) {
      for (int64_t i = 0; i < block.rows * block.size; ++i) {
        to[block.element + i] = values[block.place + i % block.size * block.step];
      }
    });
    return to;
  };
  return {spread(mean), spread(multiplier), broadcast_strides(shape)};
}

/// Rows that are short are written several at a time, by statistics that are repeated as often; unless there
/// are so few that repeating costs more.
constexpr int64_t kLeastRow = 192;
constexpr int64_t kLeastRepeated = 4 * kLeastRow;

template <class In, class Out>
void normalize_block(const In* in, const RowBlock& block, const float* means, const float* multipliers,
                     float shift, Out* out) {
  const auto at = [&](const In* from, float mean, float multiplier) {
    return convert_saturated<Out>((static_cast<float>(*from) - mean) * multiplier + shift);
  };
  if (block.step == 0) {
    const float mean = *means;
    const float multiplier = *multipliers;
    for (int64_t i = 0; i < block.size; ++i) {
      out[i] = at(in + i, mean, multiplier);
    }
    return;
  }
  for (int64_t row = 0; row < block.rows; ++row, in += block.size, out += block.size) {
    for (int64_t i = 0; i < block.size; ++i) {
      out[i] = at(in + i, means[i], multipliers[i]);
    }
  }
}

template <class In, class Out>
void normalize_short_rows(const In* in, RowBlock block, const float* means, const float* multipliers,
                          float shift, Out* out) {
  std::array<std::array<float, kLeastRow>, 2> repeated;
  const int64_t rows = kLeastRow / block.size;
  for (int64_t i = 0; i < rows * block.size; ++i) {
    repeated[0][i] = means[i % block.size];
    repeated[1][i] = multipliers[i % block.size];
  }
  RowBlock long_rows = block;
  long_rows.size = rows * block.size;
  long_rows.rows = block.rows / rows;
  normalize_block(in, long_rows, repeated[0].data(), repeated[1].data(), shift, out);
  const int64_t done = long_rows.rows * long_rows.size;
  block.rows %= rows;
  normalize_block(in + done, block, means, multipliers, shift, out + done);
}

void normalize_rows(const TensorView& in, const TensorView& mean, const TensorView& multiplier, float shift,
                    const MutableTensorView& out) {
  const Statistics statistics = statistics_of(mean, multiplier);
  tensor::visit_dtype(in.dtype(), [&](auto from) {
    using In = typename decltype(from)::type;
    tensor::visit_dtype(out.dtype(), [&](auto to) {
      using Out = typename decltype(to)::type;
      for_each_block(in.shape(), statistics.strides, [&](const RowBlock& block) {
        const In* const source = static_cast<const In*>(in.data) + block.element;
        Out* const target = static_cast<Out*>(out.data) + block.element;
        const float* const means = statistics.means.data() + block.place;
        const float* const multipliers = statistics.multipliers.data() + block.place;
        if (block.step == 1 && block.size <= kLeastRow / 2 && block.rows * block.size >= kLeastRepeated) {
          normalize_short_rows(source, block, means, multipliers, shift, target);
        } else {
          normalize_block(source, block, means, multipliers, shift, target);
        }
      });
    });
  });
}

}  // namespace

Status normalize(const TensorView& in, const TensorView& mean, const TensorView& multiplier, float shift,
                 const MutableTensorView& out) {
  FOREBAY_RETURN_IF_ERROR(check_normalize(in, mean, multiplier, out));
  if (in.volume() == 0) {
    return ok_status();
  }
  return caught([&]() -> Status {
    normalize_rows(in, mean, multiplier, shift, out);
    return ok_status();
  });
}

}  // namespace forebay::kernels
