// Calls into Python from threads of the library.
#pragma once

#include <chrono>
#include <exception>
#include <functional>

#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/python_ref.h"

namespace forebay::bindings {

struct CallCount;

/// A call that is under way, for wait_for_calls().
class CountedCall {
 public:
  CountedCall();
  ~CountedCall();
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;

 private:
  CallCount* const count_;  // this process's, when it began
};

/// Keeps Python's record of the calling thread until the thread ends, unless Python keeps one already.
/// Without, each call from a thread of the library makes a record and drops it, which maps memory and gives
/// it back.
void keep_thread_record();

/// Runs `body`, which returns a Status or a Result, with the GIL; an exception becomes the error. cancelled
/// when the interpreter has ended. For threads that make many calls.
template <class Body>
auto with_python(Body&& body) -> decltype(body()) {
  const CountedCall call;
  if (!interpreter_is_alive()) {
    return cancelled("the Python interpreter has ended");
  }
  keep_thread_record();
  const nb::gil_scoped_acquire gil;
  try {
    return body();
  } catch (nb::python_error& error) {
    return status_of(error);
  } catch (const std::exception& error) {  // nanobind's own: a value of the wrong type
    return invalid_argument("a Python function gave what is not a list of tensors: {}", error.what());
  }
}

/// Waits until no such call is under way: true. False when `give_up` said so (asked every 20 ms) or `most`
/// has passed. Without the GIL.
bool wait_for_calls(std::chrono::milliseconds most, const std::function<bool()>& give_up);

}  // namespace forebay::bindings
