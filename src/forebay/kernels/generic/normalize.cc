#include "forebay/kernels/generic/normalize.h"

#include <algorithm>
#include <cmath>

#include "forebay/kernels/generic/broadcast_rows.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/memory/scratch.h"

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

template <class F>
void visit_as_double(const TensorView& in, F&& function) {
  tensor::visit_dtype(in.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* data = static_cast<const T*>(in.data);
    function([data](int64_t at) {
      if constexpr (std::is_same_v<T, tensor::Float16>) {
        return static_cast<double>(static_cast<float>(data[at]));
      } else {
        return static_cast<double>(data[at]);
      }
    });
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
  const Strides strides = broadcast_strides(reduced_shape(in.shape(), axes));
  visit_as_double(in, [&](auto value) {
    for_each_row(in.shape(), strides, [&](int64_t element, int64_t at, int64_t size, int64_t step) {
      for (int64_t i = 0; i < size; ++i) {
        sums[at + i * step] += value(element + i);
      }
    });
  });
  return ok_status();
}

Status add_squared_deviations(const TensorView& in, std::span<const int> axes, std::span<const float> mean,
                              std::span<double> sums) {
  FOREBAY_RETURN_IF_ERROR(check_axes(in.shape(), axes, sums.size()));
  if (mean.size() != sums.size() && mean.size() != 1) {
    return invalid_argument("statistics: {} means for {} values", mean.size(), sums.size());
  }
  const Strides strides = broadcast_strides(reduced_shape(in.shape(), axes));
  const bool one_mean = mean.size() == 1;
  visit_as_double(in, [&](auto value) {
    for_each_row(in.shape(), strides, [&](int64_t element, int64_t at, int64_t size, int64_t step) {
      for (int64_t i = 0; i < size; ++i) {
        const double difference =
            value(element + i) - static_cast<double>(mean[one_mean ? 0 : at + i * step]);
        sums[at + i * step] += difference * difference;
      }
    });
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

void normalize_rows(const TensorView& in, const TensorView& mean, const TensorView& multiplier, float shift,
                    const MutableTensorView& out) {
  const Shape& shape = in.shape();
  const Strides mean_strides = broadcast_strides(mean.shape());
  const Strides multiplier_strides = broadcast_strides(multiplier.shape());
  // The rows of both: the multiplier's place is tracked along with the mean's.
  memory::ScratchVector<int64_t> multiplier_rows;
  for_each_row(shape, multiplier_strides,
               [&](int64_t, int64_t at, int64_t, int64_t) { multiplier_rows.push_back(at); });
  const int rank = shape.rank();
  const int64_t multiplier_step = rank > 0 ? multiplier_strides[rank - 1] : 0;
  const float* means = mean.as<float>();
  const float* multipliers = multiplier.as<float>();
  tensor::visit_dtype(in.dtype(), [&](auto from) {
    using In = typename decltype(from)::type;
    tensor::visit_dtype(out.dtype(), [&](auto to) {
      using Out = typename decltype(to)::type;
      const In* source = static_cast<const In*>(in.data);
      Out* target = static_cast<Out*>(out.data);
      size_t row = 0;
      for_each_row(shape, mean_strides, [&](int64_t element, int64_t at, int64_t size, int64_t step) {
        const int64_t multiplier_at = multiplier_rows[row++];
        for (int64_t i = 0; i < size; ++i) {
          const float value = static_cast<float>(source[element + i]) - means[at + i * step];
          target[element + i] =
              convert_saturated<Out>(value * multipliers[multiplier_at + i * multiplier_step] + shift);
        }
      });
    });
  });
}

}  // namespace

Status normalize(const TensorView& in, const TensorView& mean, const TensorView& multiplier, float shift,
                 const MutableTensorView& out) {
  FOREBAY_RETURN_IF_ERROR(check_normalize(in, mean, multiplier, out));
  return caught([&]() -> Status {
    normalize_rows(in, mean, multiplier, shift, out);
    return ok_status();
  });
}

}  // namespace forebay::kernels
