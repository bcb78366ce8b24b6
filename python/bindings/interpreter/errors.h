// The border between Status and Python exceptions, in both directions.
//
//   invalid_argument, already_exists   ValueError         not_found            FileNotFoundError or KeyError
//   resource_exhausted                 MemoryError        permission_denied    PermissionError
//   out_of_range                       IndexError         unimplemented        NotImplementedError
//   end_of_data                        StopIteration      deadline_exceeded    TimeoutError
//   all others                         RuntimeError
//   with the context of a sample       forebay.SampleError
//   what the operating system refused  OSError and the classes that Python derives from it, with their errno
//
// A SampleError has such an OSError, or a MemoryError, as its __cause__. An exception that Python code raised
// inside the library comes out as itself, or as the __cause__ of the SampleError that names the sample. A
// StopIteration from code that is no source ends no stream: it comes out as the __cause__ of a RuntimeError.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "forebay/base/status.h"

namespace forebay::bindings {

namespace nb = nanobind;

/// What not_found means where the call is made.
enum class Lookup { kFile, kKey };

/// Raises the exception of an error. With the GIL held.
[[noreturn]] void raise(const Status& status, Lookup lookup = Lookup::kFile);

inline void check(const Status& status, Lookup lookup = Lookup::kFile) {
  if (!status.ok()) [[unlikely]] {
    raise(status, lookup);
  }
}

template <class T>
T value_of(Result<T> result, Lookup lookup = Lookup::kFile) {
  check(result.status(), lookup);
  return *std::move(result);
}

/// The exception that raise() would raise. With the GIL held.
nb::object exception_for(const Status& status);

/// Lets go of exceptions that no error carries any more. With the GIL held.
void drop_unused_exceptions();

/// From now on `derived` is raised where `kind`, one of the exceptions above, was. What scripts written for
/// another library catch may be a base of it.
void set_exception_class(nb::handle kind, nb::handle derived);

/// The error of an exception that Python code raised; it keeps the exception for raise(). With the GIL held.
Status status_of(nb::python_error& error);
/// The same for an exception object.
Status status_of(nb::object exception);

}  // namespace forebay::bindings
