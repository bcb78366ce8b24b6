// Kernels that are loaded into a device's context.
#pragma once

#include <cstdint>
#include <memory>

#include "forebay/base/status.h"
#include "forebay/cuda/driver/context.h"
#include "forebay/cuda/driver/kernel_image.h"

namespace forebay::cuda {

struct LaunchShape {
  uint32_t blocks = 1;
  uint32_t threads = 1;  // of each block
};

/// Thread safe. Unloaded with its last owner; its kernels must have finished by then.
class KernelModule {
 public:
  /// failed_precondition for a build without kernels; else what the driver says, for a device that none of
  /// the targets fits for instance.
  static Result<std::shared_ptr<const KernelModule>> load(std::shared_ptr<const Context> context,
                                                          KernelImage image);
  ~KernelModule();
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;

  /// Lives as long as the module. `name` is the C name of a kernel.
  Result<FunctionHandle> function(const char* name) const;
  /// Puts a kernel on a stream. `arguments` points to one pointer for each parameter of the kernel; what they
  /// point to is read before this returns.
  Status launch(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
                void** arguments) const;

 private:
  explicit KernelModule(std::shared_ptr<const Context> context) : context_(std::move(context)) {}

  const std::shared_ptr<const Context> context_;
  ModuleHandle handle_ = nullptr;
};

}  // namespace forebay::cuda
