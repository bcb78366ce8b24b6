// Where code that may throw is called by code that does not: what it throws becomes an error.
#pragma once

#include <type_traits>
#include <utility>

#include "forebay/base/status.h"

namespace forebay {

/// Of the exception that is being handled: resource_exhausted where memory ran out, else internal_error with
/// its text. The unwinding of a thread that is being ended goes through. Only inside a catch block.
Status status_of_exception();

/// What `body`, which returns a Status or a Result, returns; or whatever it throws, as an error.
template <class Body>
std::invoke_result_t<Body> caught(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return status_of_exception();
  }
}

}  // namespace forebay
