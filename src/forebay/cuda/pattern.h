// Fills device memory with a pattern and finds what is not of it: how a device, its memory and the order of
// its queues are checked, by `forebay doctor` and by the tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "forebay/cuda/device.h"
#include "forebay/cuda/driver/kernel_module.h"

namespace forebay::cuda {

/// Thread safe; keeps the device alive. Memory may be any that the device can reach, aligned to 4 bytes,
/// below 16 GiB; `bytes` counts in whole words of 4, what is left over is not looked at.
class Pattern {
 public:
  /// Errors are those of KernelModule::load.
  static Result<std::unique_ptr<Pattern>> load(std::shared_ptr<Device> device);

  /// Puts on the queue: word i becomes pattern_word(i, seed).
  Status fill(uint32_t queue, void* memory, size_t bytes, uint32_t seed) const;
  /// Puts on the queue: the number of words that are something else is added to `wrong`, which the device can
  /// reach.
  Status add_wrong(uint32_t queue, const void* memory, size_t bytes, uint32_t seed, uint32_t* wrong) const;

 private:
  Pattern(std::shared_ptr<Device> device, std::shared_ptr<const KernelModule> module)
      : device_(std::move(device)), module_(std::move(module)) {}
  Status launch(FunctionHandle function, uint32_t queue, uint32_t count, void** arguments) const;

  const std::shared_ptr<Device> device_;
  const std::shared_ptr<const KernelModule> module_;
  FunctionHandle fill_ = nullptr;
  FunctionHandle add_wrong_ = nullptr;
};

}  // namespace forebay::cuda
