#include "bindings/ndarray/ndarray.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "bindings/exchange/array_object.h"
#include "bindings/exchange/buffer_protocol.h"
#include "bindings/exchange/dlpack_protocol.h"
#include "bindings/exchange/own_class.h"
#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/limited_api.h"
#include "bindings/interpreter/waited.h"
#include "forebay/memory/copy.h"
#include "forebay/ndarray/autograd.h"
#include "forebay/ndarray/runtime.h"

namespace forebay::bindings {
namespace {

using ndarray::Array;
using ndarray::Arrays;

/// The class of new arrays, never released: NDArrayBase until set_ndarray_class() is called.
PyTypeObject* array_class = nullptr;
PyTypeObject* base_class = nullptr;

/// NumPy's name of an element type.
std::string_view numpy_name_of(tensor::DType dtype) {
  return dtype == tensor::DType::kFloat ? "float32" : tensor::name_of(dtype);
}

/// Pushes without the GIL: a push may wait for room, which others can only make with the GIL.
Status wait_for_room(absl::FunctionRef<Status()> wait) {
  return PyGILState_Check() != 0 ? waited(wait) : wait();
}

tensor::Tensor content_of(const Array& self) {
  return value_of(waited([&] { return self.tensor(); }));
}

nb::object as_numpy(const Array& self) {
  tensor::Tensor copy = value_of(waited([&] { return self.copied(); }));
  return numpy_array(nb::cast(PythonTensor{std::move(copy), nullptr, 0}));
}

PythonTensor as_tensor(const Array& self) {
  return {content_of(self), nullptr, 0};
}

void take(Array* self, nb::handle object, bool copy) {
  const tensor::Tensor source = value_of(exchange::tensor_of(array_of_any(object), true));
  if (!copy && !source.buffer()->is_read_only()) {
    new (self) Array(value_of(Array::share(source)));
    return;
  }
  Array array = value_of(Array::empty({source.shape(), source.dtype()}));
  without_gil([&] {
    memory::copy(array.region().storage->data(), source.data(), source.size_bytes());
    return true;
  });
  new (self) Array(std::move(array));
}

nb::object gradient(const Array& self) {
  Array found = ndarray::gradient_of(self);
  return found.is_valid() ? wrapped(std::move(found)) : nb::none();
}

void bind_content(nb::class_<Array>& binding) {
  binding
      .def("__init__", &take, nb::arg("source"), nb::arg("copy") = true,
           "From any object that speaks the buffer protocol, DLPack or an array interface. copy=False shares "
           "its memory where it is dense and may be written.")
      .def_prop_ro(
          "shape", [](const Array& self) { return shape_of(self.shape()); },
          nb::sig("def shape(self) -> tuple[int, ...]"))
      .def_prop_ro("ndim", [](const Array& self) { return self.shape().rank(); })
      .def_prop_ro("size", [](const Array& self) { return self.volume(); })
      .def_prop_ro(
          "dtype_name", [](const Array& self) { return numpy_name_of(self.dtype()); },
          "NumPy's name of the element type.")
      .def_prop_ro("grad", &gradient, nb::sig("def grad(self) -> forebay.nd.NDArray | None"),
                   "The gradient that backward() fills; None before attach_grad().")
      .def(
          "wait_to_read", [](const Array& self) { check(waited([&] { return self.wait(); })); },
          "Waits until all writes of the array are done; raises what went wrong with it.")
      .def("asnumpy", &as_numpy, nb::sig("def asnumpy(self) -> numpy.ndarray"),
           "A copy, after waiting for it.")
      .def("tensor", &as_tensor, "A TensorCPU over the same memory, after waiting for it.")
      .def(
          "detach", [](const Array& self) { return wrapped(self.detached()); },
          "The same memory without autograd's history.")
      .def(
          "shares_memory_with",
          [](const Array& self, const Array& other) {
            return self.region().storage == other.region().storage;
          },
          nb::arg("other"))
      .def(
          "note_write", [](const Array& self) { self.region().note_write(); },
          "Says that others will write the memory: what autograd has recorded of it is out of date.")
      .def("__len__", [](const Array& self) {
        if (self.shape().rank() == 0) {
          throw nb::type_error("an array without dimensions has no length");
        }
        return self.shape()[0];
      });
  bind_dlpack(binding, false);
}

}  // namespace

bool is_ndarray(nb::handle object) {
  PyTypeObject* const type = Py_TYPE(object.ptr());
  if (type == array_class || type == base_class) {
    return true;
  }
  const bool is_number = type == &PyLong_Type || type == &PyFloat_Type;  // the most frequent others
  return !is_number && PyType_IsSubtype(type, base_class) != 0;
}

Array& ndarray_of(nb::handle object) {
  if (!is_ndarray(object)) {
    throw nb::type_error(fmt::format("an NDArray is expected, not {}", type_name_of(object)).c_str());
  }
  return *nb::inst_ptr<Array>(object);
}

NdarrayObject wrapped(Array array) {
  note_engine_use();
  nb::object made = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(array_class)));
  new (nb::inst_ptr<Array>(made)) Array(std::move(array));
  nb::inst_mark_ready(made);
  return nb::steal<NdarrayObject>(made.release());
}

nb::typed<nb::list, NdarrayObject> wrapped_list(Result<Arrays> arrays) {
  nb::typed<nb::list, NdarrayObject> list;
  for (Array& array : value_of(std::move(arrays))) {
    list.append(wrapped(std::move(array)));
  }
  return list;
}

Arrays arrays_of(nb::handle sequence) {
  Arrays arrays;
  for (const nb::handle item : sequence) {
    arrays.push_back(ndarray_of(item));
  }
  return arrays;
}

tensor::Shape shape_from_python(nb::handle extents) {
  tensor::Shape shape;
  if (PyLong_Check(extents.ptr())) {
    shape.push_back(nb::cast<int64_t>(extents));
    return shape;
  }
  for (const nb::handle extent : extents) {
    if (shape.rank() == tensor::kMaxRank) {
      throw nb::value_error(fmt::format("arrays have at most {} dimensions", tensor::kMaxRank).c_str());
    }
    shape.push_back(nb::cast<int64_t>(nb::int_(extent)));
  }
  return shape;
}

tensor::DType dtype_from_python(const std::string& name) {
  const Result<tensor::DType> dtype = name == "float32" ? tensor::DType::kFloat : tensor::dtype_of(name);
  if (dtype.ok() && numpy_name_of(*dtype) == name) {
    return *dtype;
  }
  throw nb::value_error(fmt::format("arrays have no elements of type '{}'", name).c_str());
}

void bind_ndarray(nb::module_& module) {
  ndarray::set_blocking(&wait_for_room);
  nb::class_<Array> binding(module, "NDArrayBase", nb::is_weak_referenceable(), nb::type_slots(buffer_slots),
                            "An array that is computed asynchronously; forebay.nd.NDArray is made of it.");
  base_class = reinterpret_cast<PyTypeObject*>(binding.ptr());
  array_class = base_class;
  bind_content(binding);
  bind_ndarray_operators(binding);
  set_own_class({.is_one = &is_ndarray,
                 .content = [](nb::handle object) { return content_of(ndarray_of(object)); },
                 .note_write = [](nb::handle object) { ndarray_of(object).region().note_write(); }});
  module.def(
      "set_ndarray_class",
      [](nb::handle type) { array_class = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()); },
      nb::arg("type"), "The class, derived from NDArrayBase, that results are objects of.");
  module.def("set_exception_class", &set_exception_class, nb::arg("kind"), nb::arg("derived"),
             "From now on `derived` is raised for errors of the library where `kind` was.");
  module.def(
      "waitall", [] { check(waited([] { return ndarray::wait_for_all(); })); },
      "Waits for everything that was enqueued; raises the first error since the last call.");
}

}  // namespace forebay::bindings
