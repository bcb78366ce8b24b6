// _subscript: Python's x[1, 2:, ::-1].
#include <algorithm>
#include <array>

#include "forebay/kernels/generic/slice.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"

namespace forebay::operators {
namespace {

/// The parameters of one axis.
template <int kAxis>
struct AxisSubscript {
  Arg<int64_t> at;
  Arg<int64_t> lo;
  Arg<int64_t> hi;
  Arg<int64_t> step = 1;
};

Status check_is_integer(const Sample& sample, const Arg<int64_t>& argument) {
  if (argument.is_tensor() && !tensor::is_integer(sample.argument(argument.slot()).dtype())) {
    return invalid_argument("a subscript must be an integer, not {}",
                            tensor::name_of(sample.argument(argument.slot()).dtype()));
  }
  return ok_status();
}

Status set_from(const Sample& sample, const Arg<int64_t>& argument, std::optional<int64_t>& target) {
  if (argument.is_given()) {
    FOREBAY_RETURN_IF_ERROR(check_is_integer(sample, argument));
    FOREBAY_ASSIGN_OR_RETURN(target, argument.get(sample));
  }
  return ok_status();
}

template <int kAxis>
Status read(const Sample& sample, const AxisSubscript<kAxis>& axis, kernels::Subscript& subscript) {
  subscript.is_index = axis.at.is_given();
  FOREBAY_RETURN_IF_ERROR(set_from(sample, subscript.is_index ? axis.at : axis.lo, subscript.start));
  FOREBAY_RETURN_IF_ERROR(set_from(sample, axis.hi, subscript.stop));
  std::optional<int64_t> step;
  FOREBAY_RETURN_IF_ERROR(set_from(sample, axis.step, step));
  subscript.step = step.value_or(1);
  return ok_status();
}

/// The first element and the number of elements in a part of `extent`, for a step of 1.
struct Range {
  int64_t begin;
  int64_t count;
};

Range range_of(const kernels::Subscript& subscript, int64_t extent) {
  if (subscript.is_index) {
    return {*subscript.start < 0 ? *subscript.start + extent : *subscript.start, 1};
  }
  const auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + extent : at, 0, extent); };
  const int64_t begin = place(subscript.start.value_or(0));
  return {begin, std::max<int64_t>(0, place(subscript.stop.value_or(extent)) - begin)};
}

/// The offset of the result within the input's elements if it is contiguous there; otherwise nullopt.
std::optional<int64_t> offset_in_one_piece(const Shape& in, std::span<const kernels::Subscript> subscripts) {
  int64_t offset = 0;
  int64_t stride = in.volume();
  bool is_open = true;  // every axis so far was narrowed to one element
  for (int axis = 0; axis < static_cast<int>(subscripts.size()); ++axis) {
    const kernels::Subscript& subscript = subscripts[axis];
    if (in[axis] == 0 || (!subscript.is_index && subscript.step != 1)) {
      return std::nullopt;
    }
    const Range range = range_of(subscript, in[axis]);
    const bool is_whole = range.count == in[axis];
    if (!is_whole && !is_open) {
      return std::nullopt;
    }
    is_open = is_open && range.count == 1;
    stride /= in[axis];
    offset += range.begin * stride;
  }
  return offset;
}

struct TensorSubscript : AxisSubscript<0>,
                         AxisSubscript<1>,
                         AxisSubscript<2>,
                         AxisSubscript<3>,
                         AxisSubscript<4>,
                         AxisSubscript<5>,
                         AxisSubscript<6>,
                         AxisSubscript<7> {
  int64_t num_subscripts = 0;

  Status prepare(const Arguments&) {
    int given = 0;
    FOREBAY_RETURN_IF_ERROR(visit([&](const auto& axis, int number) {
      const bool is_range = axis.lo.is_given() || axis.hi.is_given() || axis.step.is_given();
      if (axis.at.is_given() && is_range) {
        return invalid_argument("axis {} has both an index and a range", number);
      }
      given = axis.at.is_given() || is_range ? number + 1 : given;
      return ok_status();
    }));
    if (num_subscripts > tensor::kMaxRank) {
      return invalid_argument("{} subscripts; there can be {}", num_subscripts, tensor::kMaxRank);
    }
    num_subscripts = std::max<int64_t>(num_subscripts, given);
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    std::array<kernels::Subscript, tensor::kMaxRank> all;
    FOREBAY_RETURN_IF_ERROR(
        visit([&](const auto& axis, int number) { return read(sample, axis, all[number]); }));
    const auto subscripts =
        std::span<const kernels::Subscript>(all).first(static_cast<size_t>(num_subscripts));
    FOREBAY_ASSIGN_OR_RETURN(const Shape shape, kernels::subscripted_shape(in.shape(), subscripts));
    std::vector<int> removed;
    for (int axis = 0; axis < num_subscripts; ++axis) {
      if (subscripts[axis].is_index) {
        removed.push_back(axis);
      }
    }
    const TensorSpec spec{shape, in.dtype(), layout_without(in.layout(), removed)};
    const auto offset = offset_in_one_piece(in.shape(), subscripts);
    if (offset && shape.volume() > 0) {
      const size_t offset_bytes = static_cast<size_t>(*offset) * tensor::size_of(in.dtype());
      sample.forward(0, Tensor(in.buffer(), in.offset_bytes() + offset_bytes, spec));
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    return kernels::subscript(in.view(), subscripts, out);
  }

 private:
  template <int kAxis = 0, class F>
  Status visit(F&& function) const {
    if constexpr (kAxis < tensor::kMaxRank) {
      FOREBAY_RETURN_IF_ERROR(function(static_cast<const AxisSubscript<kAxis>&>(*this), kAxis));
      return visit<kAxis + 1>(function);
    } else {
      return ok_status();
    }
  }
};

template <int kAxis = 0>
void add_axes(Description<TensorSubscript>& description) {
  if constexpr (kAxis < tensor::kMaxRank) {
    using Axis = AxisSubscript<kAxis>;
    const std::string number = std::to_string(kAxis);
    description.param("at_" + number, &Axis::at, "An index on axis " + number + ", which goes.")
        .param("lo_" + number, &Axis::lo, "First element on axis " + number + ".")
        .param("hi_" + number, &Axis::hi, "Behind the last element on axis " + number + ".")
        .param("step_" + number, &Axis::step, "From element to element on axis " + number + ".");
    add_axes<kAxis + 1>(description);
  }
}

}  // namespace

OperatorSpec subscript() {
  return describe<TensorSubscript>("_subscript", "Takes a part of a tensor as Python's subscripts do.")
      .input("data", "Any tensor.")
      .group(add_axes<0>)
      .param("num_subscripts", &TensorSubscript::num_subscripts,
             "How many axes are named; a tensor with fewer is refused.")
      .outputs(
          "The part, without the axes that have an index; the input's memory where it lies there in one "
          "piece.")
      .matches("DALI indexing")
      .internal()
      .build();
}

}  // namespace forebay::operators
