#include "forebay/storage/read_bytes.h"

namespace forebay::storage {

memory::BufferRef buffer_of(const ReadBytes& read) {
  if (read.buffer) {
    return read.buffer;
  }
  return memory::Buffer::wrap_read_only(read.bytes.data(), read.bytes.size() + read.readable_behind,
                                        memory::MemoryKind::kHost, [owner = read.owner] {});
}

}  // namespace forebay::storage
