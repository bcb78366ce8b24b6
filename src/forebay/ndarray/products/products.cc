#include "forebay/ndarray/products/products.h"

#include <algorithm>

#include "forebay/engine/engine.h"
#include "forebay/kernels/linear_algebra/blas_library.h"
#include "forebay/kernels/linear_algebra/matmul.h"
#include "forebay/ndarray/algebra/shaping.h"
#include "forebay/ndarray/products/shared_product.h"

namespace forebay::ndarray {
namespace {

using kernels::Matrix;
using tensor::DType;
using tensor::Shape;

/// Also opens the library of products, in the thread that asks for one.
Status check_types(const ArraySpec& a, const ArraySpec& b) {
  const bool is_real = a.dtype == DType::kFloat || a.dtype == DType::kFloat64;
  if (a.dtype != b.dtype || !is_real) {
    return invalid_argument("products take two arrays of float or two of float64, not {} and {}",
                            tensor::name_of(a.dtype), tensor::name_of(b.dtype));
  }
  return kernels::blas_library().status();
}

/// a and b as matrices: all axes of `a` except the summed one are rows.
struct DotShapes {
  int64_t rows;
  int64_t inner;
  int64_t inner_of_b;
  int64_t columns;
};

DotShapes dot_shapes(const Shape& a, const Shape& b, bool transpose_a, bool transpose_b) {
  const int64_t inner_a = transpose_a ? a[0] : a.back();
  const int64_t inner_b = transpose_b ? b.back() : b[0];
  return {a.volume() / std::max<int64_t>(inner_a, 1), inner_a, inner_b,
          b.volume() / std::max<int64_t>(inner_b, 1)};
}

void append(Shape* shape, const Shape& from, int first, int last) {
  for (int axis = first; axis < last; ++axis) {
    shape->push_back(from[axis]);
  }
}

class Dot final : public Operation {
 public:
  Dot(bool transpose_a, bool transpose_b) : transpose_a_(transpose_a), transpose_b_(transpose_b) {}

  std::string_view name() const override { return "dot"; }
  Keeps keeps(Places wanted) const override { return {.inputs = factors_read(wanted)}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    const Shape& a = inputs[0].shape;
    const Shape& b = inputs[1].shape;
    FOREBAY_RETURN_IF_ERROR(check_types(inputs[0], inputs[1]));
    if (a.rank() == 0 || b.rank() == 0 || a.rank() + b.rank() - 2 > tensor::kMaxRank) {
      return invalid_argument("no product of {} and {}", a.to_string(), b.to_string());
    }
    const DotShapes shapes = dot_shapes(a, b, transposes_a(a), transposes_b(b));
    if (shapes.inner != shapes.inner_of_b) {
      return invalid_argument("the summed axes of {} and {} have {} and {} places", a.to_string(),
                              b.to_string(), shapes.inner, shapes.inner_of_b);
    }
    Shape out;
    transposes_a(a) ? append(&out, a, 1, a.rank()) : append(&out, a, 0, a.rank() - 1);
    transposes_b(b) ? append(&out, b, 0, b.rank() - 1) : append(&out, b, 1, b.rank());
    return ArraySpecs{{out.rank() == 0 ? Shape{1} : out, inputs[0].dtype}};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& a = operands.inputs[0];
    const tensor::TensorView& b = operands.inputs[1];
    const bool ta = transposes_a(a.shape());
    const bool tb = transposes_b(b.shape());
    const DotShapes shapes = dot_shapes(a.shape(), b.shape(), ta, tb);
    const Matrix left = ta ? matrix_of(a.data, shapes.inner, shapes.rows, true)
                           : matrix_of(a.data, shapes.rows, shapes.inner, false);
    const Matrix right = tb ? matrix_of(b.data, shapes.columns, shapes.inner, true)
                            : matrix_of(b.data, shapes.inner, shapes.columns, false);
    return shared_product(a.dtype(), left, right, operands.outputs[0].data, shapes.columns);
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const Shape& a = request.input_specs[0].shape;
    const Shape& b = request.input_specs[1].shape;
    const bool ta = transposes_a(a);
    const bool tb = transposes_b(b);
    const DotShapes shapes = dot_shapes(a, b, ta, tb);
    const auto as_matrix = [](const Array& array, int64_t rows, int64_t columns) {
      return reshape(array, Shape{rows, columns});
    };
    FOREBAY_ASSIGN_OR_RETURN(const Array g,
                             as_matrix(request.output_gradients[0], shapes.rows, shapes.columns));
    Arrays gradients(2);
    if (request.wanted[0]) {
      FOREBAY_ASSIGN_OR_RETURN(const Array right,
                               as_matrix(request.inputs[1], tb ? shapes.columns : shapes.inner,
                                         tb ? shapes.inner : shapes.columns));
      FOREBAY_ASSIGN_OR_RETURN(const Array made, ta ? dot(right, g, tb, true) : dot(g, right, false, !tb));
      FOREBAY_ASSIGN_OR_RETURN(gradients[0], reshape(made, a));
    }
    if (request.wanted[1]) {
      FOREBAY_ASSIGN_OR_RETURN(const Array left, as_matrix(request.inputs[0], ta ? shapes.inner : shapes.rows,
                                                           ta ? shapes.rows : shapes.inner));
      FOREBAY_ASSIGN_OR_RETURN(const Array made, tb ? dot(g, left, true, ta) : dot(left, g, !ta, false));
      FOREBAY_ASSIGN_OR_RETURN(gradients[1], reshape(made, b));
    }
    return gradients;
  }

 private:
  // A vector is its own transpose.
  bool transposes_a(const Shape& a) const { return transpose_a_ && a.rank() > 1; }
  bool transposes_b(const Shape& b) const { return transpose_b_ && b.rank() > 1; }

  const bool transpose_a_;
  const bool transpose_b_;
};

class BatchDot final : public Operation {
 public:
  BatchDot(bool transpose_a, bool transpose_b) : transpose_a_(transpose_a), transpose_b_(transpose_b) {}

  std::string_view name() const override { return "batch_dot"; }
  Keeps keeps(Places wanted) const override { return {.inputs = factors_read(wanted)}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    const Shape& a = inputs[0].shape;
    const Shape& b = inputs[1].shape;
    FOREBAY_RETURN_IF_ERROR(check_types(inputs[0], inputs[1]));
    if (a.rank() != 3 || b.rank() != 3 || a[0] != b[0] ||
        inner_of(a, transpose_a_, 2, 1) != inner_of(b, transpose_b_, 1, 2)) {
      return invalid_argument("no product of the matrices of {} and {}", a.to_string(), b.to_string());
    }
    return ArraySpecs{{{a[0], a[transpose_a_ ? 2 : 1], b[transpose_b_ ? 1 : 2]}, inputs[0].dtype}};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& a = operands.inputs[0];
    const tensor::TensorView& b = operands.inputs[1];
    const tensor::MutableTensorView& out = operands.outputs[0];
    const DType dtype = a.dtype();
    const auto item = static_cast<int64_t>(tensor::size_of(dtype));
    return engine::parallel_for(static_cast<size_t>(a.shape()[0]), [&](size_t place) {
      const auto matrix = [&](const tensor::TensorView& view, bool transposed) {
        const int64_t rows = view.shape()[1];
        const int64_t columns = view.shape()[2];
        const auto* const data =
            static_cast<const std::byte*>(view.data) + static_cast<int64_t>(place) * rows * columns * item;
        return matrix_of(data, rows, columns, transposed);
      };
      auto* const target = static_cast<std::byte*>(out.data) +
                           static_cast<int64_t>(place) * out.shape()[1] * out.shape()[2] * item;
      return kernels::matmul(dtype, matrix(a, transpose_a_), matrix(b, transpose_b_), target, out.shape()[2]);
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const Array& g = request.output_gradients[0];
    Arrays gradients(2);
    if (request.wanted[0]) {
      const Array& b = request.inputs[1];
      FOREBAY_ASSIGN_OR_RETURN(gradients[0], transpose_a_ ? batch_dot(b, g, transpose_b_, true)
                                                          : batch_dot(g, b, false, !transpose_b_));
    }
    if (request.wanted[1]) {
      const Array& a = request.inputs[0];
      FOREBAY_ASSIGN_OR_RETURN(gradients[1], transpose_b_ ? batch_dot(g, a, true, transpose_a_)
                                                          : batch_dot(a, g, !transpose_a_, false));
    }
    return gradients;
  }

 private:
  static int64_t inner_of(const Shape& shape, bool transposed, int plain_axis, int transposed_axis) {
    return shape[transposed ? transposed_axis : plain_axis];
  }

  const bool transpose_a_;
  const bool transpose_b_;
};

}  // namespace

Result<Array> dot(const Array& a, const Array& b, bool transpose_a, bool transpose_b) {
  const Array inputs[] = {a, b};
  return apply_one(std::make_shared<Dot>(transpose_a, transpose_b), inputs);
}

Result<Array> batch_dot(const Array& a, const Array& b, bool transpose_a, bool transpose_b) {
  const Array inputs[] = {a, b};
  return apply_one(std::make_shared<BatchDot>(transpose_a, transpose_b), inputs);
}

}  // namespace forebay::ndarray
