// What has threads of this process: a forked child can neither use it nor end it.
#pragma once

#include <unistd.h>

#include <memory>
#include <utility>

#include "bindings/interpreter/errors.h"

namespace forebay::bindings {

/// Holds a T until it is closed. Calls of other threads that are under way then keep it until they return. In
/// a forked child it leaks. With the GIL held.
template <class T>
class ProcessOwned {
 public:
  /// `name`: "pipeline", for errors.
  ProcessOwned(std::unique_ptr<T> owned, const char* name)
      : owned_(std::move(owned)), name_(name), process_(getpid()) {}
  ProcessOwned(const ProcessOwned&) = delete;
  ProcessOwned(ProcessOwned&&) noexcept = default;

  /// RuntimeError when it was closed or belongs to the parent of this process.
  std::shared_ptr<T> get() const {
    if (owned_ == nullptr) {
      raise(failed_precondition("the {} has been closed", name_));
    }
    if (process_ != getpid()) {
      raise(failed_precondition(
          "the {} was built in another process and does not survive fork(); build a new one in this process",
          name_));
    }
    return owned_;
  }

  /// Gives it up; null when that was done before, or in a forked child.
  std::shared_ptr<T> take() {
    std::shared_ptr<T> taken = std::move(owned_);
    if (process_ != getpid()) {
      static_cast<void>(new std::shared_ptr<T>(std::move(taken)));
      return nullptr;
    }
    return taken;
  }

 private:
  std::shared_ptr<T> owned_;
  const char* name_;
  pid_t process_;
};

}  // namespace forebay::bindings
