#include "forebay/storage/read_bytes.h"

namespace forebay::storage {

memory::BufferRef buffer_of(const ReadBytes& read) {
  if (read.buffer) {
    return read.buffer;
  }
  auto* const data = const_cast<std::byte*>(read.bytes.data());  // Buffer has no read-only type
  return memory::Buffer::wrap(data, read.bytes.size() + read.readable_behind, memory::MemoryKind::kHost,
                              [owner = read.owner] {});
}

}  // namespace forebay::storage
