// Memory that other processes of this host can map: what a daemon reads from far goes there, so that the
// process which asked for it needs no copy.
#pragma once

#include <memory>

#include "forebay/base/byte_source.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/memory/memory_resource.h"
#include "forebay/storage/read_bytes.h"

namespace forebay::cache {

/// Memory that counts what is out of it.
class CountedMemory : public memory::MemoryResource {
 public:
  virtual uint64_t out_bytes() const = 0;
};

/// Blocks cut from shared memory (memfd) of at most `maximum_bytes`; from the host's pool beyond that, which
/// is slower to pass on, but no error. Thread safe. Its memory is in shared_ranges().
Result<std::shared_ptr<CountedMemory>> shared_memory(size_t maximum_bytes);

/// Each block is shared memory of its own: for single large ones.
std::shared_ptr<memory::MemoryResource> shared_blocks();

/// A copy of `bytes` that nobody can change any more, with zeros behind it, for another process.
Result<FileDescriptor> sealed_copy(Bytes bytes);

/// Maps the first `bytes` of memory that another process has sealed; in shared_ranges() for as long as the
/// owner lives. invalid_argument if it is not sealed, or smaller.
Result<storage::ReadBytes> open_sealed(FileDescriptor memory, uint64_t bytes);

}  // namespace forebay::cache
