#include "bindings/exchange/array_object.h"

#include <fmt/format.h>

#include <exception>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings/exchange/array_interfaces.h"
#include "bindings/exchange/buffer_protocol.h"
#include "bindings/exchange/dlpack_protocol.h"
#include "bindings/exchange/own_class.h"
#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "bindings/interpreter/limited_api.h"

namespace forebay::bindings {
namespace {

using exchange::StridedArray;

StridedArray own_copy(const StridedArray& array) {
  return value_or_buffer_error(without_gil([&] { return exchange::copied(array); }));
}

PythonTensor to_tensor(const PythonArray& self, const std::string& layout, std::optional<bool> copy) {
  const StridedArray source = copy == true ? own_copy(self.array) : self.array;
  tensor::Tensor tensor =
      value_or_buffer_error(without_gil([&] { return exchange::tensor_of(source, copy != false); }));
  if (!layout.empty() && static_cast<int>(layout.size()) != tensor.shape().rank()) {
    raise(invalid_argument("the layout '{}' does not fit an array of {} dimensions", layout,
                           tensor.shape().rank()));
  }
  tensor::TensorSpec spec = tensor.spec();
  spec.layout = tensor::Layout(layout);
  return {value_of(tensor.reinterpreted(spec)), nullptr, 0};
}

PythonArray retyped(const PythonArray& self, int code, int bits) {
  PythonArray other{self.array};
  other.array.record = nullptr;
  other.array.time.reset();
  other.array.type = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), self.array.type.lanes};
  if (other.array.size_bytes() != self.array.size_bytes() || !exchange::check_array(other.array).ok()) {
    raise(invalid_argument("elements of {} cannot be taken as {}", exchange::element_name(self.array),
                           exchange::name_of(other.array.type)));
  }
  return other;
}

PythonArray read_only(const PythonArray& self) {
  PythonArray other{self.array};
  other.array.is_read_only = true;
  return other;
}

nb::object dtype_code(const PythonArray& self) {
  return nb::make_tuple(self.array.type.code, self.array.type.bits, self.array.type.lanes);
}

std::string describe(const PythonArray& self) {
  const StridedArray& array = self.array;
  std::string extents;
  for (const int64_t extent : array.shape) {
    extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
  }
  return fmt::format("Array(dtype={}, shape=({}), device=({}, {}){})", exchange::element_name(array), extents,
                     array.device.device_type, array.device.device_id,
                     array.is_read_only ? ", read-only" : "");
}

nb::list field_names(const PythonArray& self) {
  nb::list names;
  if (self.array.record == nullptr) {
    return names;
  }
  for (const exchange::RecordMember& member : self.array.record->members) {
    PyObject* const name =
        PyUnicode_DecodeUTF8(member.name.data(), static_cast<Py_ssize_t>(member.name.size()), nullptr);
    if (name == nullptr) {
      throw nb::python_error();
    }
    names.append(nb::steal(name));
  }
  return names;
}

PythonArray field(const PythonArray& self, const std::string& name) {
  return {value_of(exchange::member_of(self.array, name), Lookup::kKey)};
}

PythonArray array_of(nb::handle object, std::optional<bool> copy) {
  StridedArray array = array_of_any(object);
  return {copy == true && !array.is_copied ? own_copy(array) : std::move(array)};
}

PythonArray take_from(nb::handle producer, nb::handle device, nb::handle copy) {
  return {array_from_dlpack(producer, device, copy)};
}

void bind_facts(nb::class_<PythonArray>& binding) {
  binding
      .def_prop_ro(
          "shape", [](const PythonArray& self) { return tuple_of(self.array.shape); },
          nb::sig("def shape(self) -> tuple[int, ...]"))
      .def_prop_ro(
          "strides", [](const PythonArray& self) { return tuple_of(self.array.strides_bytes); },
          nb::sig("def strides(self) -> tuple[int, ...]"), "In bytes.")
      .def_prop_ro("ndim", [](const PythonArray& self) { return self.array.rank(); })
      .def_prop_ro("dtype", [](const PythonArray& self) { return exchange::element_name(self.array); })
      .def_prop_ro("dtype_code", &dtype_code, nb::sig("def dtype_code(self) -> tuple[int, int, int]"),
                   "Code, bits and lanes, as DLPack numbers them.")
      .def_prop_ro("itemsize", [](const PythonArray& self) { return self.array.item_bytes(); })
      .def_prop_ro("nbytes", [](const PythonArray& self) { return self.array.size_bytes(); })
      .def_prop_ro("readonly", [](const PythonArray& self) { return self.array.is_read_only; })
      .def_prop_ro("is_copied", [](const PythonArray& self) { return self.array.is_copied; })
      .def_prop_ro("is_dense", [](const PythonArray& self) { return self.array.is_dense(); })
      .def_prop_ro("has_negative_stride",
                   [](const PythonArray& self) { return self.array.has_negative_stride(); })
      .def_prop_ro(
          "device",
          [](const PythonArray& self) {
            return nb::make_tuple(self.array.device.device_type, self.array.device.device_id);
          },
          nb::sig("def device(self) -> tuple[int, int]"))
      .def("data_ptr", [](const PythonArray& self) { return reinterpret_cast<uintptr_t>(self.array.data); });
}

}  // namespace

nb::tuple tuple_of(const exchange::Extents& extents) {
  nb::list items;
  for (const int64_t extent : extents) {
    items.append(extent);
  }
  return nb::tuple(items);
}

void raise_buffer_error(const Status& status) {
  if (status.code() == StatusCode::kResourceExhausted) {
    raise(status);
  }
  PyErr_SetString(PyExc_BufferError, std::string(message(status)).c_str());
  throw nb::python_error();
}

StridedArray array_of_object(nb::handle object) {
  if (nb::isinstance<PythonArray>(object)) {
    return nb::inst_ptr<PythonArray>(object)->array;
  }
  if (nb::isinstance<PythonTensor>(object)) {
    const tensor::Tensor& tensor = nb::inst_ptr<PythonTensor>(object)->tensor;
    if (!tensor.is_valid()) {
      raise_buffer_error(failed_precondition("the tensor is empty-handed: it has no memory"));
    }
    return value_or_buffer_error(exchange::array_of(tensor));
  }
  if (nb::isinstance<PythonTensorList>(object)) {
    return value_or_buffer_error(
        exchange::array_of(nb::inst_ptr<PythonTensorList>(object)->stacked().tensor));
  }
  if (const OwnClass* own = own_class_of(object); own != nullptr) {
    return value_or_buffer_error(exchange::array_of(own->content(object)));
  }
  throw nb::type_error("neither a tensor nor an array of forebay");
}

namespace {

// The object's own message when it refuses its buffer. NumPy raises ValueError, which is a TypeError here.
std::string refusal_of(nb::handle object, const nb::python_error& error) {
  return fmt::format("{} has no buffer: {}", type_name_of(object), nb::str(error.value()).c_str());
}

// For objects whose buffer cannot be used: NumPy's times have only an array interface.
std::optional<StridedArray> array_without_buffer(nb::handle object) {
  try {
    if (nb::hasattr(object, "__array_interface__")) {
      return array_from_interface(object);
    }
  } catch (const std::exception&) {  // what the buffer said is raised
  }
  try {
    if (speaks_dlpack(object)) {
      return array_from_dlpack(object, nb::none(), nb::none());
    }
  } catch (const std::exception&) {
  }
  return std::nullopt;
}

// An object that speaks several protocols, none of which works, gets the error about its buffer's elements.
StridedArray array_from_buffer_or_others(nb::handle object) {
  std::exception_ptr failure;
  try {
    return array_from_buffer(object);
  } catch (const nb::builtin_exception&) {  // ours
    failure = std::current_exception();
  } catch (const nb::python_error& error) {  // the object's
    failure = std::make_exception_ptr(nb::type_error(refusal_of(object, error).c_str()));
  }
  std::optional<StridedArray> array = array_without_buffer(object);
  return array ? *std::move(array) : (std::rethrow_exception(failure), StridedArray());
}

}  // namespace

StridedArray array_of_any(nb::handle object) {
  if (nb::isinstance<PythonArray>(object) || nb::isinstance<PythonTensor>(object) ||
      nb::isinstance<PythonTensorList>(object) || own_class_of(object) != nullptr) {
    return array_of_object(object);
  }
  if (PyObject_CheckBuffer(object.ptr()) != 0) {
    return array_from_buffer_or_others(object);
  }
  if (speaks_dlpack(object)) {
    return array_from_dlpack(object, nb::none(), nb::none());
  }
  return array_from_interface(object);
}

void bind_array(nb::module_& module) {
  nb::class_<PythonArray> binding(module, "Array", nb::is_weak_referenceable(), nb::type_slots(buffer_slots),
                                  "Memory of any framework, as it lies there; shares it and speaks every "
                                  "protocol. Made by interop.array().");
  bind_facts(binding);
  bind_dlpack(binding, true);
  binding.def_prop_ro("__array_interface__", &array_interface)
      .def_prop_ro("__cuda_array_interface__", &cuda_array_interface)
      .def(
          "dlpack_for_reader", [](const PythonArray& self) { return capsule_for_reader(self.array); },
          "A DLPack capsule without version for a consumer that does not write: read-only memory too.")
      .def(
          "copy", [](const PythonArray& self) { return PythonArray{own_copy(self.array)}; },
          "A dense copy in host memory (counted).")
      .def("read_only", &read_only, "The same memory, not to be written.")
      .def_prop_ro("fields", &field_names, nb::sig("def fields(self) -> list[str]"),
                   "The names of a record's members, those of records within records as 'outer.inner'; empty "
                   "for numbers.")
      .def("field", &field, nb::arg("name"), "A member of every record, over the same memory; KeyError.")
      .def("retyped", &retyped, nb::arg("code"), nb::arg("bits"),
           "The same memory under another element type of the same size, by DLPack's numbers.")
      .def("tensor", &to_tensor, nb::arg("layout") = "", nb::arg("copy") = nb::none(),
           "As a TensorCPU over the same memory; BufferError with copy=False where it would need a copy.")
      .def("__len__",
           [](const PythonArray& self) {
             if (self.array.rank() == 0) {
               throw nb::type_error("an array without dimensions has no length");
             }
             return self.array.shape[0];
           })
      .def("__repr__", &describe);
  module.def("array_of", &array_of, nb::arg("object").none(), nb::arg("copy") = nb::none(),
             "The memory of any object that speaks the buffer protocol, DLPack or an array interface.");
  module.def("from_dlpack", &take_from, nb::arg("x").none(), nb::kw_only(), nb::arg("device") = nb::none(),
             nb::arg("copy") = nb::none(), "from_dlpack of the array API standard.");
}

}  // namespace forebay::bindings
