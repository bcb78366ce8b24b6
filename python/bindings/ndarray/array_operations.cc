// The operations on arrays, as static methods of one class: forebay._core.ArrayOperations.
#include "bindings/ndarray/array_operations.h"

#include "bindings/interpreter/bindings.h"
#include "forebay/ndarray/algebra/broadcasting.h"
#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/elementwise.h"
#include "forebay/ndarray/algebra/reduce.h"
#include "forebay/ndarray/algebra/shaping.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/products/products.h"
#include "forebay/ndarray/random/random.h"

namespace forebay::bindings {
namespace {

using ndarray::Array;
using ndarray::ArraySpec;
using ndarray::ReduceOptions;
using ndarray::Reduction;

using Binding = ArrayBinding;

ArraySpec spec_of(nb::handle shape, const std::string& dtype) {
  return array_spec_of(shape, dtype);
}

ReduceOptions options_of(const std::vector<int>& axes, bool keepdims, bool exclude) {
  ReduceOptions options{.keep_axes = keepdims, .exclude = exclude};
  options.axes.assign(axes.begin(), axes.end());
  return options;
}

template <Reduction kReduction>
NdarrayObject reduced(const Array& array, const std::vector<int>& axes, bool keepdims, bool exclude) {
  return wrapped(ndarray::reduce(kReduction, array, options_of(axes, keepdims, exclude)));
}

kernels::ArithmeticOp operation(const std::string& name) {
  return value_of(kernels::arithmetic_op_of(name), Lookup::kKey);
}

void bind_creation(Binding& binding) {
  binding
      .def_static(
          "full",
          [](nb::handle shape, double value, const std::string& dtype) {
            return wrapped(ndarray::full(spec_of(shape, dtype), value));
          },
          nb::arg("shape"), nb::arg("value"), nb::arg("dtype"))
      .def_static(
          "empty",
          [](nb::handle shape, const std::string& dtype) {
            return wrapped(Array::empty(spec_of(shape, dtype)));
          },
          nb::arg("shape"), nb::arg("dtype"))
      .def_static(
          "arange",
          [](double start, double stop, double step, int64_t repeat, const std::string& dtype) {
            return wrapped(ndarray::arange(start, stop, step, repeat, dtype_from_python(dtype)));
          },
          nb::arg("start"), nb::arg("stop"), nb::arg("step"), nb::arg("repeat"), nb::arg("dtype"))
      .def_static(
          "fill", [](const Array& array, double value) { check(ndarray::fill(array, value)); },
          nb::arg("array"), nb::arg("value"));
}

void bind_random(Binding& binding) {
  binding.def_static("seed", &ndarray::seed_random, nb::arg("seed"))
      .def_static(
          "uniform",
          [](double low, double high, nb::handle shape, const std::string& dtype) {
            return wrapped(ndarray::random_uniform(low, high, spec_of(shape, dtype)));
          },
          nb::arg("low"), nb::arg("high"), nb::arg("shape"), nb::arg("dtype"))
      .def_static(
          "normal",
          [](double mean, double deviation, nb::handle shape, const std::string& dtype) {
            return wrapped(ndarray::random_normal(mean, deviation, spec_of(shape, dtype)));
          },
          nb::arg("mean"), nb::arg("deviation"), nb::arg("shape"), nb::arg("dtype"))
      .def_static(
          "randint",
          [](int64_t low, int64_t high, nb::handle shape, const std::string& dtype) {
            return wrapped(ndarray::random_integers(low, high, spec_of(shape, dtype)));
          },
          nb::arg("low"), nb::arg("high"), nb::arg("shape"), nb::arg("dtype"))
      .def_static(
          "mask",
          [](double probability, double scale, nb::handle shape, const std::string& dtype) {
            return wrapped(ndarray::random_mask(probability, scale, spec_of(shape, dtype)));
          },
          nb::arg("probability"), nb::arg("scale"), nb::arg("shape"), nb::arg("dtype"));
}

void bind_copies(Binding& binding) {
  binding
      .def_static(
          "copy", [](const Array& array) { return wrapped(ndarray::copy(array)); }, nb::arg("array"))
      .def_static(
          "cast",
          [](const Array& array, const std::string& dtype) {
            return wrapped(ndarray::cast(array, dtype_from_python(dtype)));
          },
          nb::arg("array"), nb::arg("dtype"))
      .def_static(
          "copy_into", [](const Array& from, const Array& to) { check(ndarray::copy_into(from, to)); },
          nb::arg("source"), nb::arg("target"), "Same number of elements; types are converted.");
}

void bind_shaping(Binding& binding) {
  binding
      .def_static(
          "reshape",
          [](const Array& array, const std::vector<int64_t>& wanted) {
            return wrapped(ndarray::reshape(array, value_of(ndarray::reshaped_shape(array.shape(), wanted))));
          },
          nb::arg("array"), nb::arg("shape"), "MXNet's extents: 0, -1, -2, -3, -4 have their meaning.")
      .def_static(
          "rows",
          [](const Array& array, int64_t begin, int64_t end) {
            return wrapped(ndarray::rows(array, begin, end));
          },
          nb::arg("array"), nb::arg("begin"), nb::arg("end"))
      .def_static(
          "row", [](const Array& array, int64_t index) { return wrapped(ndarray::row(array, index)); },
          nb::arg("array"), nb::arg("index"))
      .def_static(
          "broadcast_to",
          [](const Array& array, nb::handle shape) {
            return wrapped(ndarray::broadcast_to(array, shape_from_python(shape)));
          },
          nb::arg("array"), nb::arg("shape"));
}

void bind_arithmetic_by_name(Binding& binding) {
  binding
      .def_static(
          "unary",
          [](const std::string& name, const Array& a) { return wrapped(ndarray::unary(operation(name), a)); },
          nb::arg("name"), nb::arg("a"))
      .def_static(
          "binary",
          [](const std::string& name, const Array& a, const Array& b) {
            return wrapped(ndarray::binary(operation(name), a, b));
          },
          nb::arg("name"), nb::arg("a"), nb::arg("b"))
      .def_static(
          "with_scalar",
          [](const std::string& name, const Array& a, double scalar, bool reversed) {
            return wrapped(ndarray::with_scalar(operation(name), a, scalar, reversed));
          },
          nb::arg("name"), nb::arg("a"), nb::arg("scalar"), nb::arg("reversed") = false);
}

void bind_products(Binding& binding) {
  binding
      .def_static(
          "dot",
          [](const Array& a, const Array& b, bool transpose_a, bool transpose_b) {
            return wrapped(ndarray::dot(a, b, transpose_a, transpose_b));
          },
          nb::arg("a"), nb::arg("b"), nb::arg("transpose_a") = false, nb::arg("transpose_b") = false)
      .def_static(
          "batch_dot",
          [](const Array& a, const Array& b, bool transpose_a, bool transpose_b) {
            return wrapped(ndarray::batch_dot(a, b, transpose_a, transpose_b));
          },
          nb::arg("a"), nb::arg("b"), nb::arg("transpose_a") = false, nb::arg("transpose_b") = false);
}

template <Reduction kReduction>
void bind_reduction(Binding& binding, const char* name) {
  binding.def_static(name, &reduced<kReduction>, nb::arg("array"), nb::arg("axes"),
                     nb::arg("keepdims") = false, nb::arg("exclude") = false);
}

void bind_reductions(Binding& binding) {
  bind_reduction<Reduction::kSum>(binding, "sum");
  bind_reduction<Reduction::kMean>(binding, "mean");
  bind_reduction<Reduction::kProduct>(binding, "prod");
  bind_reduction<Reduction::kMax>(binding, "max");
  bind_reduction<Reduction::kMin>(binding, "min");
  bind_reduction<Reduction::kArgMax>(binding, "argmax");
  bind_reduction<Reduction::kArgMin>(binding, "argmin");
  binding.def_static(
      "norm",
      [](const Array& array, int order, const std::vector<int>& axes, bool keepdims) {
        return wrapped(ndarray::norm(array, order, options_of(axes, keepdims, false)));
      },
      nb::arg("array"), nb::arg("order"), nb::arg("axes"), nb::arg("keepdims") = false);
}

}  // namespace

void bind_array_operations(nb::module_& module) {
  Binding binding(module, "ArrayOperations", "What can be done with NDArrays; each call enqueues one task.");
  bind_creation(binding);
  bind_random(binding);
  bind_copies(binding);
  bind_shaping(binding);
  bind_arithmetic_by_name(binding);
  bind_products(binding);
  bind_reductions(binding);
  bind_array_shapes(binding);
  bind_array_indexing(binding);
  bind_array_functions(binding);
  bind_array_sampling(binding);
}

}  // namespace forebay::bindings
