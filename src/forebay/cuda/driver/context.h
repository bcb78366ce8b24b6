// A device's primary context. CUDA's runtime and the frameworks in this process use it too, so memory and
// streams can be shared with them.
#pragma once

#include <memory>

#include "forebay/base/status.h"
#include "forebay/cuda/driver/devices.h"
#include "forebay/cuda/driver/driver_functions.h"

namespace forebay::cuda {

/// Thread safe. Keeps the device's context alive.
class Context {
 public:
  /// Errors are those of driver_functions(); invalid_argument for a device that does not exist.
  static Result<std::shared_ptr<const Context>> open(int number);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const DriverFunctions& functions() const { return functions_; }
  const DeviceFacts& facts() const { return facts_; }
  /// Converts a function's result to a Status; see error.h.
  Status status(int error, std::string_view what) const;

 private:
  friend class ContextScope;
  Context(const DriverFunctions& functions, DeviceFacts facts)
      : functions_(functions), facts_(std::move(facts)) {}

  const DriverFunctions& functions_;
  const DeviceFacts facts_;
  int device_ = 0;
  ContextHandle handle_ = nullptr;
};

/// Makes a context current on the calling thread for the scope. If that fails, so do the calls inside.
class ContextScope {
 public:
  explicit ContextScope(const Context& context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const DriverFunctions& functions_;
  const bool is_pushed_;
};

}  // namespace forebay::cuda
