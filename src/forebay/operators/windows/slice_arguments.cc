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

/// The value if it is given.
template <class T>
Status take(const Arg<T>& argument, const Sample& sample, std::optional<T>& value) {
  if (argument.is_given()) {
    FOREBAY_ASSIGN_OR_RETURN(value, argument.get(sample));
  }
  return ok_status();
}

/// Makes it an entry for each axis; a list of one value applies to all axes.
template <class T>
Status spread(std::optional<std::vector<T>>& values, size_t count, std::string_view name) {
  if (values && values->size() == 1 && count > 1) {
    values->assign(count, T(values->front()));
  }
  if (values && values->size() != count) {
    return invalid_argument("`{}` has {} entries for {} axes", name, values->size(), count);
  }
  return ok_status();
}

Status spread_all(SliceEdges& edges, size_t count) {
  FOREBAY_RETURN_IF_ERROR(spread(edges.start, count, "start"));
  FOREBAY_RETURN_IF_ERROR(spread(edges.rel_start, count, "rel_start"));
  FOREBAY_RETURN_IF_ERROR(spread(edges.end, count, "end"));
  FOREBAY_RETURN_IF_ERROR(spread(edges.rel_end, count, "rel_end"));
  FOREBAY_RETURN_IF_ERROR(spread(edges.shape, count, "shape"));
  return spread(edges.rel_shape, count, "rel_shape");
}

Status set_axis(int axis, int64_t begin, int64_t end, TensorWindow& window) {
  if (end < begin) {
    return invalid_argument("the slice of axis {} would begin at {} and end before, at {}", axis, begin, end);
  }
  window.anchor[axis] = begin;
  window.shape[axis] = end - begin;
  return ok_status();
}

Status check_once(std::span<const int> sliced) {
  std::array<bool, tensor::kMaxRank> is_seen{};
  for (const int axis : sliced) {
    if (is_seen[axis]) {
      return invalid_argument("axis {} is sliced twice", axis);
    }
    is_seen[axis] = true;
  }
  return ok_status();
}

/// Where the window ends on the axis of number `i` in the edges, if it begins at `begin`.
Result<double> end_of_slice(const SliceEdges& edges, size_t i, double begin, double extent) {
  if (edges.end) {
    return static_cast<double>((*edges.end)[i]);
  }
  if (edges.rel_end) {
    return (*edges.rel_end)[i] * static_cast<float>(extent);
  }
  if (edges.shape) {
    if ((*edges.shape)[i] < 0) {
      return invalid_argument("the extent {} of a slice is negative", (*edges.shape)[i]);
    }
    return begin + static_cast<double>((*edges.shape)[i]);
  }
  if (edges.rel_shape) {
    const float size = (*edges.rel_shape)[i];
    if (!(size >= 0)) {
      return invalid_argument("the relative extent {} of a slice is negative", size);
    }
    return edges.rel_start ? (static_cast<double>((*edges.rel_start)[i]) + static_cast<double>(size)) * extent
                           : begin + static_cast<double>(size) * extent;
  }
  return extent;
}

}  // namespace

Result<std::vector<int>> checked_axes(std::span<const int64_t> given, int rank) {
  std::vector<int> sliced;
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
  FOREBAY_RETURN_IF_ERROR(check_once(sliced));
  return sliced;
}

Result<TensorWindow> window_of(const SliceEdges& given, std::span<const int> sliced,
                               const Shape& data_shape) {
  TensorWindow window;
  window.shape = data_shape;
  SliceEdges edges = given;
  FOREBAY_RETURN_IF_ERROR(spread_all(edges, sliced.size()));
  for (size_t i = 0; i < sliced.size(); ++i) {
    const auto extent = static_cast<double>(data_shape[sliced[i]]);
    double begin = 0;
    if (edges.start) {
      begin = static_cast<double>((*edges.start)[i]);
    } else if (edges.rel_start) {
      begin = (*edges.rel_start)[i] * static_cast<float>(extent);
    }
    FOREBAY_ASSIGN_OR_RETURN(const double behind, end_of_slice(edges, i, begin, extent));
    FOREBAY_ASSIGN_OR_RETURN(const int64_t first, rounded(begin));
    FOREBAY_ASSIGN_OR_RETURN(int64_t last, rounded(behind));
    if (edges.shape) {
      last = first + (*edges.shape)[i];
    }
    FOREBAY_RETURN_IF_ERROR(set_axis(sliced[i], first, last, window));
  }
  return window;
}

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
  if (has_axis_names_ || !axes.is_given()) {
    for (const char name : axis_names.names) {
      sliced.push_back(layout.find(name));
      if (sliced.back() < 0) {
        return invalid_argument("the layout '{}' has no axis '{}'; set `axes` or `axis_names`", layout.view(),
                                name);
      }
    }
  } else {
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers given, axes.values(sample));
    return checked_axes(given, data_shape.rank());
  }
  FOREBAY_RETURN_IF_ERROR(check_once(sliced));
  return sliced;
}

Result<SliceEdges> SliceArguments::edges(const Sample& sample) const {
  SliceEdges edges;
  FOREBAY_RETURN_IF_ERROR(take(start, sample, edges.start));
  FOREBAY_RETURN_IF_ERROR(take(rel_start, sample, edges.rel_start));
  FOREBAY_RETURN_IF_ERROR(take(end, sample, edges.end));
  FOREBAY_RETURN_IF_ERROR(take(rel_end, sample, edges.rel_end));
  FOREBAY_RETURN_IF_ERROR(take(shape, sample, edges.shape));
  FOREBAY_RETURN_IF_ERROR(take(rel_shape, sample, edges.rel_shape));
  return edges;
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
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats begins, ArgumentFloats::of(anchor));
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats sizes, ArgumentFloats::of(size));
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers whole_begins, ArgumentIntegers::of(anchor));
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers whole_sizes, ArgumentIntegers::of(size));
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
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<int> sliced, sliced_axes(sample, data_shape, layout));
  if (!has_inputs_) {
    FOREBAY_ASSIGN_OR_RETURN(const SliceEdges given, edges(sample));
    return window_of(given, sliced, data_shape);
  }
  TensorWindow window;
  window.shape = data_shape;
  FOREBAY_RETURN_IF_ERROR(place_by_inputs(sample, sliced, window));
  return window;
}

}  // namespace forebay::operators
