// Kernels loaded into a device's context.
#pragma once

#include <cstdint>
#include <memory>

#include "forebay/base/status.h"
#include "forebay/cuda/driver/context.h"
#include "forebay/cuda/driver/kernel_image.h"

namespace forebay::cuda {

struct LaunchShape {
  uint32_t blocks = 1;
  uint32_t threads = 1;  // per block
};

/// Thread safe. Unloaded when the last owner drops it; its kernels must have finished by then.
class KernelModule {
 public:
  /// failed_precondition for a build without kernels; otherwise the driver's error, for example if none of
  /// the targets fits the device.
  static Result<std::shared_ptr<const KernelModule>> load(std::shared_ptr<const Context> context,
                                                          KernelImage image);
  ~KernelModule();
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;

  /// Returns the kernel with the C name `name`; valid as long as the module.
  Result<FunctionHandle> function(const char* name) const;
  /// Puts a kernel on a stream. `arguments` points to one pointer per kernel parameter; the pointed-to values
  /// are read before this returns.
  Status launch(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
                void** arguments) const;

 private:
  explicit KernelModule(std::shared_ptr<const Context> context) : context_(std::move(context)) {}

  const std::shared_ptr<const Context> context_;
  ModuleHandle handle_ = nullptr;
};

}  // namespace forebay::cuda
