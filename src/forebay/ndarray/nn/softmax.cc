#include "forebay/ndarray/nn/softmax.h"

#include "forebay/kernels/nn/lines.h"
#include "forebay/ndarray/nn/lines.h"

namespace forebay::ndarray {
namespace {

using kernels::Lines;
using kernels::SoftmaxOptions;

/// Inputs: the result, its gradient, optionally the lengths.
class SoftmaxGradient final : public Operation {
 public:
  SoftmaxGradient(Lines lines, SoftmaxOptions options) : lines_(lines), options_(options) {}

  std::string_view name() const override { return "gradient of softmax"; }
  bool is_differentiable() const override { return false; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override { return ArraySpecs{inputs[0]}; }

  Status run(const Operands& operands) const override {
    const auto& in = operands.inputs;
    return for_lines(in[0].dtype(), lines_, [&](auto zero, int64_t first, int64_t last) {
      using T = decltype(zero);
      kernels::softmax_gradient(lines_, options_, optional<T>(in, 2), first, last, in[0].as<T>(),
                                in[1].as<T>(), operands.outputs[0].as<T>());
    });
  }

 private:
  const Lines lines_;
  const SoftmaxOptions options_;
};

/// Inputs: the data, optionally the lengths.
class Softmax final : public Operation {
 public:
  Softmax(Lines lines, SoftmaxOptions options) : lines_(lines), options_(options) {}

  std::string_view name() const override { return options_.logarithm ? "log_softmax" : "softmax"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = {1}, .outputs = {0}}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_real(inputs));
    return ArraySpecs{inputs[0]};
  }

  Status run(const Operands& operands) const override {
    const auto& in = operands.inputs;
    return for_lines(in[0].dtype(), lines_, [&](auto zero, int64_t first, int64_t last) {
      using T = decltype(zero);
      kernels::softmax(lines_, options_, optional<T>(in, 1), first, last, in[0].as<T>(),
                       operands.outputs[0].as<T>());
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const auto operation = std::make_shared<SoftmaxGradient>(lines_, options_);
    const bool has_lengths = request.inputs.size() > 1;
    const Array inputs[] = {request.outputs[0], request.output_gradients[0],
                            has_lengths ? request.inputs[1] : Array()};
    FOREBAY_ASSIGN_OR_RETURN(Array gradient, apply_one(operation, std::span(inputs, has_lengths ? 3 : 2)));
    return Arrays{std::move(gradient), Array()};
  }

 private:
  const Lines lines_;
  const SoftmaxOptions options_;
};

Result<Array> softmax_of(const Array& data, const SoftmaxForm& form, const Array& lengths) {
  FOREBAY_ASSIGN_OR_RETURN(const int place, place_of_axis(data.shape(), form.axis));
  if (!(form.temperature > 0)) {
    return invalid_argument("the temperature is {}", form.temperature);
  }
  const SoftmaxOptions options{form.logarithm, (form.is_of_negative ? -1 : 1) / form.temperature};
  const auto operation = std::make_shared<Softmax>(lines_along(data.shape(), place), options);
  if (!lengths.is_valid()) {
    return apply_one(operation, {&data, 1});
  }
  FOREBAY_RETURN_IF_ERROR(check_left(data.shape(), place, lengths, "lengths"));
  FOREBAY_ASSIGN_OR_RETURN(const Array numbers, of_type(lengths, data.dtype()));
  const Array inputs[] = {data, numbers};
  return apply_one(operation, inputs);
}

}  // namespace

Result<Array> softmax(const Array& data, const SoftmaxForm& form, const Array& lengths) {
  return named(softmax_of(data, form, lengths), "softmax");
}

}  // namespace forebay::ndarray
