#include "forebay/ndarray/nn/cross_entropy.h"

#include "forebay/kernels/nn/channels.h"
#include "forebay/kernels/nn/lines.h"
#include "forebay/ndarray/nn/lines.h"

namespace forebay::ndarray {
namespace {

using kernels::LabelOptions;
using kernels::Lines;
using tensor::Shape;

/// (probabilities - one-hot labels) times a factor per line. Inputs: probabilities, labels, optionally the
/// factors.
class LabelGradient final : public Operation {
 public:
  LabelGradient(Lines lines, LabelOptions options, bool by_valid)
      : lines_(lines), options_(options), by_valid_(by_valid) {}

  std::string_view name() const override { return "gradient of softmax cross entropy"; }
  bool is_differentiable() const override { return false; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override { return ArraySpecs{inputs[0]}; }

  Status run(const Operands& operands) const override {
    const auto& in = operands.inputs;
    return visit_real(in[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      LabelOptions options = options_;
      options.scale /= by_valid_ ? valid_labels(in[1].as<T>()) : 1;
      return share(lines_.count(), places_a_share(lines_.length), [&](int64_t first, int64_t last) {
        kernels::cross_entropy_gradient(lines_, options, first, last, in[0].as<T>(), in[1].as<T>(),
                                        optional<T>(in, 2), operands.outputs[0].as<T>());
      });
    });
  }

 private:
  template <class T>
  double valid_labels(const T* labels) const {
    const auto count = std::count_if(labels, labels + lines_.count(), [&](T label) {
      return !options_.ignores_some || static_cast<double>(label) != options_.ignored;
    });
    return static_cast<double>(std::max<int64_t>(count, 1));
  }

  const Lines lines_;
  const LabelOptions options_;
  const bool by_valid_;
};

/// Outputs: the losses, and the probabilities for the gradient.
class SoftmaxCrossEntropy final : public Operation {
 public:
  explicit SoftmaxCrossEntropy(Lines lines) : lines_(lines) {}

  std::string_view name() const override { return "softmax_cross_entropy"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = {1}, .outputs = {1}}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_real(inputs));
    return ArraySpecs{inputs[1], inputs[0]};
  }

  Status run(const Operands& operands) const override {
    const auto& in = operands.inputs;
    return for_lines(in[0].dtype(), lines_, [&](auto zero, int64_t first, int64_t last) {
      using T = decltype(zero);
      kernels::softmax_cross_entropy(lines_, first, last, in[0].as<T>(), in[1].as<T>(),
                                     operands.outputs[0].as<T>(), operands.outputs[1].as<T>());
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const Array inputs[] = {request.outputs[1], request.inputs[1], request.output_gradients[0]};
    const auto operation = std::make_shared<LabelGradient>(lines_, LabelOptions(), false);
    FOREBAY_ASSIGN_OR_RETURN(Array gradient, apply_one(operation, inputs));
    return Arrays{std::move(gradient), Array()};
  }

 private:
  const Lines lines_;
};

/// (probabilities - labels) * scale, where labels are distributions.
class DistributionGradient final : public Operation {
 public:
  explicit DistributionGradient(double scale) : scale_(scale) {}

  std::string_view name() const override { return "gradient of SoftmaxOutput"; }
  bool is_differentiable() const override { return false; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override { return ArraySpecs{inputs[0]}; }

  Status run(const Operands& operands) const override {
    const auto& in = operands.inputs;
    return visit_real(in[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T scale = static_cast<T>(scale_);
      return share(in[0].volume(), kElementsAShare, [&](int64_t first, int64_t last) {
        kernels::combine_runs<T>(in[0].as<T>() + first, scale, in[1].as<T>() + first, -scale, 0, last - first,
                                 operands.outputs[0].as<T>() + first);
      });
    });
  }

 private:
  const double scale_;
};

class SoftmaxOutput final : public Operation {
 public:
  SoftmaxOutput(Lines lines, SoftmaxOutputOptions options) : lines_(lines), options_(options) {}

  std::string_view name() const override { return "SoftmaxOutput"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = {1}, .outputs = {0}}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_real(inputs));
    if (inputs[1].volume() != lines_.count() && inputs[1].shape != inputs[0].shape) {
      return invalid_argument("{} labels for {} distributions", inputs[1].volume(), lines_.count());
    }
    return ArraySpecs{inputs[0]};
  }

  Status run(const Operands& operands) const override {
    const auto& in = operands.inputs;
    return for_lines(in[0].dtype(), lines_, [&](auto zero, int64_t first, int64_t last) {
      using T = decltype(zero);
      kernels::softmax<T>(lines_, {}, nullptr, first, last, in[0].as<T>(), operands.outputs[0].as<T>());
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const Array inputs[] = {request.outputs[0], request.inputs[1]};
    FOREBAY_ASSIGN_OR_RETURN(Array gradient, apply_one(gradient_operation(request.input_specs), inputs));
    return Arrays{std::move(gradient), Array()};
  }

 private:
  using Normalization = SoftmaxOutputOptions::Normalization;

  OperationRef gradient_operation(std::span<const ArraySpec> inputs) const {
    const double batch = options_.normalization == Normalization::kBatch ? inputs[0].shape[0] : 1;
    if (inputs[0].shape == inputs[1].shape) {
      return std::make_shared<DistributionGradient>(options_.scale / batch);
    }
    const bool by_valid = options_.normalization == Normalization::kValid;
    const bool by_place = options_.is_multiple && !by_valid;
    const LabelOptions labels{
        .scale = options_.scale / batch / static_cast<double>(by_place ? lines_.inner : 1),
        .smoothing = options_.is_multiple ? 0 : options_.smoothing,
        .ignores_some = options_.ignores_some,
        .ignored = options_.ignored};
    return std::make_shared<LabelGradient>(lines_, labels, by_valid);
  }

  const Lines lines_;
  const SoftmaxOutputOptions options_;
};

Result<Array> cross_entropy_of(const Array& data, const Array& labels, int axis) {
  FOREBAY_ASSIGN_OR_RETURN(const int place, place_of_axis(data.shape(), axis));
  FOREBAY_RETURN_IF_ERROR(check_left(data.shape(), place, labels, "labels"));
  FOREBAY_ASSIGN_OR_RETURN(const Array numbers, of_type(labels, data.dtype()));
  const Array inputs[] = {data, numbers};
  const auto operation = std::make_shared<SoftmaxCrossEntropy>(lines_along(data.shape(), place));
  FOREBAY_ASSIGN_OR_RETURN(Arrays made, ndarray::apply(operation, inputs));
  return std::move(made[0]);
}

Result<Array> softmax_output_of(const Array& data, const Array& labels, const SoftmaxOutputOptions& options) {
  const Shape& shape = data.shape();
  if (shape.rank() < 1 || (options.is_multiple && shape.rank() < 2)) {
    return invalid_argument("no distributions in {}", shape.to_string());
  }
  Lines lines{shape[0], shape.volume(1, shape.rank()), 1};
  if (options.is_multiple) {
    lines = lines_along(shape, 1);
  } else if (options.preserves_shape) {
    lines = lines_along(shape, shape.rank() - 1);
  }
  FOREBAY_ASSIGN_OR_RETURN(const Array numbers, of_type(labels, data.dtype()));
  const Array inputs[] = {data, numbers};
  return apply_one(std::make_shared<SoftmaxOutput>(lines, options), inputs);
}

}  // namespace

Result<Array> softmax_cross_entropy(const Array& data, const Array& labels, int axis) {
  return named(cross_entropy_of(data, labels, axis), "softmax_cross_entropy");
}

Result<Array> softmax_output(const Array& data, const Array& labels, const SoftmaxOutputOptions& options) {
  return named(softmax_output_of(data, labels, options), "SoftmaxOutput");
}

}  // namespace forebay::ndarray
