#include "forebay/operators/windows/slice_arguments.h"

#include <cmath>
#include <numeric>

namespace forebay::operators {
namespace {

constexpr double kLargestPlace = 4e15;  // whole numbers below this are exact in double

Result<int64_t> rounded(double place) {
  if (!(std::fabs(place) < kLargestPlace)) {
    return invalid_argument("the coordinate {} of a slice is not a place", place);
  }
  return std::llround(place);
}

/// The value for each axis; a list of one value applies to all axes.
template <class T>
Result<std::vector<T>> entries(const Arg<std::vector<T>>& argument, const Sample& sample, size_t count,
                               std::string_view name) {
  std::vector<T> values;
  if (argument.is_given()) {
    FOREBAY_ASSIGN_OR_RETURN(values, argument.get(sample));
    if (values.size() == 1 && count > 1) {
      values.assign(count, values[0]);
    }
    if (values.size() != count) {
      return invalid_argument("`{}` has {} entries for {} axes", name, values.size(), count);
    }
  }
  return values;
}

Status set_axis(int axis, int64_t begin, int64_t end, TensorWindow& window) {
  if (end < begin) {
    return invalid_argument("the slice of axis {} would begin at {} and end before, at {}", axis, begin, end);
  }
  window.anchor[axis] = begin;
  window.shape[axis] = end - begin;
  return ok_status();
}

}  // namespace

Status SliceArguments::prepare_slice(const Arguments& arguments) {
  has_axis_names_ = arguments.constants.contains("axis_names");
  has_inputs_ = arguments.num_inputs > 1;
  const bool has_named = start.is_given() || end.is_given() || shape.is_given() || rel_start.is_given() ||
                         rel_end.is_given() || rel_shape.is_given();
  if (has_inputs_ && (has_named || arguments.num_inputs != 3)) {
    return invalid_argument(
        "the window is given by both inputs, `anchor` and `shape_input`, or by named arguments");
  }
  if (!has_inputs_ && !has_named) {
    return invalid_argument(
        "no window is given; give `start` and `end`, or `anchor` and `shape_input` as inputs");
  }
  if (start.is_given() && rel_start.is_given()) {
    return invalid_argument("`start` and `rel_start` cannot be given together");
  }
  if (end.is_given() + rel_end.is_given() + shape.is_given() + rel_shape.is_given() > 1) {
    return invalid_argument("only one of `end`, `rel_end`, `shape` and `rel_shape` can be given");
  }
  return ok_status();
}

Result<std::vector<int>> SliceArguments::sliced_axes(const Sample& sample, const Shape& data_shape,
                                                     const Layout& layout) const {
  std::vector<int> sliced;
  const int rank = data_shape.rank();
  if (has_axis_names_ || !axes.is_given()) {
    for (const char name : axis_names.names) {
      sliced.push_back(layout.find(name));
      if (sliced.back() < 0) {
        return invalid_argument("the layout '{}' has no axis '{}'; set `axes` or `axis_names`", layout.view(),
                                name);
      }
    }
  } else {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> given, axes.get(sample));
    for (const int64_t axis : given) {
      if (axis < -rank || axis >= rank) {
        return invalid_argument("axis {} of a slice is not in [{}, {}]", axis, -rank, rank - 1);
      }
      sliced.push_back(static_cast<int>(axis < 0 ? axis + rank : axis));
    }
    if (given.empty()) {
      sliced.resize(rank);
      std::iota(sliced.begin(), sliced.end(), 0);
    }
  }
  std::array<bool, tensor::kMaxRank> is_seen{};
  for (const int axis : sliced) {
    if (is_seen[axis]) {
      return invalid_argument("axis {} is sliced twice", axis);
    }
    is_seen[axis] = true;
  }
  return sliced;
}

Status SliceArguments::place_by_names(const Sample& sample, const std::vector<int>& sliced,
                                      TensorWindow& window) const {
  const size_t count = sliced.size();
  FOREBAY_ASSIGN_OR_RETURN(const auto starts, entries(start, sample, count, "start"));
  FOREBAY_ASSIGN_OR_RETURN(const auto rel_starts, entries(rel_start, sample, count, "rel_start"));
  FOREBAY_ASSIGN_OR_RETURN(const auto ends, entries(end, sample, count, "end"));
  FOREBAY_ASSIGN_OR_RETURN(const auto rel_ends, entries(rel_end, sample, count, "rel_end"));
  FOREBAY_ASSIGN_OR_RETURN(const auto shapes, entries(shape, sample, count, "shape"));
  FOREBAY_ASSIGN_OR_RETURN(const auto rel_shapes, entries(rel_shape, sample, count, "rel_shape"));
  for (size_t i = 0; i < count; ++i) {
    const int axis = sliced[i];
    const auto extent = static_cast<double>(window.shape[axis]);
    const auto float_extent = static_cast<float>(window.shape[axis]);
    double begin = 0;
    if (start.is_given()) {
      begin = static_cast<double>(starts[i]);
    } else if (rel_start.is_given()) {
      begin = rel_starts[i] * float_extent;
    }
    double behind = extent;
    if (end.is_given()) {
      behind = static_cast<double>(ends[i]);
    } else if (rel_end.is_given()) {
      behind = rel_ends[i] * float_extent;
    } else if (shape.is_given()) {
      if (shapes[i] < 0) {
        return invalid_argument("the extent {} of a slice is negative", shapes[i]);
      }
      behind = begin + static_cast<double>(shapes[i]);
    } else if (rel_shape.is_given()) {
      if (!(rel_shapes[i] >= 0)) {
        return invalid_argument("the relative extent {} of a slice is negative", rel_shapes[i]);
      }
      behind = rel_start.is_given()
                   ? (static_cast<double>(rel_starts[i]) + static_cast<double>(rel_shapes[i])) * extent
                   : begin + static_cast<double>(rel_shapes[i]) * extent;
    }
    FOREBAY_ASSIGN_OR_RETURN(const int64_t first, rounded(begin));
    FOREBAY_ASSIGN_OR_RETURN(int64_t last, rounded(behind));
    if (shape.is_given()) {
      last = first + shapes[i];
    }
    FOREBAY_RETURN_IF_ERROR(set_axis(axis, first, last, window));
  }
  return ok_status();
}

Status SliceArguments::place_by_inputs(const Sample& sample, const std::vector<int>& sliced,
                                       TensorWindow& window) const {
  const Tensor& anchor = sample.input(1);
  const Tensor& size = sample.input(2);
  if (anchor.dtype() != size.dtype()) {
    return invalid_argument("`anchor` is {} but `shape_input` is {}; both must be of one type",
                            tensor::name_of(anchor.dtype()), tensor::name_of(size.dtype()));
  }
  if (anchor.volume() != static_cast<int64_t>(sliced.size()) || size.volume() != anchor.volume()) {
    return invalid_argument("`anchor` has {} entries and `shape_input` {}, for {} axes", anchor.volume(),
                            size.volume(), sliced.size());
  }
  const bool is_float = tensor::is_floating(anchor.dtype());
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<float> begins, floats_of(anchor));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<float> sizes, floats_of(size));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> whole_begins, ints_of(anchor));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> whole_sizes, ints_of(size));
  for (size_t i = 0; i < sliced.size(); ++i) {
    const int axis = sliced[i];
    const auto extent = static_cast<double>(window.shape[axis]);
    double begin = is_float ? begins[i] : static_cast<double>(whole_begins[i]);
    double length = is_float ? sizes[i] : static_cast<double>(whole_sizes[i]);
    double behind = 0;
    if (is_float && normalized_anchor && normalized_shape) {
      behind = (begin + length) * extent;
      begin *= extent;
    } else {
      begin *= is_float && normalized_anchor ? extent : 1;
      length *= is_float && normalized_shape ? extent : 1;
      behind = begin + length;
    }
    FOREBAY_ASSIGN_OR_RETURN(const int64_t first, rounded(begin));
    FOREBAY_ASSIGN_OR_RETURN(const int64_t last, rounded(behind));
    FOREBAY_RETURN_IF_ERROR(set_axis(axis, first, last, window));
  }
  return ok_status();
}

Result<TensorWindow> SliceArguments::window(const Sample& sample, const Shape& data_shape,
                                            const Layout& layout) const {
  TensorWindow window;
  window.shape = data_shape;
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<int> sliced, sliced_axes(sample, data_shape, layout));
  FOREBAY_RETURN_IF_ERROR(has_inputs_ ? place_by_inputs(sample, sliced, window)
                                      : place_by_names(sample, sliced, window));
  return window;
}

}  // namespace forebay::operators
