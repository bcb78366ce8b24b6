#include "forebay/kernels/nn/pooling.h"
#include "forebay/kernels/nn/places.h"

#include <vector>

#include "forebay/ndarray/nn/convolution.h"
#include "forebay/ndarray/nn/spatial.h"
#include "forebay/ndarray/nn/work.h"

namespace forebay::ndarray {
namespace {

using kernels::Extents;
using kernels::PoolingShape;
using kernels::volume;
using tensor::Shape;

/// Whether the gradient depends on the values, not only on their places.
bool reads_values(const PoolingShape& shape) {
  return shape.kind == kernels::PoolingKind::kMax || shape.kind == kernels::PoolingKind::kNorm;
}

/// Inputs: the result's gradient, and where it reads_values() the pooled array and the result.
class PoolingGradient final : public Operation {
 public:
  PoolingGradient(PoolingShape shape, Shape in) : shape_(shape), in_(in) {}

  std::string_view name() const override { return "gradient of Pooling"; }
  bool is_differentiable() const override { return false; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    return ArraySpecs{{in_, inputs[0].dtype}};
  }

  Status run(const Operands& operands) const override {
    const auto& in = operands.inputs;
    return visit_real(in[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      const int64_t from = volume(shape_.in);
      const int64_t to = volume(shape_.out);
      return share(in_[0] * in_[1], places_a_share(from), [&](int64_t first, int64_t last) {
        T* const out = operands.outputs[0].as<T>() + first * from;
        const T* const gradient = in[0].as<T>() + first * to;
        const bool has_values = in.size() > 1;  // others of the same shapes stand in for what is not read
        kernels::pool_gradient(shape_, last - first, has_values ? in[1].as<T>() + first * from : out,
                               has_values ? in[2].as<T>() + first * to : gradient, gradient, out);
      });
    });
  }

 private:
  const PoolingShape shape_;
  const Shape in_;
};

class Pool final : public Operation {
 public:
  Pool(PoolingShape shape, Shape out) : shape_(shape), out_(out) {}

  std::string_view name() const override { return "Pooling"; }
  Keeps keeps(Places /*wanted*/) const override {
    return {.inputs = reads_values(shape_), .outputs = reads_values(shape_)};
  }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_real(inputs));
    return ArraySpecs{{out_, inputs[0].dtype}};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    return visit_real(in.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const int64_t from = volume(shape_.in);
      return share(out_[0] * out_[1], places_a_share(from), [&](int64_t first, int64_t last) {
        kernels::pool(shape_, last - first, in.as<T>() + first * from,
                      operands.outputs[0].as<T>() + first * volume(shape_.out));
      });
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const Array inputs[] = {request.output_gradients[0], request.inputs[0], request.outputs[0]};
    const auto operation = std::make_shared<PoolingGradient>(shape_, request.input_specs[0].shape);
    FOREBAY_ASSIGN_OR_RETURN(Array gradient,
                             apply_one(operation, std::span(inputs, reads_values(shape_) ? 3 : 1)));
    return Arrays{std::move(gradient)};
  }

 private:
  const PoolingShape shape_;
  const Shape out_;
};

Result<PoolingShape> pooling_shape(const Shape& data, const PoolingOptions& options) {
  if (data.rank() < 3 || data.rank() > 5) {
    return invalid_argument("takes (batch, channels, ...1 to 3 spatial dimensions), not {}",
                            data.to_string());
  }
  const auto rank = static_cast<size_t>(data.rank() - 2);
  PoolingShape shape{.kind = static_cast<kernels::PoolingKind>(options.kind),
                     .counts_padding = options.counts_padding,
                     .power = options.power};
  shape.in = spatial_extents(data);
  if (options.is_global) {
    shape.kernel = shape.in;
    return shape;
  }
  if (options.kernel.empty()) {
    return invalid_argument("takes a kernel, or global_pool");
  }
  FOREBAY_ASSIGN_OR_RETURN(shape.kernel, extents_of(options.kernel, rank, 1, "kernel"));
  FOREBAY_ASSIGN_OR_RETURN(shape.stride, extents_of(options.stride, rank, 1, "stride"));
  FOREBAY_ASSIGN_OR_RETURN(shape.pad, extents_of(options.pad, rank, 0, "pad"));
  FOREBAY_RETURN_IF_ERROR(kernels::infer_out(&shape, options.full));
  return shape;
}

}  // namespace

Result<Array> pooling(const Array& data, const PoolingOptions& options) {
  if (!data.is_valid()) {
    return invalid_argument("Pooling: no array to pool");
  }
  Result<PoolingShape> shape = pooling_shape(data.shape(), options);
  if (!shape.ok()) {
    return annotate(shape.status(), "Pooling");
  }
  const Shape& in = data.shape();
  const Shape out = batch_shape(in[0], in[1], shape->out, static_cast<size_t>(in.rank() - 2));
  return apply_one(std::make_shared<Pool>(*shape, out), {&data, 1});
}

}  // namespace forebay::ndarray
