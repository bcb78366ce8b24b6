// from_dlpack: taking memory.
#include <fmt/format.h>

#include <unordered_map>

#include "bindings/exchange/array_object.h"
#include "bindings/exchange/dlpack_names.h"
#include "bindings/exchange/dlpack_protocol.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "bindings/interpreter/limited_api.h"
#include "forebay/exchange/arrays/dlpack.h"
#include "forebay/exchange/devices/cuda_devices.h"

namespace forebay::bindings {
namespace {

using exchange::StridedArray;
namespace dlpack = exchange::dlpack;

[[noreturn]] void raise_buffer_text(const std::string& text) {
  PyErr_SetString(PyExc_BufferError, text.c_str());
  throw nb::python_error();
}

/// Takes over what a capsule holds, and renames the capsule, as the protocol wants, so that it is taken once.
template <class Managed>
StridedArray take(nb::handle capsule, const char* name, const char* used_name) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
  Result<StridedArray> array = exchange::array_from_dlpack(managed);
  if (!array.ok()) {
    raise_buffer_error(array.status());  // the capsule still owns it
  }
  PyCapsule_SetName(capsule.ptr(), used_name);
  const Status ordered = exchange::take_after_default_stream(*array);
  if (!ordered.ok()) {
    raise_buffer_error(ordered);
  }
  return *std::move(array);
}

StridedArray array_of_capsule(nb::handle capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), kVersionedCapsule) != 0) {
    return take<dlpack::ManagedTensorVersioned>(capsule, kVersionedCapsule, kUsedVersionedCapsule);
  }
  if (PyCapsule_IsValid(capsule.ptr(), kUnversionedCapsule) != 0) {
    return take<dlpack::ManagedTensor>(capsule, kUnversionedCapsule, kUsedUnversionedCapsule);
  }
  if (PyCapsule_IsValid(capsule.ptr(), kUsedVersionedCapsule) != 0 ||
      PyCapsule_IsValid(capsule.ptr(), kUsedUnversionedCapsule) != 0) {
    raise_buffer_text("the capsule has been used already: a DLPack capsule can be taken once");
  }
  throw nb::type_error("__dlpack__ gave no DLPack capsule");
}

/// The C exchange API of an object's type, or null. Types that have one stay alive and remembered.
const dlpack::ExchangeApi* api_of(PyTypeObject* type) {
  static auto* known = new std::unordered_map<PyTypeObject*, const dlpack::ExchangeApi*>;
  const auto found = known->find(type);
  if (found != known->end()) {
    return found->second;
  }
  const nb::object capsule =
      nb::steal(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), dlpack_names().api));
  if (!capsule.is_valid() || PyCapsule_IsValid(capsule.ptr(), kApiCapsule) == 0) {
    PyErr_Clear();
    return nullptr;
  }
  auto* header = static_cast<dlpack::ExchangeApiHeader*>(PyCapsule_GetPointer(capsule.ptr(), kApiCapsule));
  while (header != nullptr && header->version.major != dlpack::kMajorVersion) {
    header = header->prev_api;
  }
  if (header != nullptr) {
    Py_INCREF(reinterpret_cast<PyObject*>(type));
    known->emplace(type, reinterpret_cast<const dlpack::ExchangeApi*>(header));
  }
  return reinterpret_cast<const dlpack::ExchangeApi*>(header);
}

/// Takes memory by the C exchange API; false when the type has none, or the memory is not the host's.
bool take_by_api(nb::handle producer, StridedArray& array) {
  const dlpack::ExchangeApi* api = api_of(Py_TYPE(producer.ptr()));
  if (api == nullptr) {
    return false;
  }
  dlpack::ManagedTensorVersioned* managed = nullptr;
  if (api->managed_tensor_from_py_object_no_sync(producer.ptr(), &managed) != 0) {
    throw nb::python_error();
  }
  const bool is_host = managed->dl_tensor.device.device_type == dlpack::kCpu;
  Result<StridedArray> taken =
      is_host ? exchange::array_from_dlpack(managed) : Result<StridedArray>(failed_precondition("device"));
  if (taken.ok()) {
    array = *std::move(taken);
    return true;
  }
  if (managed->deleter != nullptr) {
    managed->deleter(managed);
  }
  if (is_host) {
    raise_buffer_error(taken.status());
  }
  return false;
}

/// `producer.__dlpack__(max_version=(1, 3), ...)`.
nb::object call_producer(nb::handle producer, nb::handle device, nb::handle copy) {
  const DlpackNames& names = dlpack_names();
  nb::dict options;
  options[nb::handle(names.max_version)] = nb::make_tuple(dlpack::kMajorVersion, dlpack::kMinorVersion);
  if (!device.is_none()) {
    options[nb::handle(names.dl_device)] = device;
  }
  if (!copy.is_none()) {
    options[nb::handle(names.copy)] = copy;
  }
  const nb::object method = nb::steal(PyObject_GetAttr(producer.ptr(), names.method));
  if (!method.is_valid()) {
    throw nb::python_error();
  }
  nb::object capsule = nb::steal(
      stopping_at_the_end([&] { return PyObject_Call(method.ptr(), nb::tuple().ptr(), options.ptr()); }));
  if (capsule.is_valid()) {
    return capsule;
  }
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
    throw nb::python_error();
  }
  if (!device.is_none() || copy.ptr() == Py_False) {
    PyErr_Clear();
    raise_buffer_text("the producer speaks a DLPack without `copy` and `dl_device`: it cannot promise them");
  }
  PyErr_Clear();  // a producer from before version 1
  capsule = nb::steal(stopping_at_the_end([&] { return PyObject_CallNoArgs(method.ptr()); }));
  if (!capsule.is_valid()) {
    throw nb::python_error();
  }
  return capsule;
}

nb::object device_tuple(nb::handle device) {
  if (device.is_none() || nb::isinstance<nb::tuple>(device)) {
    return nb::borrow(device);
  }
  if (nb::isinstance<nb::str>(device) && std::string_view(nb::str(device).c_str()) == "cpu") {
    return nb::make_tuple(dlpack::kCpu, 0);
  }
  throw nb::type_error("the device of from_dlpack is None, \"cpu\" or a tuple of DLPack's numbers");
}

}  // namespace

bool speaks_dlpack(nb::handle object) {
  return PyObject_HasAttr(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())), dlpack_names().method) != 0;
}

StridedArray array_from_dlpack(nb::handle producer, nb::handle device, nb::handle copy) {
  if (PyCapsule_CheckExact(producer.ptr()) && device.is_none() && copy.is_none()) {
    return array_of_capsule(producer);
  }
  StridedArray array;
  if (device.is_none() && copy.is_none() && take_by_api(producer, array)) {
    return array;
  }
  if (!speaks_dlpack(producer)) {
    throw nb::type_error(fmt::format("{} has no __dlpack__", type_name_of(producer)).c_str());
  }
  array = array_of_capsule(call_producer(producer, device_tuple(device), copy));
  if (copy.ptr() == Py_False && array.is_copied) {
    raise_buffer_text("the producer copied although it was asked not to");
  }
  if (copy.ptr() == Py_True && !array.is_copied) {  // it is too old to know, or does not say
    return value_or_buffer_error(without_gil([&] { return exchange::copied(array); }));
  }
  return array;
}

}  // namespace forebay::bindings
