// A device's primary context: the one that CUDA's runtime and the frameworks of this process use too, so that
// memory and streams of one are those of the other.
#pragma once

#include <memory>

#include "forebay/base/status.h"
#include "forebay/cuda/devices.h"
#include "forebay/cuda/driver/driver_functions.h"

namespace forebay::cuda {

/// Thread safe. The device's context stays alive as long as this does.
class Context {
 public:
  /// Errors are those of driver_functions(); invalid_argument for a device that is not there.
  static Result<std::shared_ptr<const Context>> open(int number);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const DriverFunctions& functions() const { return functions_; }
  const DeviceFacts& facts() const { return facts_; }
  /// The Status of what one of the functions returned: error.h.
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

/// Makes a context the calling thread's until the end of the scope. Where that fails, so do the calls inside.
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
