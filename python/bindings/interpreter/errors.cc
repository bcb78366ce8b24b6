#include "bindings/interpreter/errors.h"

#include <nanobind/stl/string.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "bindings/interpreter/python_ref.h"
#include "bindings/interpreter/text.h"
#include "forebay/base/end_of_data.h"
#include "forebay/base/error_context.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/system_error.h"

namespace forebay::bindings {
namespace {

constexpr char kExceptionUrl[] = "forebay/python_exception";

/// Python exceptions that a Status carries through the library, by number.
///
/// The last copy of a Status may be destroyed on any thread and under any lock, where waiting for the GIL is
/// not allowed. So the exception is only set aside there; the next thread that comes here with the GIL
/// releases it.
class ExceptionStore {
 public:
  /// Returns the payload that a Status carries. Needs the GIL, like all functions but set_aside().
  absl::Cord put(nb::object exception) {
    drop_dead();
    const MutexLock lock(mutex_);
    const uint64_t number = ++last_;
    alive_.emplace(number, PythonRef(std::move(exception)));
    auto text = std::make_unique<std::string>(std::to_string(number));
    const absl::string_view view = *text;
    return absl::MakeCordFromExternal(view, [this, number, text = std::move(text)] { set_aside(number); });
  }

  nb::object get(uint64_t number) {
    const MutexLock lock(mutex_);
    const auto found = alive_.find(number);
    return found == alive_.end() ? nb::object() : nb::borrow(found->second.get());
  }

  void drop_dead() {
    std::vector<PythonRef> dead;  // destroyed after the lock is released: what it runs may come back here
    const MutexLock lock(mutex_);
    dead.swap(dead_);
  }

 private:
  void set_aside(uint64_t number) {
    const MutexLock lock(mutex_);
    const auto found = alive_.find(number);
    dead_.push_back(std::move(found->second));
    alive_.erase(found);
  }

  Mutex mutex_;
  uint64_t last_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::unordered_map<uint64_t, PythonRef> alive_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<PythonRef> dead_ FOREBAY_GUARDED_BY(mutex_);
};

ExceptionStore& exception_store() {
  static auto* store = new ExceptionStore;  // outlives the interpreter
  return *store;
}

nb::object exception_in(const Status& status) {
  const auto payload = status.GetPayload(kExceptionUrl);
  return payload ? exception_store().get(std::stoull(std::string(*payload))) : nb::object();
}

/// The errno of what the operating system refused, but for values that were wrong and memory that it lacked.
std::optional<int> system_errno(const Status& status) {
  const std::optional<int> number = errno_of(status);
  return number && *number != EINVAL && *number != ENOMEM ? number : std::nullopt;
}

PyObject* builtin_type(const Status& status, Lookup lookup) {
  switch (status.code()) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kAlreadyExists:
      return PyExc_ValueError;
    case StatusCode::kNotFound:
      return lookup == Lookup::kKey ? PyExc_KeyError : PyExc_FileNotFoundError;
    case StatusCode::kOutOfRange:
      return is_end_of_data(status) ? PyExc_StopIteration : PyExc_IndexError;
    case StatusCode::kResourceExhausted:
      return PyExc_MemoryError;
    case StatusCode::kPermissionDenied:
      return PyExc_PermissionError;
    case StatusCode::kUnimplemented:
      return PyExc_NotImplementedError;
    case StatusCode::kDeadlineExceeded:
      return PyExc_TimeoutError;
    default:
      return PyExc_RuntimeError;
  }
}

struct Replacement {
  PyObject* kind;
  PyObject* derived;  // held for ever
};

/// Read and changed with the GIL held.
std::vector<Replacement>& replacements() {
  static auto* list = new std::vector<Replacement>;
  return *list;
}

/// What is raised in place of a builtin exception.
nb::handle replacement_of(PyObject* builtin) {
  for (const Replacement& each : replacements()) {
    if (each.kind == builtin) {
      return each.derived;
    }
  }
  return builtin;
}

/// The exception object. C code may have raised only a type and a text.
nb::object exception_of(nb::python_error& error) {
  error.restore();
#if PY_VERSION_HEX >= 0x030C0000
  return nb::steal(PyErr_GetRaisedException());
#else
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) {
    PyException_SetTraceback(value, traceback);
  }
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return nb::steal(value);
#endif
}

[[noreturn]] void raise_object(const nb::object& exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

nb::object optional_number(int64_t number) {
  return number < 0 ? nb::none() : nb::object(nb::int_(number));
}

/// An OSError, or the class derived from it that Python has for the number.
nb::object system_error(int number, const nb::str& text) {
  nb::object error = nb::handle(PyExc_OSError)(number, text);
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(error.ptr()));
  const nb::handle derived = replacement_of(type);
  return derived.ptr() == type ? error : derived(number, text);
}

nb::object plain_error(const Status& status, const nb::str& text, Lookup lookup) {
  const std::optional<int> number = system_errno(status);
  return number ? system_error(*number, text) : replacement_of(builtin_type(status, lookup))(text);
}

/// What a SampleError was caused by where a program may want to tell it from others: the system, or no
/// memory.
nb::object cause_in(const Status& status) {
  if (!system_errno(status) && status.code() != StatusCode::kResourceExhausted) {
    return {};
  }
  return plain_error(status, readable_text(cause_of(status)), Lookup::kFile);
}

bool is_stop_iteration(const nb::object& exception) {
  return PyErr_GivenExceptionMatches(exception.ptr(), PyExc_StopIteration) != 0;
}

/// A read that went beyond an object's end is not an index that a program gave.
const char* sample_error_class(const Status& status, const ErrorContext& context) {
  const bool is_of_operator = !context.operator_name.empty() && !context.is_read && !system_errno(status);
  if (is_of_operator && status.code() == StatusCode::kInvalidArgument) {
    return "InvalidSampleError";
  }
  if (is_of_operator && status.code() == StatusCode::kOutOfRange && !is_end_of_data(status)) {
    return "OutOfRangeSampleError";
  }
  return "SampleError";
}

nb::object sample_error(const Status& status, const ErrorContext& context) {
  const std::string& object = context.origin.object;
  const char* const kind = sample_error_class(status, context);
  nb::object error = nb::module_::import_("forebay.errors").attr(kind)(readable_text(message(status)));
  error.attr("object") = object.empty() ? nb::none() : nb::object(text_to_python(object));
  error.attr("offset") = nb::int_(context.origin.offset_bytes);
  error.attr("operator") = text_to_python(context.operator_name);
  error.attr("position") = optional_number(context.position);
  error.attr("epoch") = optional_number(context.epoch);
  error.attr("index") = optional_number(context.sample_index);
  error.attr("cause") = text_to_python(cause_of(status));
  return error;
}

}  // namespace

void raise(const Status& status, Lookup lookup) {
  if (status.code() == StatusCode::kCancelled && PyErr_Occurred() != nullptr) {
    throw nb::python_error();  // the signal handler's exception: KeyboardInterrupt
  }
  const nb::object original = exception_in(status);
  const auto context = context_of(status);
  const bool names_sample = context && (context->position >= 0 || !context->origin.object.empty());
  if (original.is_valid() && !names_sample && !is_stop_iteration(original)) {
    raise_object(original);
  }
  const nb::object error = names_sample ? sample_error(status, *context)
                                        : plain_error(status, readable_text(message(status)), lookup);
  nb::object cause = original.is_valid() || !names_sample ? original : cause_in(status);
  if (cause.is_valid()) {
    PyException_SetCause(error.ptr(), cause.release().ptr());
  }
  raise_object(error);
}

nb::object exception_for(const Status& status) {
  try {
    raise(status);
  } catch (nb::python_error& error) {
    return exception_of(error);
  }
}

void drop_unused_exceptions() {
  exception_store().drop_dead();
}

void set_exception_class(nb::handle kind, nb::handle derived) {
  if (PyObject_IsSubclass(derived.ptr(), kind.ptr()) != 1) {
    PyErr_Clear();
    throw nb::type_error("the class is not derived from the exception that it replaces");
  }
  std::erase_if(replacements(), [&](const Replacement& each) { return each.kind == kind.ptr(); });
  replacements().push_back({kind.inc_ref().ptr(), derived.inc_ref().ptr()});
}

Status status_of(nb::python_error& error) {
  return status_of(exception_of(error));
}

Status status_of(nb::object exception) {
  const std::string type = printed(nb::inst_name(exception));
  const std::string text = printed(exception);
  Status status(StatusCode::kInternal, text.empty() ? type : type + ": " + text);
  status.SetPayload(kExceptionUrl, exception_store().put(std::move(exception)));
  return status;
}

}  // namespace forebay::bindings
