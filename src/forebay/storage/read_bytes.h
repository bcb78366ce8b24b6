// Bytes of one version of an object, wherever they are: read into a buffer, or in place in a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "forebay/base/byte_source.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/memory/buffer.h"

namespace forebay::storage {

/// How far past the end of their input image decoders may read.
inline constexpr size_t kDecoderPaddingBytes = 64;

/// A view. The bytes and those readable behind them do not change while `owner` lives; nobody writes to them.
struct ReadBytes {
  std::shared_ptr<const void> owner;  // null: the bytes are in memory that the caller supplied
  Bytes bytes;
  std::string version;
  /// How many bytes past the end may be read: zeros, or what follows in the object.
  size_t readable_behind = 0;
  /// Other bytes may have had, or may come to have, the same version; so what is kept under it may be wrong
  /// later.
  bool has_weak_version = false;
  /// The buffer whose beginning holds the bytes; null if they have no buffer of their own.
  memory::BufferRef buffer;
  /// A file of this host that holds the bytes and nothing else, from its beginning to its end, for reading.
  /// What is in it does not change while `owner` lives. Null unless it was asked for
  /// (ReadRequest::wants_file).
  std::shared_ptr<const FileDescriptor> file;

  uint64_t size_bytes() const { return bytes.size(); }
};

/// Wraps the bytes, and what may be read behind them, in a buffer without copying: the buffer that they were
/// read into, or a read-only one.
memory::BufferRef buffer_of(const ReadBytes& read);

}  // namespace forebay::storage
