// Drivers whose device reads files into its memory by itself, past the host's memory (GPUDirect Storage):
// what a driver may offer beside its table. Who reads objects asks for it by the driver's id and needs to
// know no kind of device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "forebay/base/status.h"

namespace forebay::memory {

/// An open file. Thread safe.
class DirectFile {
 public:
  virtual ~DirectFile() = default;

  /// Reads `bytes` bytes at `offset_bytes` of the file to `destination` of the device's memory: all of them
  /// or an error, which leaves any content there. They are there when the call returns, for work that is put
  /// on any queue from then on; that no earlier work uses the destination is the caller's care. The call
  /// waits, and errors name the file.
  virtual Status read(void* destination, size_t bytes, uint64_t offset_bytes) = 0;
};

/// Thread safe.
class DirectReader {
 public:
  virtual ~DirectReader() = default;

  /// An error says why the device cannot read this file by itself: the bytes then go through the host.
  virtual Result<std::unique_ptr<DirectFile>> open(const std::string& path) = 0;
};

/// Makes known how the memory of that driver is filled from files; null: not at all, as at first. Thread
/// safe.
void set_direct_reader(uint32_t driver, std::shared_ptr<DirectReader> reader);

/// Null when the driver has none. Thread safe.
std::shared_ptr<DirectReader> find_direct_reader(uint32_t driver);

}  // namespace forebay::memory
