// The way to Python for code that runs on any thread and at any time, to the very end of the interpreter.
//
// A thread that asks for the GIL while the interpreter ends is stopped for ever, or unwound through code that
// may not be. Asking first whether it is ending leaves a gap. So all such code comes through one gate, which
// an `atexit` function closes: it lets no more threads in and waits until those inside have left.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>

#include <utility>

namespace forebay::bindings {

/// Holds the GIL while it lives, if it could be taken. If not, Python must not be called, and its objects
/// leak.
class GilEntry {
 public:
  GilEntry();
  ~GilEntry();
  GilEntry(const GilEntry&) = delete;
  GilEntry& operator=(const GilEntry&) = delete;

  explicit operator bool() const { return is_in_; }

 private:
  bool is_in_ = false;
  bool took_gil_ = false;
  PyGILState_STATE state_{};
};

/// Stops this thread for ever.
[[noreturn]] void stop_thread();

/// Returns what `call` returns, which runs foreign code with the GIL. A thread that asks for the GIL while
/// the interpreter ends is unwound by Python before 3.14, through code that may not be; it stops here for
/// ever instead, as it does from 3.14 on.
template <class Call>
auto stopping_at_the_end(Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const abi::__forced_unwind&) {
    stop_thread();
  }
}

/// Releases the GIL while it lives; taking it back stops the thread for ever while the interpreter ends.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() {
    stopping_at_the_end([this] { PyEval_RestoreThread(state_); });
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* const state_;
};

/// Returns what `work` returns, which runs without the GIL. The caller holds it before and after.
template <class Work>
auto without_gil(Work&& work) {
  const GilRelease no_gil;
  return std::forward<Work>(work)();
}

/// Lets Python's signal handlers run; true when one raised. For waits that run without the GIL.
bool signal_was_raised();

/// Closes the gate when the interpreter begins to end. Called once, when the module is made.
void install_gil_gate();

}  // namespace forebay::bindings
