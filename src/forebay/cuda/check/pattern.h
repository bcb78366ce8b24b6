// Fills device memory with a pattern and counts words that do not match it. `forebay doctor` and the tests
// use it to check a device, its memory and the order of its queues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "forebay/cuda/device.h"
#include "forebay/cuda/driver/kernel_module.h"

namespace forebay::cuda {

/// Thread safe; keeps the device alive. The memory may be any that the device can access, aligned to 4 bytes,
/// below 16 GiB. Only whole 4-byte words of `bytes` are used; the remainder is ignored.
class Pattern {
 public:
  /// Errors are those of KernelModule::load.
  static Result<std::unique_ptr<Pattern>> load(std::shared_ptr<Device> device);

  /// Puts work on the queue: word i becomes pattern_word(i, seed).
  Status fill(uint32_t queue, void* memory, size_t bytes, uint32_t seed) const;
  /// Puts work on the queue: adds the number of words that differ to `wrong`, which the device must be able
  /// to access.
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
