#include "forebay/ndarray/nn/dense.h"

#include <algorithm>
#include <vector>

#include "forebay/kernels/linear_algebra/blas_library.h"
#include "forebay/kernels/nn/channels.h"
#include "forebay/ndarray/algebra/reduce.h"
#include "forebay/ndarray/algebra/shaping.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/nn/work.h"
#include "forebay/ndarray/products/products.h"
#include "forebay/ndarray/products/shared_product.h"

namespace forebay::ndarray {
namespace {

using tensor::Shape;

/// Inputs: (rows, inputs), (units, inputs) and optionally (units).
class FullyConnected final : public Operation {
 public:
  std::string_view name() const override { return "FullyConnected"; }
  Keeps keeps(Places wanted) const override { return {.inputs = factors_read(wanted)}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_real(inputs));
    const Shape& data = inputs[0].shape;
    const Shape& weight = inputs[1].shape;
    if (weight.rank() != 2 || weight[1] != data[1]) {
      return invalid_argument("a weight of {} for rows of {}", weight.to_string(), data[1]);
    }
    if (inputs.size() > 2 && inputs[2].shape != Shape{weight[0]}) {
      return invalid_argument("a bias of {} for {} units", inputs[2].shape.to_string(), weight[0]);
    }
    FOREBAY_RETURN_IF_ERROR(
        kernels::blas_library().status());  // opened in the thread that asks for a product
    return ArraySpecs{{{data[0], weight[0]}, inputs[0].dtype}};
  }

  Status run(const Operands& operands) const override {
    const Shape& data = operands.inputs[0].shape();
    const int64_t units = operands.inputs[1].shape()[0];
    const tensor::MutableTensorView& out = operands.outputs[0];
    const bool has_bias = operands.inputs.size() > 2;
    if (has_bias) {
      FOREBAY_RETURN_IF_ERROR(visit_real(out.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* const bias = operands.inputs[2].as<T>();
        for (int64_t row = 0; row < data[0]; ++row) {
          std::copy_n(bias, units, out.as<T>() + row * units);
        }
        return ok_status();
      }));
    }
    return shared_product(out.dtype(), matrix_of(operands.inputs[0].data, data[0], data[1], false),
                          matrix_of(operands.inputs[1].data, units, data[1], true), out.data, units,
                          has_bias);
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const Array& g = request.output_gradients[0];
    Arrays gradients(request.input_specs.size());
    if (request.wanted[0]) {
      FOREBAY_ASSIGN_OR_RETURN(gradients[0], dot(g, request.inputs[1]));
    }
    if (request.wanted[1]) {
      FOREBAY_ASSIGN_OR_RETURN(gradients[1], dot(g, request.inputs[0], true, false));
    }
    if (request.wanted.size() > 2 && request.wanted[2]) {
      FOREBAY_ASSIGN_OR_RETURN(gradients[2], reduce(Reduction::kSum, g, {.axes = {0}}));
    }
    return gradients;
  }
};

OperationRef fully_connected_operation() {
  static const OperationRef operation = std::make_shared<FullyConnected>();
  return operation;
}

constexpr int64_t kRowShares = 16;  // parts of the table whose gradients are summed in parallel

int64_t row_of(double index, int64_t rows) {
  return std::clamp<int64_t>(static_cast<int64_t>(index), 0, rows - 1);
}

/// Inputs: indices (in the rows' type), the gradient.
class EmbeddingGradient final : public Operation {
 public:
  explicit EmbeddingGradient(ArraySpec weight) : weight_(std::move(weight)) {}

  std::string_view name() const override { return "gradient of Embedding"; }
  bool is_differentiable() const override { return false; }
  Result<ArraySpecs> infer(std::span<const ArraySpec>) const override { return ArraySpecs{weight_}; }

  Status run(const Operands& operands) const override {
    return visit_real(weight_.dtype, [&](auto zero) { return run_as<decltype(zero)>(operands); });
  }

 private:
  /// Each share reads all indices and adds those of its rows, in order.
  template <class T>
  Status run_as(const Operands& operands) const {
    const int64_t rows = weight_.shape[0];
    const int64_t width = weight_.shape[1];
    const int64_t count = operands.inputs[0].volume();
    const double* const indices = operands.inputs[0].as<double>();
    const T* const gradient = operands.inputs[1].as<T>();
    T* const out = operands.outputs[0].as<T>();
    const int64_t shares = weight_.volume() < kElementsAShare ? 1 : kRowShares;
    return share(rows, (rows + shares - 1) / shares, [&](int64_t first, int64_t last) {
      std::fill(out + first * width, out + last * width, T{0});
      for (int64_t i = 0; i < count; ++i) {
        const int64_t row = row_of(indices[i], rows);
        if (row >= first && row < last) {
          T* const to = out + row * width;
          kernels::combine_runs<T>(gradient + i * width, 1, to, 1, 0, width, to);
        }
      }
    });
  }

  const ArraySpec weight_;
};

/// Inputs: indices in double, the table.
class Embed final : public Operation {
 public:
  explicit Embed(Shape out) : out_(out) {}

  std::string_view name() const override { return "Embedding"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = {0}}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    return ArraySpecs{{out_, inputs[1].dtype}};
  }

  Status run(const Operands& operands) const override {
    return visit_real(operands.inputs[1].dtype(), [&](auto zero) {
      using T = decltype(zero);
      const Shape& table = operands.inputs[1].shape();
      const double* const indices = operands.inputs[0].as<double>();
      return share(operands.inputs[0].volume(), places_a_share(table[1]), [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          std::copy_n(operands.inputs[1].as<T>() + row_of(indices[i], table[0]) * table[1], table[1],
                      operands.outputs[0].as<T>() + i * table[1]);
        }
      });
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const Array inputs[] = {request.inputs[0], request.output_gradients[0]};
    const auto operation = std::make_shared<EmbeddingGradient>(request.input_specs[1]);
    FOREBAY_ASSIGN_OR_RETURN(Array gradient, apply_one(operation, inputs));
    return Arrays{Array(), std::move(gradient)};
  }

 private:
  const Shape out_;
};

}  // namespace

Result<Array> fully_connected(const Array& data, const Array& weight, const Array& bias, bool flatten) {
  if (!data.is_valid() || !weight.is_valid() || data.shape().rank() == 0 || weight.shape().rank() != 2) {
    return invalid_argument("FullyConnected: takes data and a weight of (units, inputs)");
  }
  const Shape& shape = data.shape();
  const int64_t inputs = flatten || shape.rank() == 1 ? shape.volume(1, shape.rank()) : shape.back();
  const int64_t rows = flatten || shape.rank() == 1 ? shape[0] : shape.volume(0, shape.rank() - 1);
  FOREBAY_ASSIGN_OR_RETURN(const Array matrix, reshape(data, {rows, inputs}));
  const Array operands[] = {matrix, weight, bias};
  FOREBAY_ASSIGN_OR_RETURN(
      const Array made, apply_one(fully_connected_operation(), std::span(operands, bias.is_valid() ? 3 : 2)));
  if (flatten || shape.rank() < 3) {
    return made;
  }
  Shape out = shape;
  out[shape.rank() - 1] = weight.shape()[0];
  return reshape(made, out);
}

Result<Array> embedding(const Array& indices, const Array& weight) {
  if (!indices.is_valid() || !weight.is_valid() || weight.shape().rank() != 2 || weight.shape()[0] == 0 ||
      indices.shape().rank() == tensor::kMaxRank) {
    return invalid_argument("Embedding: takes indices and a weight of (rows, columns)");
  }
  FOREBAY_RETURN_IF_ERROR(check_real({&weight.spec(), 1}));
  FOREBAY_ASSIGN_OR_RETURN(const Array numbers, cast(indices.detached(), tensor::DType::kFloat64));
  Shape out = indices.shape();
  out.push_back(weight.shape()[1]);
  const Array inputs[] = {numbers, weight};
  return apply_one(std::make_shared<Embed>(out), inputs);
}

}  // namespace forebay::ndarray
