#include "bindings/storage/store_calls.h"

#include <cerrno>

#include "bindings/interpreter/text.h"
#include "forebay/base/system_error.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::bindings {
namespace {

/// The errno by which Python chooses the class of an OSError; 0 where another exception fits better.
int errno_for(const Status& status) {
  if (const std::optional<int> number = errno_of(status)) {
    return *number;
  }
  switch (status.code()) {
    case StatusCode::kNotFound:
      return ENOENT;
    case StatusCode::kPermissionDenied:
      return EACCES;
    case StatusCode::kAlreadyExists:
      return EEXIST;
    case StatusCode::kAborted:
      return ESTALE;
    case StatusCode::kDeadlineExceeded:
      return ETIMEDOUT;
    case StatusCode::kUnavailable:
    case StatusCode::kDataLoss:
    case StatusCode::kFailedPrecondition:
      return EIO;
    default:
      return 0;
  }
}

}  // namespace

void raise_store_error(const Status& status) {
  const int number = errno_for(status);
  if (number == 0) {
    raise(status);
  }
  const nb::object error = nb::handle(PyExc_OSError)(number, readable_text(message(status)));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

storage::ObjectAddress address_of(nb::handle path) {
  const std::string name = text_from_python(path);
  return value_or_store_error(without_gil([&] { return storage::default_registry().resolve(name); }));
}

}  // namespace forebay::bindings
