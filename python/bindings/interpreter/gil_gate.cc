#include "bindings/interpreter/gil_gate.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

#include "bindings/interpreter/python_ref.h"

namespace forebay::bindings {
namespace {

// Never destroyed: plain atomics.
std::atomic<bool> is_closed{false};
std::atomic<int> inside{0};

void leave() {
  if (inside.fetch_sub(1) == 1) {
    inside.notify_all();
  }
}

void close_gate() {
  is_closed.store(true);
  const GilRelease no_gil;
  for (int count = inside.load(); count != 0; count = inside.load()) {
    inside.wait(count);
  }
}

}  // namespace

GilEntry::GilEntry() {
  if (interpreter_is_alive() && PyGILState_Check() != 0) {
    is_in_ = true;
    return;
  }
  inside.fetch_add(1);
  if (is_closed.load() || !interpreter_is_alive()) {
    leave();
    return;
  }
  state_ = PyGILState_Ensure();
  is_in_ = true;
  took_gil_ = true;
}

GilEntry::~GilEntry() {
  if (took_gil_) {
    PyGILState_Release(state_);
    leave();
  }
}

void stop_thread() {
  for (;;) {
    pause();
  }
}

bool signal_was_raised() {
  const GilEntry gil;
  return gil && PyErr_CheckSignals() != 0;
}

void install_gil_gate() {
  nanobind::module_::import_("atexit").attr("register")(nanobind::cpp_function(&close_gate));
  pthread_atfork(nullptr, nullptr, [] { inside.store(0); });
}

}  // namespace forebay::bindings
