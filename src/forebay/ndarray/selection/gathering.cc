#include "forebay/ndarray/selection/gathering.h"

#include <algorithm>
#include <cstring>

#include "forebay/kernels/indexing/rows.h"
#include "forebay/ndarray/algebra/broadcasting.h"
#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/strided.h"
#include "forebay/ndarray/autograd.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/selection/row_map.h"
#include "forebay/ndarray/sharing.h"

namespace forebay::ndarray {
namespace {

using tensor::MutableTensorView;
using tensor::Shape;
using tensor::TensorView;

constexpr int64_t kColumnsATask = 1024;  // columns of rows that are added up

int64_t item_bytes(tensor::DType dtype) {
  return static_cast<int64_t>(tensor::size_of(dtype));
}

class Gather final : public Operation {
 public:
  explicit Gather(RowMapRef map) : map_(std::move(map)) {}

  std::string_view name() const override { return map_->name(); }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = {1}}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_ASSIGN_OR_RETURN(Shape shape, map_->gathered(inputs[0].shape, inputs[1].shape));
    return ArraySpecs{{shape, inputs[0].dtype}};
  }

  Status run(const Operands& operands) const override {
    const TensorView& array = operands.inputs[0];
    const TensorView& indices = operands.inputs[1];
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> rows, map_->rows(array.shape(), indices));
    const int64_t length = map_->row_length(array.shape(), indices.shape());
    const int64_t row_bytes = length * item_bytes(array.dtype());
    const auto count = static_cast<int64_t>(rows.size());
    return share(count, places_a_share(length), [&](int64_t first, int64_t last) {
      const auto part =
          std::span(rows).subspan(static_cast<size_t>(first), static_cast<size_t>(last - first));
      kernels::gather_rows(array.data, row_bytes, part,
                           static_cast<std::byte*>(operands.outputs[0].data) + first * row_bytes);
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override;

 private:
  const RowMapRef map_;
};

/// Zeros with rows added, or written, where Gather would have read them. Inputs: the rows and the indices.
class Scatter final : public Operation {
 public:
  Scatter(RowMapRef map, ArraySpec spec, bool adds)
      : map_(std::move(map)), spec_(std::move(spec)), adds_(adds) {}

  std::string_view name() const override { return adds_ ? "scatter_add" : "scatter_nd"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = {1}}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_ASSIGN_OR_RETURN(const Shape shape, map_->gathered(spec_.shape, inputs[1].shape));
    if (!(shape == inputs[0].shape) || inputs[0].dtype != spec_.dtype) {
      return invalid_argument("values of {} where {} is needed", inputs[0].to_string(), shape.to_string());
    }
    return ArraySpecs{spec_};
  }

  Status run(const Operands& operands) const override {
    const MutableTensorView& out = operands.outputs[0];
    const TensorView& indices = operands.inputs[1];
    std::memset(out.data, 0, out.spec.size_bytes());
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> rows, map_->rows(spec_.shape, indices));
    const int64_t length = map_->row_length(spec_.shape, indices.shape());
    const void* const values = operands.inputs[0].data;
    if (!adds_) {
      kernels::scatter_rows(values, length * item_bytes(spec_.dtype), rows, out.data);
      return ok_status();
    }
    return share(length, kColumnsATask, [&](int64_t first, int64_t last) {
      kernels::add_rows(spec_.dtype, values, length, first, last, rows, out.data);
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    Arrays gradients(2);
    const Array inputs[] = {request.output_gradients[0], request.inputs[1]};
    FOREBAY_ASSIGN_OR_RETURN(gradients[0], apply_one(std::make_shared<Gather>(map_), inputs));
    return gradients;
  }

 private:
  const RowMapRef map_;
  const ArraySpec spec_;
  const bool adds_;
};

Result<Arrays> Gather::gradients(const GradientRequest& request) const {
  Arrays gradients(2);
  if (request.wanted[0]) {
    const Array inputs[] = {request.output_gradients[0], request.inputs[1]};
    FOREBAY_ASSIGN_OR_RETURN(
        gradients[0], apply_one(std::make_shared<Scatter>(map_, request.input_specs[0], true), inputs));
  }
  return gradients;
}

/// Inputs: the values, the indices, and the target, which is also the output.
class AssignRows final : public Operation {
 public:
  explicit AssignRows(RowMapRef map) : map_(std::move(map)) {}

  std::string_view name() const override { return "index_assign"; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override { return ArraySpecs{inputs[2]}; }

  Status run(const Operands& operands) const override {
    const MutableTensorView& out = operands.outputs[0];
    const TensorView& indices = operands.inputs[1];
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> rows, map_->rows(out.shape(), indices));
    const int64_t length = map_->row_length(out.shape(), indices.shape());
    kernels::scatter_rows(operands.inputs[0].data, length * item_bytes(out.dtype()), rows, out.data);
    return ok_status();
  }

 private:
  const RowMapRef map_;
};

class Where final : public Operation {
 public:
  std::string_view name() const override { return "where"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = {0}}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    if (!(inputs[1] == inputs[2])) {
      return invalid_argument("{} or {}", inputs[1].to_string(), inputs[2].to_string());
    }
    const Shape& shape = inputs[1].shape;
    const Shape& condition = inputs[0].shape;
    const bool is_by_row = condition.rank() == 1 && shape.rank() > 0 && condition[0] == shape[0];
    if (!(condition == shape) && !is_by_row) {
      return invalid_argument("a condition of {} for {}", condition.to_string(), shape.to_string());
    }
    return ArraySpecs{inputs[1]};
  }

  Status run(const Operands& operands) const override {
    const TensorView& condition = operands.inputs[0];
    const int64_t rows = condition.volume();
    const MutableTensorView& out = operands.outputs[0];
    const int64_t length = rows == 0 ? 0 : out.volume() / rows;
    return share(rows, places_a_share(length), [&](int64_t first, int64_t last) {
      kernels::select_rows(condition, operands.inputs[1].data, operands.inputs[2].data,
                           length * item_bytes(out.dtype()), first, last, out.data);
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    Arrays gradients(3);
    const Array& g = request.output_gradients[0];
    FOREBAY_ASSIGN_OR_RETURN(const Array zeros, full(g.spec(), 0));
    for (const size_t side : {size_t{1}, size_t{2}}) {
      if (request.wanted[side]) {
        FOREBAY_ASSIGN_OR_RETURN(gradients[side],
                                 where(request.inputs[0], side == 1 ? g : zeros, side == 1 ? zeros : g));
      }
    }
    return gradients;
  }
};

class OneHot final : public Operation {
 public:
  OneHot(int64_t depth, double on, double off, tensor::DType dtype)
      : depth_(depth), on_(on), off_(off), dtype_(dtype) {}

  std::string_view name() const override { return "one_hot"; }
  bool is_step() const override { return true; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    Shape shape = inputs[0].shape;
    if (depth_ < 0 || shape.rank() == tensor::kMaxRank) {
      return invalid_argument("depth {} behind {}", depth_, shape.to_string());
    }
    shape.push_back(depth_);
    return ArraySpecs{{shape, dtype_}};
  }

  Status run(const Operands& operands) const override {
    std::vector<int64_t> indices(static_cast<size_t>(operands.inputs[0].volume()));
    kernels::read_indices(operands.inputs[0], indices);
    kernels::one_hot(indices, depth_, on_, off_, operands.outputs[0]);
    return ok_status();
  }

  Result<Arrays> gradients(const GradientRequest&) const override { return Arrays(1); }

 private:
  const int64_t depth_;
  const double on_;
  const double off_;
  const tensor::DType dtype_;
};

Result<Array> gathered(RowMapRef map, const Array& array, const Array& indices) {
  const Array inputs[] = {array, indices};
  return apply_one(std::make_shared<Gather>(std::move(map)), inputs);
}

}  // namespace

Result<Array> take(const Array& array, const Array& indices, int axis, IndexMode mode) {
  FOREBAY_ASSIGN_OR_RETURN(const int place, checked_axis("take", axis, array.shape().rank()));
  return gathered(take_map(place, mode), array, indices);
}

Result<Array> pick(const Array& array, const Array& indices, int axis, bool keep_axis, IndexMode mode) {
  FOREBAY_ASSIGN_OR_RETURN(const int place, checked_axis("pick", axis, array.shape().rank()));
  return gathered(pick_map(place, keep_axis, mode), array, indices);
}

Result<Array> take_along_axis(const Array& array, const Array& indices, int axis) {
  FOREBAY_ASSIGN_OR_RETURN(const int place, checked_axis("take_along_axis", axis, array.shape().rank()));
  return gathered(along_axis_map(place), array, indices);
}

Result<Array> gather_nd(const Array& array, const Array& indices) {
  return gathered(coordinates_map(), array, indices);
}

Result<Array> gather_rows(const Array& array, const Array& rows, const Shape& row_shape) {
  return gathered(plain_rows_map(row_shape), array, rows);
}

Result<Array> scatter_nd(const Array& values, const Array& indices, const Shape& shape) {
  const Array inputs[] = {values, indices};
  return apply_one(std::make_shared<Scatter>(coordinates_map(), ArraySpec{shape, values.dtype()}, false),
                   inputs);
}

Status assign_rows(const Array& values, const Array& rows, const Shape& row_shape, const Array& target) {
  FOREBAY_RETURN_IF_ERROR(check_not_recorded("index_assign", {&values, 1}, target));
  const RowMapRef map = plain_rows_map(row_shape);
  FOREBAY_ASSIGN_OR_RETURN(const Shape shape, map->gathered(target.shape(), rows.shape()));
  FOREBAY_ASSIGN_OR_RETURN(Array source, broadcast_to(values.detached(), shape));
  if (source.dtype() != target.dtype() || source.region().storage == target.region().storage) {
    FOREBAY_ASSIGN_OR_RETURN(source, cast(source, target.dtype()));
  }
  const Array inputs[] = {source.detached(), rows.detached(), target.detached()};
  return enqueue(std::make_shared<AssignRows>(map), inputs, {inputs + 2, 1});
}

Result<Array> where(const Array& condition, const Array& a, const Array& b) {
  const Array inputs[] = {condition, a, b};
  return apply_one(std::make_shared<Where>(), inputs);
}

Result<Array> one_hot(const Array& indices, int64_t depth, double on, double off, tensor::DType dtype) {
  return apply_one(std::make_shared<OneHot>(depth, on, off, dtype), {&indices, 1});
}

}  // namespace forebay::ndarray
