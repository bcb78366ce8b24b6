// Converts exceptions to errors where code that throws nothing calls code that may throw.
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include "forebay/base/status.h"

namespace forebay {

/// An error that travels as an exception, through code that cannot return it: a container whose allocator was
/// refused memory, for example. caught() turns it back into the error.
class ThrownStatus : public std::bad_alloc {
 public:
  explicit ThrownStatus(Status status) : status_(std::move(status)) {}
  const Status& status() const { return status_; }

 private:
  Status status_;
};

/// Converts the exception being handled: the status of a ThrownStatus, resource_exhausted if memory ran out,
/// else internal_error with its text. Lets the forced unwinding of a cancelled thread pass through. Call it
/// only inside a catch block.
Status status_of_exception();

/// Runs `body`, which returns a Status or a Result, and returns its result, or whatever it throws as an
/// error.
template <class Body>
std::invoke_result_t<Body> caught(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return status_of_exception();
  }
}

}  // namespace forebay
