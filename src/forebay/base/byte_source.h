// Bytes that are read by range: a decoder asks for what it needs and need not hold the whole object. An image
// decoder takes the resident bytes if there are any; a video decoder reads ranges while it decodes.
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

/// Thread safety: reads may run at the same time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  virtual uint64_t size_bytes() const = 0;

  /// Fills `destination` from `offset`; out_of_range when the source ends before.
  virtual Status read(uint64_t offset_bytes, MutableBytes destination) const = 0;

  /// All bytes, if they lie in memory; valid as long as the source.
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
