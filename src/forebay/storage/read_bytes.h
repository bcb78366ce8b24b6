// Bytes of one version of an object, wherever they lie: read into a buffer, or where a store keeps them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "forebay/base/byte_source.h"
#include "forebay/memory/buffer.h"

namespace forebay::storage {

/// What image decoders may read past the end of their input.
inline constexpr size_t kDecoderPaddingBytes = 64;

/// A view. The bytes, and those behind them, stay as they are as long as `owner` lives; nobody writes to
/// them.
struct ReadBytes {
  std::shared_ptr<const void> owner;  // null: the memory that the caller gave
  Bytes bytes;
  std::string version;
  /// So many bytes behind may be read: zeros, or what follows in the object.
  size_t readable_behind = 0;
  /// The buffer at whose beginning the bytes were read; null when they lie in no buffer of their own.
  memory::BufferRef buffer;

  uint64_t size_bytes() const { return bytes.size(); }
};

/// The bytes, and what may be read behind them, as a buffer, without a copy. Not to be written to.
memory::BufferRef buffer_of(const ReadBytes& read);

}  // namespace forebay::storage
