// Operations on arrays: functions by name, and random numbers of all distributions.
#include "bindings/ndarray/array_operations.h"
#include "forebay/ndarray/functions/functions.h"
#include "forebay/ndarray/random/sampling.h"

namespace forebay::bindings {
namespace {

using ndarray::Array;

kernels::UnaryFunction function_named(const std::string& name) {
  return value_of(kernels::function_of(name), Lookup::kKey);
}

kernels::PairFunction pair_function_named(const std::string& name) {
  return value_of(kernels::pair_function_of(name), Lookup::kKey);
}

kernels::Distribution distribution_named(const std::string& name) {
  return value_of(kernels::distribution_of(name), Lookup::kKey);
}

}  // namespace

void bind_array_functions(ArrayBinding& binding) {
  binding
      .def_static(
          "function",
          [](const std::string& name, const Array& a, double first, double second) {
            return wrapped(ndarray::apply_function(function_named(name), a, {first, second}));
          },
          nb::arg("name"), nb::arg("a"), nb::arg("first") = 0.0, nb::arg("second") = 0.0)
      .def_static(
          "pairs",
          [](const std::string& name, const Array& a, const Array& b) {
            return wrapped(ndarray::apply_pairs(pair_function_named(name), a, b));
          },
          nb::arg("name"), nb::arg("a"), nb::arg("b"))
      .def_static(
          "pairs_with_scalar",
          [](const std::string& name, const Array& a, double scalar, bool reversed) {
            return wrapped(ndarray::apply_pairs(pair_function_named(name), a, scalar, reversed));
          },
          nb::arg("name"), nb::arg("a"), nb::arg("scalar"), nb::arg("reversed") = false)
      .def_static(
          "stop_gradient", [](const Array& array) { return wrapped(ndarray::stop_gradient(array)); },
          nb::arg("array"))
      .def_static(
          "make_loss",
          [](const Array& array, double scale) { return wrapped(ndarray::make_loss(array, scale)); },
          nb::arg("array"), nb::arg("scale"));
}

void bind_array_sampling(ArrayBinding& binding) {
  binding
      .def_static(
          "sample",
          [](const std::string& distribution, double first, double second, nb::handle shape,
             const std::string& dtype) {
            return wrapped(ndarray::sample(distribution_named(distribution), first, second,
                                           array_spec_of(shape, dtype)));
          },
          nb::arg("distribution"), nb::arg("first"), nb::arg("second"), nb::arg("shape"), nb::arg("dtype"))
      .def_static(
          "sample_arrays",
          [](const std::string& distribution, nb::handle parameters, nb::handle shape,
             const std::string& dtype) {
            return wrapped(ndarray::sample(distribution_named(distribution), arrays_of(parameters),
                                           shape_from_python(shape), dtype_from_python(dtype)));
          },
          nb::arg("distribution"), nb::arg("parameters"), nb::arg("shape"), nb::arg("dtype"))
      .def_static(
          "sample_categories",
          [](const Array& weights, nb::handle shape, const std::string& dtype) {
            return wrapped(
                ndarray::sample_categories(weights, shape_from_python(shape), dtype_from_python(dtype)));
          },
          nb::arg("weights"), nb::arg("shape"), nb::arg("dtype"))
      .def_static(
          "permutation", [](int64_t count) { return wrapped(ndarray::random_permutation(count)); },
          nb::arg("count"));
}

}  // namespace forebay::bindings
