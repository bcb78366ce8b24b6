// An optional extension of a device driver: reading files into device memory without passing through host
// memory (GPUDirect Storage). Code that reads objects looks it up by the driver's id and needs no knowledge
// of the kind of device.
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

  /// Blocks while it reads `bytes` bytes at `offset_bytes` of the file into device memory at `destination`:
  /// all of them, or an error that leaves the destination undefined. On return the bytes are visible to work
  /// put on any queue from then on. The caller must ensure that no earlier work uses the destination. Errors
  /// name the file.
  virtual Status read(void* destination, size_t bytes, uint64_t offset_bytes) = 0;
};

/// Thread safe.
class DirectReader {
 public:
  virtual ~DirectReader() = default;

  /// Opens a file. An error says why the device cannot read this file itself; the bytes then go through the
  /// host.
  virtual Result<std::unique_ptr<DirectFile>> open(const std::string& path) = 0;
};

/// Sets how files are read into that driver's memory; null (the default): not supported. Thread safe.
void set_direct_reader(uint32_t driver, std::shared_ptr<DirectReader> reader);

/// Null if the driver has none. Thread safe.
std::shared_ptr<DirectReader> find_direct_reader(uint32_t driver);

}  // namespace forebay::memory
