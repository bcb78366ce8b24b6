#include "bindings/exchange/numpy_handler.h"

#include "bindings/exchange/numpy_abi.h"
#include "bindings/interpreter/errors.h"

namespace forebay::bindings {
namespace {

namespace nb = nanobind;
using memory::HostBlocks;

// Never destroyed: arrays may be freed after everything else.
HostBlocks& blocks() {
  static auto& instance = *new HostBlocks;
  return instance;
}

HostBlocks& blocks_in(void* context) {
  return *static_cast<HostBlocks*>(context);
}

// Called on any thread that frees an array. The size that NumPy passes is not needed.
void* handler_malloc(void* context, size_t size) {
  return blocks_in(context).allocate(size);
}

void* handler_calloc(void* context, size_t count, size_t size) {
  return blocks_in(context).allocate_zeroed(count, size);
}

void* handler_realloc(void* context, void* pointer, size_t size) {
  return blocks_in(context).reallocate(pointer, size);
}

void handler_free(void* context, void* pointer, size_t) {
  blocks_in(context).deallocate(pointer);
}

numpy::Handler& pool_handler() {
  static auto& handler = *new numpy::Handler{.name = "forebay",
                                             .version = numpy::kHandlerVersion,
                                             .allocator = {.ctx = &blocks(),
                                                           .malloc = &handler_malloc,
                                                           .calloc = &handler_calloc,
                                                           .realloc = &handler_realloc,
                                                           .free = &handler_free}};
  return handler;
}

/// The functions of NumPy's C API.
struct NumpyApi {
  PyObject* (*set_handler)(PyObject* handler);  // gives a new reference to the one before
  PyObject* (*get_handler)();                   // gives a new reference
};

nb::object array_api_capsule() {
  try {
    return nb::module_::import_("numpy._core._multiarray_umath").attr("_ARRAY_API");
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ModuleNotFoundError)) {
      throw;
    }
  }
  return nb::module_::import_("numpy.core._multiarray_umath").attr("_ARRAY_API");  // before NumPy 2
}

NumpyApi find_api() {
  auto** table = static_cast<void**>(PyCapsule_GetPointer(array_api_capsule().ptr(), nullptr));
  if (table == nullptr) {
    throw nb::python_error();
  }
  const auto feature_version = reinterpret_cast<unsigned (*)()>(table[numpy::kFeatureVersionSlot])();
  if (feature_version < numpy::kFirstFeatureVersion) {
    raise(failed_precondition("this NumPy is older than 1.22 and takes no allocator"));
  }
  return {reinterpret_cast<PyObject* (*)(PyObject*)>(table[numpy::kSetHandlerSlot]),
          reinterpret_cast<PyObject* (*)()>(table[numpy::kGetHandlerSlot])};
}

// With the GIL held.
const NumpyApi& numpy_api() {
  static const NumpyApi api = find_api();
  return api;
}

/// One for the process, without a destructor.
nb::handle pool_capsule() {
  static PyObject* capsule = PyCapsule_New(&pool_handler(), numpy::kHandlerCapsule, nullptr);
  return capsule;
}

nb::object set_handler(nb::handle handler) {
  PyObject* const before = numpy_api().set_handler(handler.ptr());
  if (before == nullptr) {
    throw nb::python_error();
  }
  return nb::steal(before);
}

}  // namespace

nb::object install_numpy_handler() {
  if (!pool_capsule().is_valid()) {
    throw nb::python_error();
  }
  return set_handler(pool_capsule());
}

bool restore_numpy_handler(nb::handle previous) {
  if (PyCapsule_IsValid(previous.ptr(), numpy::kHandlerCapsule) == 0) {
    throw nb::type_error("no handler of NumPy's");
  }
  const nb::object current = nb::steal(numpy_api().get_handler());
  if (current.ptr() != pool_capsule().ptr()) {
    return false;
  }
  (void)set_handler(previous);
  return true;
}

memory::HostBlockStatistics numpy_statistics() {
  return blocks().statistics();
}

}  // namespace forebay::bindings
