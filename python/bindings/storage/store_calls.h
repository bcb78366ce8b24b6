// Calls of stores from Python: they wait without the GIL, and Ctrl-C ends them.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/interruptible_waits.h"
#include "forebay/storage/object_store.h"

namespace forebay::bindings {

/// Raises the OSError that belongs to an error of a store: FileNotFoundError, PermissionError,
/// FileExistsError... ValueError and NotImplementedError stay what they are. With the GIL held.
[[noreturn]] void raise_store_error(const Status& status);

/// The address of a path or URI.
storage::ObjectAddress address_of(nb::handle path);

/// Where an answer arrives.
template <class T>
class Arrival {
 public:
  void set(T value) {
    const MutexLock lock(mutex_);
    value_.emplace(std::move(value));
    changed_.notify_all();
  }
  /// Waits a moment.
  bool has_come() {
    UniqueMutexLock lock(mutex_);
    return changed_.wait_for(lock.native(), std::chrono::milliseconds(50),
                             [this]() FOREBAY_REQUIRES(mutex_) { return value_.has_value(); });
  }
  T take() {
    const MutexLock lock(mutex_);
    return *std::move(value_);
  }

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> value_ FOREBAY_GUARDED_BY(mutex_);
};

/// Waits for an answer to `start(context, done)`. A signal whose handler raises cancels the call, and once
/// it has ended the handler's exception is raised; `interrupted`, which is asked now and then without the
/// GIL, may stand for signals: true with a Python exception set. With the GIL held.
template <class T, class Start, class Interrupted>
T await_answer(Start&& start, Interrupted&& interrupted) {
  const auto arrival = std::make_shared<Arrival<T>>();
  bool is_interrupted = false;
  without_gil([&] {
    std::stop_source stop;
    const storage::CallContext context{.cancellation = stop.get_token()};
    start(context, [arrival](T value) { arrival->set(std::move(value)); });
    while (!arrival->has_come()) {
      if (!is_interrupted && interrupted()) {
        is_interrupted = true;
        stop.request_stop();
      }
    }
  });
  if (is_interrupted) {
    throw nb::python_error();
  }
  return arrival->take();
}

template <class T, class Start>
T await_answer(Start&& start) {
  return await_answer<T>(std::forward<Start>(start), &signal_was_raised);
}

/// Returns what `work` returns, which runs without the GIL and waits for stores by the calls of blocking.h. A
/// signal whose handler raises ends these, and is raised. With the GIL held.
template <class Work>
auto without_gil_until_signal(Work&& work) {
  bool is_interrupted = false;
  auto result = without_gil([&] {
    const storage::InterruptibleWaits waits(&signal_was_raised);
    auto made = std::forward<Work>(work)();
    is_interrupted = waits.was_interrupted();
    return made;
  });
  if (is_interrupted) {
    throw nb::python_error();
  }
  return result;
}

/// await_answer() of work that blocks, which gets a thread of its own. `work(context)` gives a T.
template <class T, class Work, class Interrupted>
T await_work(Work&& work, Interrupted&& interrupted) {
  std::thread thread;
  struct Join {
    std::thread& joined;
    ~Join() {
      if (joined.joinable()) {
        joined.join();
      }
    }
  } const join{thread};
  return await_answer<T>(
      [&](const storage::CallContext& context, auto done) {
        thread = std::thread([&work, context, done = std::move(done)]() mutable { done(work(context)); });
      },
      std::forward<Interrupted>(interrupted));
}

template <class T, class Work>
T await_work(Work&& work) {
  return await_work<T>(std::forward<Work>(work), &signal_was_raised);
}

template <class T>
T value_or_store_error(Result<T> result) {
  if (!result.ok()) [[unlikely]] {
    raise_store_error(result.status());
  }
  return *std::move(result);
}

inline void check_store_call(const Status& status) {
  if (!status.ok()) [[unlikely]] {
    raise_store_error(status);
  }
}

}  // namespace forebay::bindings
