// Images as arrays, and random choices of Python code.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/bindings.h"
#include "bindings/ndarray/ndarray.h"
#include "forebay/base/random/permutation.h"
#include "forebay/base/random/random.h"
#include "forebay/ndarray/image/image.h"
#include "forebay/ndarray/random/random.h"

namespace forebay::bindings {
namespace {

using kernels::ResampleFilter;
using ndarray::Array;

ResampleFilter filter_of(const std::string& name) {
  if (name == "nearest") {
    return ResampleFilter::kNearest;
  }
  if (name == "linear") {
    return ResampleFilter::kLinear;
  }
  if (name == "cubic") {
    return ResampleFilter::kCubic;
  }
  throw nb::value_error("the interpolation is 'nearest', 'linear' or 'cubic'");
}

std::vector<double> uniform_numbers(uint64_t key, uint64_t position, int count) {
  RandomStream stream(key, position);
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) {
    numbers.push_back(stream.uniform_double());
  }
  return numbers;
}

std::vector<uint64_t> random_order(uint64_t key, uint64_t size) {
  const Permutation permutation(key, size);
  std::vector<uint64_t> order(size);
  for (uint64_t position = 0; position < size; ++position) {
    order[position] = permutation(position);
  }
  return order;
}

}  // namespace

void bind_array_images(nb::module_& module) {
  module.def(
      "resize_image",
      [](const Array& image, int64_t height, int64_t width, const std::string& interpolation) {
        return wrapped(ndarray::resize_image(image, height, width, filter_of(interpolation)));
      },
      nb::arg("image"), nb::arg("height"), nb::arg("width"), nb::arg("interpolation"));
  module.def(
      "crop_image",
      [](const Array& image, int64_t top, int64_t left, int64_t height, int64_t width, bool mirror_columns,
         bool mirror_rows) {
        return wrapped(ndarray::crop_image(image, {top, left, height, width}, mirror_columns, mirror_rows));
      },
      nb::arg("image"), nb::arg("top"), nb::arg("left"), nb::arg("height"), nb::arg("width"),
      nb::arg("mirror_columns") = false, nb::arg("mirror_rows") = false);
  module.def(
      "image_to_tensor", [](const Array& image) { return wrapped(ndarray::image_to_tensor(image)); },
      nb::arg("image"));
  module.def("next_random_key", &ndarray::next_random_key,
             "A key that the next random operation would have had.");
  module.def("uniform_numbers", &uniform_numbers, nb::arg("key"), nb::arg("position"), nb::arg("count"),
             "Numbers in [0, 1) by Philox, fixed by key and position.");
  module.def("random_order", &random_order, nb::arg("key"), nb::arg("size"),
             "The numbers below size in an order fixed by the key.");
}

}  // namespace forebay::bindings
