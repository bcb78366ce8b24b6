// Operations on arrays: other shapes and orders.
#include "bindings/ndarray/array_operations.h"
#include "forebay/ndarray/algebra/joining.h"
#include "forebay/ndarray/algebra/shaping.h"
#include "forebay/ndarray/algebra/strided.h"
#include "forebay/ndarray/selection/ordering.h"

namespace forebay::bindings {
namespace {

using ndarray::Array;
using ndarray::AxisRange;
using ndarray::StridedLayout;
using Numbers = std::vector<int64_t>;

StridedLayout layout_from_python(const Numbers& shape, const Numbers& strides, int64_t offset) {
  if (shape.size() != strides.size() || shape.size() > tensor::kMaxRank) {
    throw nb::value_error("a layout has as many strides as extents, at most 8");
  }
  StridedLayout layout{.shape = tensor::Shape(std::span(shape)), .strides = {}, .offset = offset};
  std::copy(strides.begin(), strides.end(), layout.strides.begin());
  return layout;
}

std::vector<AxisRange> ranges_from_python(const Numbers& starts, const Numbers& steps,
                                          const Numbers& counts) {
  if (starts.size() != steps.size() || starts.size() != counts.size()) {
    throw nb::value_error("as many starts as steps and counts");
  }
  std::vector<AxisRange> ranges;
  for (size_t i = 0; i < starts.size(); ++i) {
    ranges.push_back({starts[i], steps[i], counts[i]});
  }
  return ranges;
}

void bind_layouts(ArrayBinding& binding) {
  binding
      .def_static(
          "strided_view",
          [](const Array& array, const Numbers& shape, const Numbers& strides, int64_t offset) {
            return wrapped(ndarray::strided_view("slice", array, layout_from_python(shape, strides, offset)));
          },
          nb::arg("array"), nb::arg("shape"), nb::arg("strides"), nb::arg("offset"),
          "Elements at even distances; shares the memory where they lie one behind the other.")
      .def_static(
          "place_strided",
          [](const Array& array, nb::handle whole, const Numbers& strides, int64_t offset, double fill) {
            const Numbers shape(array.shape().begin(), array.shape().end());
            return wrapped(ndarray::place_strided("pad", array, {shape_from_python(whole), array.dtype()},
                                                  layout_from_python(shape, strides, offset), fill));
          },
          nb::arg("array"), nb::arg("shape"), nb::arg("strides"), nb::arg("offset"), nb::arg("fill"),
          "An array of `shape` that holds the array's elements there and `fill` elsewhere.")
      .def_static(
          "assign_strided",
          [](const Array& value, const Array& target, const Numbers& shape, const Numbers& strides,
             int64_t offset) {
            check(ndarray::assign_strided(value, target, layout_from_python(shape, strides, offset)));
          },
          nb::arg("value"), nb::arg("target"), nb::arg("shape"), nb::arg("strides"), nb::arg("offset"));
}

void bind_reshaped_shape(ArrayBinding& binding) {
  binding.def_static(
      "reshaped_shape",
      [](nb::handle shape, const Numbers& wanted) {
        const tensor::Shape reshaped = value_of(ndarray::reshaped_shape(shape_from_python(shape), wanted));
        return Numbers(reshaped.begin(), reshaped.end());
      },
      nb::arg("shape"), nb::arg("wanted"), "The shape that MXNet's special extents come to.");
}

void bind_orders(ArrayBinding& binding) {
  binding
      .def_static(
          "transpose",
          [](const Array& array, const std::vector<int>& axes) {
            return wrapped(ndarray::transpose(array, axes));
          },
          nb::arg("array"), nb::arg("axes"))
      .def_static(
          "flip",
          [](const Array& array, const std::vector<int>& axes) {
            return wrapped(ndarray::flip(array, axes));
          },
          nb::arg("array"), nb::arg("axes"))
      .def_static(
          "slice",
          [](const Array& array, const Numbers& starts, const Numbers& steps, const Numbers& counts) {
            return wrapped(ndarray::slice(array, ranges_from_python(starts, steps, counts)));
          },
          nb::arg("array"), nb::arg("starts"), nb::arg("steps"), nb::arg("counts"))
      .def_static(
          "concat",
          [](nb::handle arrays, int axis) { return wrapped(ndarray::concatenate(arrays_of(arrays), axis)); },
          nb::arg("arrays"), nb::arg("axis"))
      .def_static(
          "order",
          [](const Array& array, int axis, int64_t k, bool ascending) {
            return wrapped(ndarray::order(array, axis, k, ascending));
          },
          nb::arg("array"), nb::arg("axis"), nb::arg("k"), nb::arg("ascending"))
      .def_static(
          "sort",
          [](const Array& array, int axis, bool ascending) {
            return wrapped(ndarray::sort(array, axis, ascending));
          },
          nb::arg("array"), nb::arg("axis"), nb::arg("ascending"))
      .def_static(
          "cumsum",
          [](const Array& array, int axis) { return wrapped(ndarray::cumulative_sum(array, axis)); },
          nb::arg("array"), nb::arg("axis"));
}

}  // namespace

void bind_array_shapes(ArrayBinding& binding) {
  bind_layouts(binding);
  bind_reshaped_shape(binding);
  bind_orders(binding);
}

}  // namespace forebay::bindings
