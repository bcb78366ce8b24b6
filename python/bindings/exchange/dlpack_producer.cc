// `__dlpack__` and the C exchange API: giving memory.
#include <fmt/format.h>

#include <optional>

#include "bindings/exchange/array_object.h"
#include "bindings/exchange/dlpack_names.h"
#include "bindings/exchange/dlpack_protocol.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "forebay/exchange/arrays/dlpack.h"

namespace forebay::bindings {
namespace {

using exchange::DlpackRequest;
using exchange::StridedArray;
namespace dlpack = exchange::dlpack;

/// The arguments of `__dlpack__`.
struct Asked {
  DlpackRequest request;
  bool is_versioned = false;
};

long integer(PyObject* object, const char* what) {
  const long number = PyLong_AsLong(object);
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw nb::type_error(fmt::format("{} of __dlpack__ must be an integer", what).c_str());
  }
  return number;
}

int32_t integer_of_32_bits(long number, const char* what) {
  if (number != static_cast<int32_t>(number)) {
    throw nb::type_error(fmt::format("{} of __dlpack__ is out of range: {}", what, number).c_str());
  }
  return static_cast<int32_t>(number);
}

std::pair<long, long> pair_of(PyObject* object, const char* what) {
  if (!PyTuple_Check(object) || PyTuple_Size(object) != 2) {
    throw nb::type_error(fmt::format("{} of __dlpack__ must be a tuple of two integers", what).c_str());
  }
  return {integer(PyTuple_GetItem(object, 0), what), integer(PyTuple_GetItem(object, 1), what)};
}

bool is_name(PyObject* name, PyObject* known) {
  return name == known || PyUnicode_Compare(name, known) == 0;
}

void take_argument(Asked& asked, PyObject* name, PyObject* value) {
  const DlpackNames& names = dlpack_names();
  if (is_name(name, names.max_version)) {
    asked.is_versioned = value != Py_None && pair_of(value, "max_version").first >= 1;
  } else if (is_name(name, names.copy)) {
    if (value != Py_None) {
      const int is_true = PyObject_IsTrue(value);
      if (is_true < 0) {
        throw nb::python_error();
      }
      asked.request.copy = is_true == 1;
    }
  } else if (is_name(name, names.dl_device)) {
    if (value != Py_None) {
      const auto [type, id] = pair_of(value, "dl_device");
      asked.request.device =
          dlpack::Device{integer_of_32_bits(type, "dl_device"), integer_of_32_bits(id, "dl_device")};
    }
  } else if (is_name(name, names.stream)) {
    if (value != Py_None) {
      asked.request.stream = integer(value, "stream");
    }
  } else {
    throw nb::type_error(
        fmt::format("__dlpack__ has no argument '{}'", nb::cast<const char*>(nb::handle(name))).c_str());
  }
}

template <class Managed>
PyObject* capsule_of(Managed* managed, const char* name) {
  constexpr bool kIsVersioned = std::is_same_v<Managed, dlpack::ManagedTensorVersioned>;
  PyObject* capsule = PyCapsule_New(managed, name, [](PyObject* self) {
    constexpr const char* kName = kIsVersioned ? kVersionedCapsule : kUnversionedCapsule;
    if (PyCapsule_IsValid(self, kName) != 0) {  // nobody has taken, and renamed, it
      auto* unused = static_cast<Managed*>(PyCapsule_GetPointer(self, kName));
      unused->deleter(unused);
    }
  });
  if (capsule == nullptr) {
    managed->deleter(managed);
    throw nb::python_error();
  }
  return capsule;
}

/// Runs `work`, without the GIL when it takes time.
template <class Work>
auto without_gil_if(bool takes_time, Work&& work) {
  return takes_time ? without_gil(work) : work();
}

PyObject* capsule_of_array(const StridedArray& array, const Asked& asked) {
  const bool takes_time = !exchange::is_immediate(array, asked.request);
  if (asked.is_versioned) {
    auto managed =
        without_gil_if(takes_time, [&] { return exchange::to_dlpack_versioned(array, asked.request); });
    return capsule_of(value_or_buffer_error(std::move(managed)), kVersionedCapsule);
  }
  auto managed = without_gil_if(takes_time, [&] { return exchange::to_dlpack(array, asked.request); });
  return capsule_of(value_or_buffer_error(std::move(managed)), kUnversionedCapsule);
}

bool asks_nothing(const DlpackRequest& request) {
  return request.copy != true && !request.stream && !request.device;
}

/// For objects of the class itself, not of derived ones: found without a search.
template <class T>
bool is_exactly(PyObject* self) {
  static const PyObject* const type = nb::type<T>().ptr();
  return reinterpret_cast<const PyObject*>(Py_TYPE(self)) == type;
}

/// The capsule of an array that needs no conversion, else null.
PyObject* plain_capsule(const StridedArray& array, bool is_versioned) {
  if (is_versioned) {
    auto* const managed = exchange::share_plain_versioned(array);
    return managed == nullptr ? nullptr : capsule_of(managed, kVersionedCapsule);
  }
  auto* const managed = exchange::share_plain(array);
  return managed == nullptr ? nullptr : capsule_of(managed, kUnversionedCapsule);
}

PyObject* hand_over_array(const StridedArray& array, const Asked& asked) {
  PyObject* const capsule = asks_nothing(asked.request) ? plain_capsule(array, asked.is_versioned) : nullptr;
  return capsule != nullptr ? capsule : capsule_of_array(array, asked);
}

/// The tensor of `self` when it needs no conversion, else null.
const tensor::Tensor* ready_tensor(PyObject* self, const DlpackRequest& request) {
  if (!asks_nothing(request) || !is_exactly<PythonTensor>(self)) {
    return nullptr;
  }
  const tensor::Tensor& tensor = nb::inst_ptr<PythonTensor>(self)->tensor;
  const bool is_plain = tensor.is_valid() && tensor.kind() <= memory::MemoryKind::kPinned &&
                        tensor.buffer()->last_write().is_trivial();
  return is_plain ? &tensor : nullptr;
}

PyObject* hand_over(PyObject* self, const Asked& asked) {
  if (is_exactly<PythonArray>(self)) {
    return hand_over_array(nb::inst_ptr<PythonArray>(self)->array, asked);
  }
  if (const tensor::Tensor* tensor = ready_tensor(self, asked.request)) {
    return asked.is_versioned
               ? capsule_of(value_or_buffer_error(exchange::to_dlpack_versioned(*tensor)), kVersionedCapsule)
               : capsule_of(value_or_buffer_error(exchange::to_dlpack(*tensor)), kUnversionedCapsule);
  }
  return capsule_of_array(array_of_object(self), asked);
}

/// Calls `body`; what it throws becomes Python's error and `failure` the result.
template <class Body, class Failure>
auto guarded(Failure failure, Body&& body) noexcept -> Failure {
  try {
    return body();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(error.type() == nb::exception_type::type_error ? PyExc_TypeError : PyExc_BufferError,
                    error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_BufferError, error.what());
  }
  return failure;
}

PyObject* dlpack_method(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    if (count != 0) {
      throw nb::type_error("the arguments of __dlpack__ are given by name");
    }
    Asked asked;
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_Size(names);
    for (Py_ssize_t i = 0; i < named; ++i) {
      take_argument(asked, PyTuple_GetItem(names, i), arguments[i]);
    }
    return hand_over(self, asked);
  });
}

PyObject* device_method(PyObject* self, PyObject*) {
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    const dlpack::Device device = exchange::dlpack_device(array_of_object(self));
    return Py_BuildValue("(ii)", device.device_type, device.device_id);
  });
}

PyMethodDef dlpack_definition = {
    "__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&dlpack_method)),
    METH_FASTCALL | METH_KEYWORDS,
    "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
    "A DLPack capsule over the same memory, or BufferError."};
PyMethodDef device_definition = {
    "__dlpack_device__", &device_method, METH_NOARGS,
    "__dlpack_device__($self, /)\n--\n\nDevice type and number, as DLPack counts."};

// The C exchange API.

int api_allocate(dlpack::Tensor* prototype, dlpack::ManagedTensorVersioned** out, void* context,
                 void (*set_error)(void*, const char*, const char*)) {
  const auto managed = exchange::allocate_dlpack(*prototype);
  if (!managed.ok()) {
    set_error(context,
              managed.status().code() == StatusCode::kResourceExhausted ? "MemoryError" : "BufferError",
              std::string(message(managed.status())).c_str());
    return -1;
  }
  *out = *managed;
  return 0;
}

/// Without synchronization, which is the caller's task.
dlpack::ManagedTensorVersioned* managed_without_order(const StridedArray& array) {
  if (auto* const plain = exchange::share_plain_versioned(array)) {
    return plain;
  }
  DlpackRequest request;
  if (!array.is_on_host()) {
    request.stream = -1;
  }
  return value_or_buffer_error(exchange::to_dlpack_versioned(array, request));
}

dlpack::ManagedTensorVersioned* managed_of(PyObject* self) {
  if (is_exactly<PythonArray>(self)) {
    return managed_without_order(nb::inst_ptr<PythonArray>(self)->array);
  }
  if (const tensor::Tensor* tensor = ready_tensor(self, {})) {
    return value_or_buffer_error(exchange::to_dlpack_versioned(*tensor));
  }
  return managed_without_order(array_of_object(self));
}

int api_from_object(void* object, dlpack::ManagedTensorVersioned** out) {
  auto* self = static_cast<PyObject*>(object);
  return guarded(-1, [&] {
    *out = managed_of(self);
    return 0;
  });
}

int api_to_object(dlpack::ManagedTensorVersioned* managed, void** out) {
  return guarded(-1, [&] {
    nb::object made = nb::cast(PythonArray{value_or_buffer_error(exchange::array_from_dlpack(managed))});
    *out = made.release().ptr();
    return 0;
  });
}

int api_borrow(void* object, dlpack::Tensor* out) {
  auto* self = static_cast<PyObject*>(object);
  return guarded(-1, [&] {
    const bool has_array = nb::isinstance<PythonArray>(self);
    const StridedArray array = array_of_object(self);
    auto& strides = has_array ? nb::inst_ptr<PythonArray>(self)->lent_strides
                              : nb::inst_ptr<PythonTensor>(self)->lent_strides;
    const auto item_bytes = static_cast<int64_t>(array.item_bytes());
    if (array.has_negative_stride() || item_bytes == 0 || !array.is_of_numbers()) {
      raise_buffer_error(
          failed_precondition("negative strides, packed elements, records and times are not lent"));
    }
    strides.assign(array.strides_bytes.begin(), array.strides_bytes.end());
    for (int64_t& stride : strides) {
      if (stride % item_bytes != 0) {
        raise_buffer_error(failed_precondition(
            "a tensor whose strides are not multiples of the element size cannot be lent"));
      }
      stride /= item_bytes;
    }
    const int64_t* shape = has_array ? nb::inst_ptr<PythonArray>(self)->array.shape.data()
                                     : nb::inst_ptr<PythonTensor>(self)->tensor.shape().begin();
    *out = {array.volume() == 0 ? nullptr : array.data,
            exchange::dlpack_device(array),
            array.rank(),
            array.type,
            const_cast<int64_t*>(shape),
            strides.data(),
            0};
    return 0;
  });
}

int api_work_stream(int32_t, int32_t, void** out) {
  *out = nullptr;  // the host has none; on devices the legacy default stream
  return 0;
}

dlpack::ExchangeApi exchange_api = {{{dlpack::kMajorVersion, dlpack::kMinorVersion}, nullptr},
                                    &api_allocate,
                                    &api_from_object,
                                    &api_to_object,
                                    &api_borrow,
                                    &api_work_stream};

}  // namespace

void bind_dlpack(nb::handle type, bool has_c_api) {
  auto* python_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  for (PyMethodDef* definition : {&dlpack_definition, &device_definition}) {
    nb::setattr(type, definition->ml_name, nb::steal(PyDescr_NewMethod(python_type, definition)));
  }
  if (has_c_api) {
    nb::setattr(type, kApiAttribute, nb::steal(PyCapsule_New(&exchange_api, kApiCapsule, nullptr)));
  }
}

nb::object capsule_for_reader(const StridedArray& array) {
  auto managed = without_gil_if(!exchange::is_immediate(array, {}),
                                [&] { return exchange::to_dlpack(array, {}, true); });
  return nb::steal(capsule_of(value_or_buffer_error(std::move(managed)), kUnversionedCapsule));
}

}  // namespace forebay::bindings
