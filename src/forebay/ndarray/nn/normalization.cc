#include "forebay/ndarray/nn/normalization.h"

#include "forebay/kernels/nn/lines.h"
#include "forebay/ndarray/algebra/expression.h"
#include "forebay/ndarray/algebra/reduce.h"
#include "forebay/ndarray/algebra/shaping.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/nn/lines.h"
#include "forebay/ndarray/random/random.h"

namespace forebay::ndarray {
namespace {

using kernels::Lines;
using tensor::Shape;

/// Inputs: the result, the deviations, the gradient.
class StandardizeGradient final : public Operation {
 public:
  explicit StandardizeGradient(Lines lines) : lines_(lines) {}

  std::string_view name() const override { return "gradient of standardizing"; }
  bool is_differentiable() const override { return false; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override { return ArraySpecs{inputs[0]}; }

  Status run(const Operands& operands) const override {
    const auto& in = operands.inputs;
    return for_lines(in[0].dtype(), lines_, [&](auto zero, int64_t first, int64_t last) {
      using T = decltype(zero);
      kernels::standardize_gradient(lines_, first, last, in[0].as<T>(), in[1].as<T>(), in[2].as<T>(),
                                    operands.outputs[0].as<T>());
    });
  }

 private:
  const Lines lines_;
};

/// Outputs: the result, means, deviations.
class Standardize final : public Operation {
 public:
  Standardize(Lines lines, Shape lines_shape, double epsilon)
      : lines_(lines), lines_shape_(lines_shape), epsilon_(epsilon) {}

  std::string_view name() const override { return "standardizing"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false, .outputs = {0, 2}}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_real(inputs));
    const ArraySpec of_lines{lines_shape_, inputs[0].dtype};
    return ArraySpecs{inputs[0], of_lines, of_lines};
  }

  Status run(const Operands& operands) const override {
    const auto& out = operands.outputs;
    return for_lines(operands.inputs[0].dtype(), lines_, [&](auto zero, int64_t first, int64_t last) {
      using T = decltype(zero);
      kernels::standardize(lines_, epsilon_, first, last, operands.inputs[0].as<T>(), out[0].as<T>(),
                           out[1].as<T>(), out[2].as<T>());
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const Array inputs[] = {request.outputs[0], request.outputs[2], request.output_gradients[0]};
    FOREBAY_ASSIGN_OR_RETURN(Array gradient,
                             apply_one(std::make_shared<StandardizeGradient>(lines_), inputs));
    return Arrays{std::move(gradient)};
  }

 private:
  const Lines lines_;
  const Shape lines_shape_;
  const double epsilon_;
};

/// A vector as an array that broadcasts along `axis` of arrays with `rank` axes.
Result<Array> along(const Array& vector, int rank, int axis, std::string_view what) {
  if (!vector.is_valid() || vector.shape().rank() != 1) {
    return invalid_argument("{} is a vector", what);
  }
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    shape.push_back(i == axis ? vector.volume() : 1);
  }
  return reshape(vector, shape);
}

/// standardized[0] * gamma + beta; means and deviations without history.
Result<Arrays> scaled_and_shifted(Arrays standardized, const Array& gamma, const Array& beta, int axis) {
  const Array& data = standardized[0];
  const int rank = data.shape().rank();
  for (const Array* parameter : {&gamma, &beta}) {
    if (!parameter->is_valid() || parameter->volume() != data.shape()[axis]) {
      return invalid_argument("gamma and beta have {} elements", data.shape()[axis]);
    }
  }
  FOREBAY_ASSIGN_OR_RETURN(const Array factor, along(gamma, rank, axis, "gamma"));
  FOREBAY_ASSIGN_OR_RETURN(const Array shift, along(beta, rank, axis, "beta"));
  FOREBAY_ASSIGN_OR_RETURN(Array made, (Expression(data) * Expression(factor) + Expression(shift)).result());
  return Arrays{std::move(made), standardized[1].detached(), standardized[2].detached()};
}

Result<Arrays> standardized_as(const Array& data, const Lines& lines, const Shape& lines_shape,
                               double epsilon) {
  return ndarray::apply(std::make_shared<Standardize>(lines, lines_shape, epsilon), {&data, 1});
}

Status check_valid(const Array& data, std::string_view name) {
  return data.is_valid() ? ok_status() : invalid_argument("{}: no data", name);
}

/// Places beyond the lengths become `value`. Inputs: data, lengths in double.
class SequenceMask final : public Operation {
 public:
  SequenceMask(double value, int axis) : value_(value), axis_(axis) {}

  std::string_view name() const override { return "SequenceMask"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = {1}}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    const Shape& data = inputs[0].shape;
    FOREBAY_RETURN_IF_ERROR(check_real(inputs.first(1)));
    if (data.rank() < 2 || inputs[1].shape != Shape{data[1 - axis_]}) {
      return invalid_argument("lengths of {} for {}", inputs[1].shape.to_string(), data.to_string());
    }
    return ArraySpecs{inputs[0]};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    const int64_t width = in.shape().volume(2, in.shape().rank());
    const int64_t inner = in.shape()[1];
    return visit_real(in.dtype(), [&](auto zero) {
      using T = decltype(zero);
      return share(in.shape()[0] * inner, places_a_share(width), [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          const int64_t step = axis_ == 0 ? i / inner : i % inner;
          const int64_t sample = axis_ == 0 ? i % inner : i / inner;
          T* const to = operands.outputs[0].as<T>() + i * width;
          if (static_cast<double>(step) < operands.inputs[1].as<double>()[sample]) {
            std::copy_n(in.as<T>() + i * width, width, to);
          } else {
            std::fill_n(to, width, static_cast<T>(value_));
          }
        }
      });
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const Array inputs[] = {request.output_gradients[0], request.inputs[1]};
    FOREBAY_ASSIGN_OR_RETURN(Array gradient, apply_one(std::make_shared<SequenceMask>(0, axis_), inputs));
    return Arrays{std::move(gradient), Array()};
  }

 private:
  const double value_;
  const int axis_;
};

/// Sums over `size` neighbours along axis 1. It is its own transpose.
class NeighbourSum final : public Operation {
 public:
  explicit NeighbourSum(int64_t size) : size_(size) {}

  std::string_view name() const override { return "sum of neighbours"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_real(inputs));
    return ArraySpecs{inputs[0]};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    const Lines lines = lines_along(in.shape(), 1);
    return visit_real(in.dtype(), [&](auto zero) {
      using T = decltype(zero);
      return share(lines.outer * lines.length, places_a_share(lines.inner * size_),
                   [&](int64_t first, int64_t last) {
                     for (int64_t i = first; i < last; ++i) {
                       const int64_t channel = i % lines.length;
                       const int64_t begin = std::max<int64_t>(channel - size_ / 2, 0) - channel + i;
                       const int64_t end = std::min(channel + size_ / 2, lines.length - 1) - channel + i;
                       for (int64_t place = 0; place < lines.inner; ++place) {
                         double sum = 0;
                         for (int64_t at = begin; at <= end; ++at) {
                           sum += in.as<T>()[at * lines.inner + place];
                         }
                         operands.outputs[0].as<T>()[i * lines.inner + place] = static_cast<T>(sum);
                       }
                     }
                   });
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    FOREBAY_ASSIGN_OR_RETURN(
        Array gradient, apply_one(std::make_shared<NeighbourSum>(size_), {&request.output_gradients[0], 1}));
    return Arrays{std::move(gradient)};
  }

 private:
  const int64_t size_;
};

}  // namespace

Result<Arrays> standardize(const Array& data, int axis, double epsilon) {
  FOREBAY_RETURN_IF_ERROR(check_valid(data, "standardize"));
  FOREBAY_ASSIGN_OR_RETURN(const int place, place_of_axis(data.shape(), axis));
  Shape lines_shape = data.shape();
  lines_shape[place] = 1;
  return standardized_as(data, lines_along(data.shape(), place), lines_shape, epsilon);
}

Result<Arrays> layer_norm(const Array& data, const Array& gamma, const Array& beta, int axis,
                          double epsilon) {
  FOREBAY_ASSIGN_OR_RETURN(Arrays made, standardize(data, axis, epsilon));
  const int place = axis < 0 ? axis + data.shape().rank() : axis;
  Result<Arrays> result = scaled_and_shifted(std::move(made), gamma, beta, place);
  return result.ok() ? std::move(result) : Result<Arrays>(annotate(result.status(), "LayerNorm"));
}

Result<Arrays> group_norm(const Array& data, const Array& gamma, const Array& beta, int64_t groups,
                          double epsilon) {
  FOREBAY_RETURN_IF_ERROR(check_valid(data, "GroupNorm"));
  const Shape& shape = data.shape();
  if (shape.rank() < 2 || groups < 1 || shape[1] % groups != 0) {
    return invalid_argument("GroupNorm: {} groups of the channels of {}", groups, shape.to_string());
  }
  const int64_t length = shape.volume(1, shape.rank()) / groups;
  FOREBAY_ASSIGN_OR_RETURN(const Array grouped, reshape(data, {shape[0], groups, length}));
  FOREBAY_ASSIGN_OR_RETURN(
      Arrays made, standardized_as(grouped, {shape[0] * groups, length, 1}, {shape[0], groups}, epsilon));
  Result<Arrays> result = scaled_and_shifted(std::move(made), gamma, beta, 1);
  if (!result.ok()) {
    return annotate(result.status(), "GroupNorm");
  }
  FOREBAY_ASSIGN_OR_RETURN((*result)[0], reshape((*result)[0], shape));
  return result;
}

Result<Array> l2_normalized(const Array& data, std::span<const int> axes, double epsilon) {
  FOREBAY_RETURN_IF_ERROR(check_valid(data, "L2Normalization"));
  ReduceOptions options{.keep_axes = true};
  options.axes.assign(axes.begin(), axes.end());
  const Expression squares = reduce(Reduction::kSumOfSquares, data, options);
  return (Expression(data) / (squares + epsilon).apply(ArithmeticOp::kSqrt)).result();
}

Result<Array> dropout(const Array& data, double p, std::span<const int> axes) {
  FOREBAY_RETURN_IF_ERROR(check_valid(data, "Dropout"));
  if (!(p >= 0 && p < 1)) {
    return invalid_argument("Dropout: p is in [0, 1), not {}", p);
  }
  Shape shape = data.shape();
  for (const int axis : axes) {
    FOREBAY_ASSIGN_OR_RETURN(const int place, place_of_axis(shape, axis));
    shape[place] = 1;
  }
  FOREBAY_ASSIGN_OR_RETURN(const Array mask, random_mask(1 - p, 1 / (1 - p), {shape, data.dtype()}));
  return multiply(data, mask);
}

Result<Array> sequence_mask(const Array& data, const Array& lengths, double value, int axis) {
  if (!data.is_valid() || !lengths.is_valid() || axis < 0 || axis > 1) {
    return invalid_argument("SequenceMask: takes data, lengths and an axis of 0 or 1");
  }
  FOREBAY_ASSIGN_OR_RETURN(const Array numbers, cast(lengths.detached(), tensor::DType::kFloat64));
  const Array inputs[] = {data, numbers};
  return apply_one(std::make_shared<SequenceMask>(value, axis), inputs);
}

Result<Array> local_response_norm(const Array& data, double alpha, double beta, double knorm, int64_t size) {
  if (!data.is_valid() || data.shape().rank() < 2 || size < 1 || size % 2 == 0) {
    return invalid_argument("LRN: takes (batch, channels, ...) and an odd nsize");
  }
  FOREBAY_ASSIGN_OR_RETURN(const Array squares, multiply(data, data));
  const Expression sums = apply_one(std::make_shared<NeighbourSum>(size), {&squares, 1});
  const Expression base = sums * (alpha / static_cast<double>(size)) + knorm;
  return (Expression(data) * base.apply(ArithmeticOp::kPow, -beta)).result();
}

}  // namespace forebay::ndarray
