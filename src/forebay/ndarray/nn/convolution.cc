#include "forebay/ndarray/nn/convolution.h"

#include <vector>

#include "forebay/kernels/nn/channels.h"
#include "forebay/kernels/nn/convolution.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/ndarray/nn/spatial.h"
#include "forebay/ndarray/nn/work.h"

namespace forebay::ndarray {
namespace {

using kernels::ConvolutionPlan;
using kernels::ConvolutionShape;
using kernels::Extents;
using tensor::Shape;

constexpr int64_t kMultiplicationsAShare = int64_t{1} << 21;
constexpr int64_t kPartialSums = 16;                    // for the gradient of weights, over the batch
constexpr int64_t kPartialElements = int64_t{1} << 22;  // approximate total of all partial sums

using PlanRef = std::shared_ptr<const ConvolutionPlan>;

/// The batch and the plan, shared by the three operations of a convolution.
struct Batch {
  int64_t samples = 0;
  PlanRef plan;

  const ConvolutionShape& shape() const { return plan->shape(); }
  int64_t samples_a_share() const {
    return places_a_share(shape().multiplications(), kMultiplicationsAShare);
  }
};

template <class T, class View>
auto* at(const View& view, int64_t element) {
  using Pointer = std::conditional_t<std::is_same_v<View, tensor::TensorView>, const T*, T*>;
  return static_cast<Pointer>(view.data) + element;
}

/// Samples in, samples out: the forward direction, or the backward one (`transposed`). Inputs: data, weight
/// and optionally bias.
class Correlate final : public Operation {
 public:
  Correlate(Batch batch, bool transposed, Shape out, bool is_gradient)
      : batch_(std::move(batch)), transposed_(transposed), out_(out), is_gradient_(is_gradient) {}

  std::string_view name() const override {
    constexpr std::string_view kNames[] = {"Convolution", "Deconvolution", "gradient of Deconvolution",
                                           "gradient of Convolution"};
    return kNames[2 * static_cast<int>(is_gradient_) + static_cast<int>(transposed_)];
  }
  Keeps keeps(Places wanted) const override {
    if (wanted.has(2)) {
      wanted.add(1);  // the bias's gradient comes with the weight's
    }
    return {.inputs = factors_read(wanted)};
  }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_real(inputs));
    return ArraySpecs{{out_, inputs[0].dtype}};
  }

  Status run(const Operands& operands) const override {
    return visit_real(operands.inputs[0].dtype(),
                      [&](auto zero) { return run_as<decltype(zero)>(operands); });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override;

 private:
  template <class T>
  Status run_as(const Operands& operands) const {
    const ConvolutionPlan& plan = *batch_.plan;
    const T* const weights = at<T>(operands.inputs[1], 0);
    memory::ScratchArray<T> packed(static_cast<size_t>(plan.shape().weight_volume()));
    transposed_ ? plan.pack_backward(weights, packed.data()) : plan.pack_forward(weights, packed.data());
    const T* const bias = operands.inputs.size() > 2 ? at<T>(operands.inputs[2], 0) : nullptr;
    const int64_t in_volume = transposed_ ? plan.shape().out_volume() : plan.shape().in_volume();
    const int64_t out_volume = transposed_ ? plan.shape().in_volume() : plan.shape().out_volume();
    return share(batch_.samples, batch_.samples_a_share(), [&](int64_t first, int64_t last) {
      for (int64_t sample = first; sample < last; ++sample) {
        const T* const in = at<T>(operands.inputs[0], sample * in_volume);
        T* const out = at<T>(operands.outputs[0], sample * out_volume);
        transposed_ ? plan.data_gradient(packed.data(), bias, in, out)
                    : plan.forward(packed.data(), bias, in, out);
      }
    });
  }

  const Batch batch_;
  const bool transposed_;
  const Shape out_;
  const bool is_gradient_;
};

/// The gradients of weights and bias. Inputs: what the plan calls in, and the gradient of its out. The batch
/// is divided into partial sums, which are added in order; their number depends only on the shape.
class WeightGradient final : public Operation {
 public:
  WeightGradient(Batch batch, Shape weight, bool bias_is_of_in)
      : batch_(std::move(batch)), weight_(weight), bias_is_of_in_(bias_is_of_in) {}

  std::string_view name() const override { return "gradient of the weights of Convolution"; }
  bool is_differentiable() const override { return false; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_real(inputs));
    return ArraySpecs{{weight_, inputs[0].dtype}, {Shape{bias_channels().channels}, inputs[0].dtype}};
  }

  Status run(const Operands& operands) const override {
    return visit_real(operands.inputs[0].dtype(),
                      [&](auto zero) { return run_as<decltype(zero)>(operands); });
  }

 private:
  kernels::Channels bias_channels() const {
    const ConvolutionShape& shape = batch_.shape();
    const Extents out = shape.out();
    return bias_is_of_in_
               ? kernels::Channels{batch_.samples, shape.in_channels, shape.in[0] * shape.in[1] * shape.in[2]}
               : kernels::Channels{batch_.samples, shape.out_channels, out[0] * out[1] * out[2]};
  }

  int64_t samples_a_part() const {
    const int64_t most = kPartialElements / std::max<int64_t>(batch_.shape().weight_volume(), 1);
    const int64_t parts = std::clamp<int64_t>(most, 1, kPartialSums);
    return std::max<int64_t>((batch_.samples + parts - 1) / parts, 1);
  }

  template <class T>
  Status run_as(const Operands& operands) const {
    const ConvolutionPlan& plan = *batch_.plan;
    const int64_t at_once = samples_a_part();
    const int64_t parts = (batch_.samples + at_once - 1) / at_once;
    const int64_t volume = plan.shape().weight_volume();
    const tensor::TensorView& biased = operands.inputs[bias_is_of_in_ ? 0 : 1];
    const kernels::Channels channels = bias_channels();
    std::vector<T> partials(static_cast<size_t>(parts * volume));
    std::vector<T> bias_partials(static_cast<size_t>(parts * channels.channels));
    FOREBAY_RETURN_IF_ERROR(share(batch_.samples, at_once, [&](int64_t first, int64_t last) {
      const int64_t part = first / at_once;
      plan.weight_gradient(last - first, at<T>(operands.inputs[0], first * plan.shape().in_volume()),
                           at<T>(operands.inputs[1], first * plan.shape().out_volume()),
                           partials.data() + part * volume);
      kernels::channel_sums({last - first, channels.channels, channels.inner}, 0, channels.channels,
                            at<T>(biased, channels.start(first, 0)),
                            bias_partials.data() + part * channels.channels);
    }));
    add_up(partials, parts, at<T>(operands.outputs[0], 0), volume);
    add_up(bias_partials, parts, at<T>(operands.outputs[1], 0), channels.channels);
    return ok_status();
  }

  template <class T>
  static void add_up(const std::vector<T>& partials, int64_t parts, T* out, int64_t count) {
    std::fill_n(out, count, T{0});
    for (int64_t part = 0; part < parts; ++part) {
      kernels::combine_runs<T>(partials.data() + part * count, 1, out, 1, 0, count, out);
    }
  }

  const Batch batch_;
  const Shape weight_;
  const bool bias_is_of_in_;
};

Result<Arrays> Correlate::gradients(const GradientRequest& request) const {
  const Array& gradient = request.output_gradients[0];
  Arrays gradients(request.input_specs.size());
  if (request.wanted[0]) {
    const Array inputs[] = {gradient, request.inputs[1]};
    const auto operation =
        std::make_shared<Correlate>(batch_, !transposed_, request.input_specs[0].shape, !is_gradient_);
    FOREBAY_ASSIGN_OR_RETURN(gradients[0], apply_one(operation, inputs));
  }
  const bool wants_bias = request.wanted.size() > 2 && request.wanted[2];
  if (request.wanted[1] || wants_bias) {
    const Array inputs[] = {transposed_ ? gradient : request.inputs[0],
                            transposed_ ? request.inputs[0] : gradient};
    const auto operation =
        std::make_shared<WeightGradient>(batch_, request.input_specs[1].shape, transposed_);
    FOREBAY_ASSIGN_OR_RETURN(Arrays made, ndarray::apply(operation, inputs));
    gradients[1] = std::move(made[0]);
    if (wants_bias) {
      gradients[2] = std::move(made[1]);
    }
  }
  return gradients;
}

Result<size_t> spatial_rank(const Shape& data, size_t kernel_rank) {
  if (data.rank() < 3 || data.rank() > 5 || kernel_rank + 2 != static_cast<size_t>(data.rank())) {
    return invalid_argument(
        "takes (batch, channels, ...) and a kernel with a number for each of 1 to 3 spatial "
        "dimensions, not {} and {} numbers",
        data.to_string(), kernel_rank);
  }
  return kernel_rank;
}

Result<ConvolutionShape> convolution_shape(const Shape& data, const ConvolutionOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const size_t rank, spatial_rank(data, options.kernel.size()));
  ConvolutionShape shape{.groups = options.groups, .in_channels = data[1], .out_channels = options.filters};
  shape.in = spatial_extents(data);
  FOREBAY_ASSIGN_OR_RETURN(shape.kernel, extents_of(options.kernel, rank, 1, "kernel"));
  FOREBAY_ASSIGN_OR_RETURN(shape.stride, extents_of(options.stride, rank, 1, "stride"));
  FOREBAY_ASSIGN_OR_RETURN(shape.dilate, extents_of(options.dilate, rank, 1, "dilate"));
  FOREBAY_ASSIGN_OR_RETURN(shape.pad, extents_of(options.pad, rank, 0, "pad"));
  return shape;
}

/// Checks that weights and bias have the shape required.
Status check_parameters(const ConvolutionShape& shape, size_t rank, const Array& weight, const Array& bias,
                        int64_t filters) {
  const Shape expected =
      batch_shape(shape.out_channels, shape.in_channels / shape.groups, shape.kernel, rank);
  if (weight.shape() != expected) {
    return invalid_argument("the weight is {}, not {}", weight.shape().to_string(), expected.to_string());
  }
  if (bias.is_valid() && bias.shape() != Shape{filters}) {
    return invalid_argument("the bias is {}, not {}", bias.shape().to_string(), Shape{filters}.to_string());
  }
  return ok_status();
}

Result<Array> correlated(const Batch& batch, bool transposed, const Shape& out, const Array& data,
                         const Array& weight, const Array& bias) {
  const auto operation = std::make_shared<Correlate>(batch, transposed, out, false);
  const Array inputs[] = {data, weight, bias};
  return apply_one(operation, std::span(inputs, bias.is_valid() ? 3 : 2));
}

Result<Array> convolved(const Array& data, const Array& weight, const Array& bias,
                        const ConvolutionOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const ConvolutionShape shape, convolution_shape(data.shape(), options));
  FOREBAY_RETURN_IF_ERROR(check(shape));
  FOREBAY_RETURN_IF_ERROR(check_parameters(shape, options.kernel.size(), weight, bias, options.filters));
  const Shape out = batch_shape(data.shape()[0], shape.out_channels, shape.out(), options.kernel.size());
  const Batch batch{data.shape()[0], std::make_shared<const ConvolutionPlan>(shape)};
  return correlated(batch, false, out, data, weight, bias);
}

/// This is the backward direction of a convolution that goes from the result to the data.
Result<Array> deconvolved(const Array& data, const Array& weight, const Array& bias,
                          const ConvolutionOptions& options, const SpatialNumbers& adjust) {
  FOREBAY_ASSIGN_OR_RETURN(ConvolutionShape shape, convolution_shape(data.shape(), options));
  FOREBAY_ASSIGN_OR_RETURN(const Extents more, extents_of(adjust, options.kernel.size(), 0, "adj"));
  const Extents from = shape.in;
  std::swap(shape.in_channels, shape.out_channels);
  for (size_t i = 0; i < 3; ++i) {
    if (more[i] < 0 || (more[i] > 0 && more[i] >= shape.stride[i])) {
      return invalid_argument("adj is less than the stride, not {}", more[i]);
    }
    shape.in[i] = (from[i] - 1) * shape.stride[i] + shape.dilate[i] * (shape.kernel[i] - 1) + 1 + more[i] -
                  2 * shape.pad[i];
  }
  FOREBAY_RETURN_IF_ERROR(check(shape));
  FOREBAY_RETURN_IF_ERROR(check_parameters(shape, options.kernel.size(), weight, bias, options.filters));
  const Shape out = batch_shape(data.shape()[0], shape.in_channels, shape.in, options.kernel.size());
  const Batch batch{data.shape()[0], std::make_shared<const ConvolutionPlan>(shape)};
  return correlated(batch, true, out, data, weight, bias);
}

Status check_given(const Array& data, const Array& weight) {
  return data.is_valid() && weight.is_valid() ? ok_status() : invalid_argument("takes data and a weight");
}

}  // namespace

Result<Array> convolution(const Array& data, const Array& weight, const Array& bias,
                          const ConvolutionOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check_given(data, weight));
  return named(convolved(data, weight, bias, options), "Convolution");
}

Result<Array> deconvolution(const Array& data, const Array& weight, const Array& bias,
                            const ConvolutionOptions& options, const SpatialNumbers& adjust) {
  FOREBAY_RETURN_IF_ERROR(check_given(data, weight));
  return named(deconvolved(data, weight, bias, options, adjust), "Deconvolution");
}

}  // namespace forebay::ndarray
