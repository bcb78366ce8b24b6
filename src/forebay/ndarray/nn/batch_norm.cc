#include <algorithm>
#include <cmath>
#include <vector>

#include "forebay/kernels/nn/channels.h"
#include "forebay/kernels/nn/columns.h"
#include "forebay/ndarray/autograd.h"
#include "forebay/ndarray/axis.h"
#include "forebay/ndarray/nn/normalization.h"
#include "forebay/ndarray/nn/work.h"

namespace forebay::ndarray {
namespace {

using kernels::Channels;
using tensor::Shape;

/// Shared by the three operations.
struct Form {
  Channels shape;
  BatchNormOptions options;
  bool is_of_batch;  // statistics are the batch's

  /// Whether channels are the last axis: then rows are processed instead.
  bool has_rows() const { return shape.inner == 1; }
  /// How many channels make up one share.
  int64_t at_once() const {
    return std::max(places_a_share(shape.count()), has_rows() ? kernels::kColumnsAtOnce : 1);
  }
};

/// out = x * x_factor + y * y_factor + shift, with factors per channel.
template <class T>
struct Combination {
  explicit Combination(int64_t channels)
      : x_factors(static_cast<size_t>(channels)), y_factors(x_factors), shifts(x_factors) {}

  void set(int64_t channel, T x_factor, T y_factor, T shift) {
    const auto place = static_cast<size_t>(channel);
    x_factors[place] = x_factor;
    y_factors[place] = y_factor;
    shifts[place] = shift;
  }

  std::vector<T> x_factors;
  std::vector<T> y_factors;
  std::vector<T> shifts;
};

/// Combines the channels whose factors `prepare(first, last, combination)` sets; `y` may be null.
template <class T, class Prepare>
Status combine(const Form& form, const T* x, const T* y, T* out, Prepare prepare) {
  const Channels& shape = form.shape;
  Combination<T> numbers(shape.channels);
  FOREBAY_RETURN_IF_ERROR(share(shape.channels, form.at_once(), [&](int64_t first, int64_t last) {
    prepare(first, last, numbers);
    for (int64_t channel = first; channel < last && !form.has_rows(); ++channel) {
      const auto of = static_cast<size_t>(channel);
      for (int64_t place = 0; place < shape.outer; ++place) {
        const int64_t at = shape.start(place, channel);
        kernels::combine_runs<T>(x + at, numbers.x_factors[of], y == nullptr ? y : y + at,
                                 numbers.y_factors[of], numbers.shifts[of], shape.inner, out + at);
      }
    }
  }));
  if (!form.has_rows()) {
    return ok_status();
  }
  return share(shape.outer, places_a_share(shape.channels), [&](int64_t first, int64_t last) {
    const int64_t at = shape.start(first, 0);
    kernels::combine_rows<T>(x + at, numbers.x_factors.data(), y == nullptr ? y : y + at,
                             numbers.y_factors.data(), numbers.shifts.data(), last - first, shape.channels,
                             out + at);
  });
}

template <class T>
T inverse_deviation(T variance, double epsilon) {
  return static_cast<T>(1 / std::sqrt(static_cast<double>(variance) + epsilon));
}

/// moving = moving * momentum + batch * (1 - momentum), in place. Inputs: moving and the batch's.
class MovingAverage final : public Operation {
 public:
  explicit MovingAverage(double momentum) : momentum_(momentum) {}

  std::string_view name() const override { return "moving average of BatchNorm"; }
  bool works_in_place() const override { return true; }
  bool is_differentiable() const override { return false; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override { return ArraySpecs{inputs[0]}; }

  Status run(const Operands& operands) const override {
    return visit_real(operands.inputs[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      kernels::combine_runs<T>(operands.inputs[0].as<T>(), static_cast<T>(momentum_),
                               operands.inputs[1].as<T>(), static_cast<T>(1 - momentum_), 0,
                               operands.inputs[0].volume(), operands.outputs[0].as<T>());
      return ok_status();
    });
  }

 private:
  const double momentum_;
};

/// Inputs: data, gamma, mean, variance, gradient. Outputs: the gradients of data, gamma and beta.
class BatchNormGradient final : public Operation {
 public:
  explicit BatchNormGradient(Form form) : form_(form) {}

  std::string_view name() const override { return "gradient of BatchNorm"; }
  bool is_differentiable() const override { return false; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    return ArraySpecs{inputs[0], inputs[1], inputs[1]};
  }

  Status run(const Operands& operands) const override {
    return visit_real(operands.inputs[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      return combine<T>(form_, operands.inputs[4].as<T>(), operands.inputs[0].as<T>(),
                        operands.outputs[0].as<T>(), [&](int64_t first, int64_t last, auto& numbers) {
                          differentiate<T>(operands, first, last, numbers);
                        });
    });
  }

 private:
  // With xh = (x - mean) r: dx = gamma r (g - mean(g) - xh mean(g xh)), with the means only if the statistics
  // are the batch's.
  template <class T>
  void differentiate(const Operands& operands, int64_t first, int64_t last, Combination<T>& numbers) const {
    const T* const means = operands.inputs[2].as<T>();
    std::vector<double> sums(static_cast<size_t>(last - first));
    std::vector<double> products(sums);
    kernels::channel_products(form_.shape, first, last, operands.inputs[4].as<T>(),
                              operands.inputs[0].as<T>(), means, sums.data(), products.data());
    const double count = static_cast<double>(form_.shape.count());
    for (int64_t channel = first; channel < last; ++channel) {
      const T r = inverse_deviation(operands.inputs[3].as<T>()[channel], form_.options.epsilon);
      const T gamma = form_.options.fix_gamma ? T{1} : operands.inputs[1].as<T>()[channel];
      const double sum = sums[static_cast<size_t>(channel - first)];
      const double product = products[static_cast<size_t>(channel - first)] * r;
      operands.outputs[1].as<T>()[channel] = form_.options.fix_gamma ? T{0} : static_cast<T>(product);
      operands.outputs[2].as<T>()[channel] = static_cast<T>(sum);
      const double slope = form_.is_of_batch ? product / count * r : 0;
      const double offset = form_.is_of_batch ? slope * means[channel] - sum / count : 0;
      const T factor = gamma * r;
      numbers.set(channel, factor, static_cast<T>(-slope * factor), static_cast<T>(offset * factor));
    }
  }

  const Form form_;
};

/// Inputs: data, gamma, beta, moving mean and variance. Outputs: the result, mean, variance.
class BatchNorm final : public Operation {
 public:
  BatchNorm(Form form, Array moving_mean, Array moving_variance)
      : form_(form), moving_{std::move(moving_mean), std::move(moving_variance)} {}

  std::string_view name() const override { return "BatchNorm"; }
  // Not the moving statistics, which it writes itself.
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = {0, 1}, .outputs = {1, 2}}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_real(inputs));
    const Shape channels{form_.shape.channels};
    for (const ArraySpec& parameter : inputs.subspan(1)) {
      if (parameter.shape != channels) {
        return invalid_argument("gamma, beta and the moving statistics are {}, not {}", channels.to_string(),
                                parameter.shape.to_string());
      }
    }
    return ArraySpecs{inputs[0], inputs[1], inputs[1]};
  }

  Status run(const Operands& operands) const override {
    return visit_real(operands.inputs[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      return combine<T>(form_, operands.inputs[0].as<T>(), nullptr, operands.outputs[0].as<T>(),
                        [&](int64_t first, int64_t last, auto& numbers) {
                          take_statistics<T>(operands, first, last);
                          normalize<T>(operands, first, last, numbers);
                        });
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const Array inputs[] = {request.inputs[0], request.inputs[1], request.outputs[1].detached(),
                            request.outputs[2].detached(), request.output_gradients[0]};
    FOREBAY_ASSIGN_OR_RETURN(Arrays gradients,
                             ndarray::apply(std::make_shared<BatchNormGradient>(form_), inputs));
    if (form_.is_of_batch) {
      for (size_t i = 0; i < 2; ++i) {
        const Array average[] = {moving_[i], request.outputs[i + 1].detached()};
        FOREBAY_RETURN_IF_ERROR(
            enqueue(std::make_shared<MovingAverage>(form_.options.momentum), average, {&moving_[i], 1}));
      }
    }
    gradients.resize(request.input_specs.size());
    return gradients;
  }

 private:
  template <class T>
  void take_statistics(const Operands& operands, int64_t first, int64_t last) const {
    T* const means = operands.outputs[1].as<T>();
    T* const variances = operands.outputs[2].as<T>();
    if (form_.is_of_batch) {
      kernels::channel_statistics(form_.shape, first, last, operands.inputs[0].as<T>(), means, variances);
    } else {
      std::copy(operands.inputs[3].as<T>() + first, operands.inputs[3].as<T>() + last, means + first);
      std::copy(operands.inputs[4].as<T>() + first, operands.inputs[4].as<T>() + last, variances + first);
    }
  }

  template <class T>
  void normalize(const Operands& operands, int64_t first, int64_t last, Combination<T>& numbers) const {
    for (int64_t channel = first; channel < last; ++channel) {
      const T r = inverse_deviation(operands.outputs[2].as<T>()[channel], form_.options.epsilon);
      const T factor = form_.options.fix_gamma ? r : operands.inputs[1].as<T>()[channel] * r;
      const T beta = operands.inputs[2].as<T>()[channel];
      numbers.set(channel, factor, 0, beta - operands.outputs[1].as<T>()[channel] * factor);
    }
  }

  const Form form_;
  const Array moving_[2];
};

}  // namespace

Result<Arrays> batch_norm(const Array& data, const Array& gamma, const Array& beta, const Array& moving_mean,
                          const Array& moving_variance, const BatchNormOptions& options) {
  const Array inputs[] = {data, gamma, beta, moving_mean.detached(), moving_variance.detached()};
  if (!data.is_valid()) {
    return invalid_argument("BatchNorm: no data");
  }
  Result<int> place = place_of_axis(data.shape(), options.axis);
  if (!place.ok()) {
    return annotate(place.status(), "BatchNorm");
  }
  const kernels::Lines lines = lines_along(data.shape(), *place);
  const Form form{{lines.outer, lines.length, lines.inner}, options, is_training() && !options.use_moving};
  return ndarray::apply(std::make_shared<BatchNorm>(form, inputs[3], inputs[4]), inputs);
}

}  // namespace forebay::ndarray
