// Bytes that are read by range: a decoder asks for what it needs, so the whole object need not be in memory.
// An image decoder takes the resident bytes if there are any; a video decoder reads ranges while it decodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "forebay/base/status.h"

namespace forebay {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

/// Thread safety: reads may run concurrently.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  virtual uint64_t size_bytes() const = 0;

  /// Fills `destination` from `offset_bytes` on; out_of_range if the source ends too early.
  virtual Status read(uint64_t offset_bytes, MutableBytes destination) const = 0;

  /// All bytes, if they are in memory; valid as long as the source lives.
  virtual std::optional<Bytes> resident() const { return std::nullopt; }
};

/// A source over borrowed bytes.
class MemoryByteSource final : public ByteSource {
 public:
  explicit MemoryByteSource(Bytes bytes) : bytes_(bytes) {}

  uint64_t size_bytes() const override { return bytes_.size(); }

  Status read(uint64_t offset_bytes, MutableBytes destination) const override {
    if (offset_bytes > bytes_.size() || destination.size() > bytes_.size() - offset_bytes) {
      return out_of_range("read of {} bytes at {} from a source of {} bytes", destination.size(),
                          offset_bytes, bytes_.size());
    }
    if (!destination.empty()) {
      std::memcpy(destination.data(), bytes_.data() + offset_bytes, destination.size());
    }
    return ok_status();
  }

  std::optional<Bytes> resident() const override { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace forebay
