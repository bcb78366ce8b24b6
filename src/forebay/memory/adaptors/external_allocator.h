// Memory across library borders, through a C table. The other forms are made from it: the two-argument form
// here, std::pmr in standard_allocators.h, CCCL in cccl_resource.h. Works both ways: a resource as a table
// for others, and others' tables as a resource.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "forebay/memory/memory_resource.h"

extern "C" {

/// Functions return 0 for success and a negative error number, which `error_text` describes. All may be
/// called from any thread.
struct ForebayAllocator {
  uint32_t version;  // kAllocatorVersion
  const char* name;  // must live as long as the table
  void* context;     // passed to every function

  /// Allocates `bytes` bytes, aligned to `alignment` (a power of two), for work on `queue` of `driver`;
  /// driver 0 is the host.
  int (*allocate)(void* context, size_t bytes, size_t alignment, uint32_t driver, uint32_t queue,
                  void** pointer);
  /// Frees a block that allocate returned for the same bytes. Its last use is everything put on that queue so
  /// far.
  void (*deallocate)(void* context, void* pointer, size_t bytes, size_t alignment, uint32_t driver,
                     uint32_t queue);
  /// Returns a property by key (ForebayAllocatorKey); a negative number for an unknown key.
  int (*query)(void* context, int key, uint64_t* value);
  /// Describes the last error number that a function returned on this thread; never null.
  const char* (*error_text)(void* context, int error);
};

enum ForebayAllocatorKey {
  kForebayAllocatorMemoryKind = 0,  // forebay::memory::MemoryKind as a number
  kForebayAllocatorAlignment = 1,   // the alignment of every block
};

}  // extern "C"

namespace forebay::memory {

inline constexpr uint32_t kAllocatorVersion = 1;

/// A resource as a C table. The table is valid as long as this object lives; blocks may be freed as long as
/// the resource lives. Alignments above kAlignment are refused.
class ExternalAllocator {
 public:
  explicit ExternalAllocator(std::shared_ptr<MemoryResource> resource);
  ExternalAllocator(const ExternalAllocator&) = delete;
  ExternalAllocator& operator=(const ExternalAllocator&) = delete;

  const ForebayAllocator& table() const { return table_; }

 private:
  const std::shared_ptr<MemoryResource> resource_;
  const ForebayAllocator table_;
};

/// A resource over another library's table, which must outlive it. invalid_argument for another version or a
/// missing function. A block freed with a fence is returned after the fence has been waited for.
Result<std::shared_ptr<MemoryResource>> resource_of(const ForebayAllocator& table);

/// The two-argument form that RMM's callback resource and PyTorch's pluggable allocators use: allocate takes
/// a size and a stream and returns a pointer, or null if there is no memory.
struct StreamCallbacks {
  void* (*allocate)(size_t bytes, void* stream, void* argument);
  void (*deallocate)(void* pointer, size_t bytes, void* stream, void* argument);
  void* argument;
};

/// Maps streams to queues and back. Streams are opaque pointers; null is the default stream.
using QueueOfStream = std::function<Queue(void* stream)>;
using StreamOfQueue = std::function<void*(Queue queue)>;

/// Offers a resource in the two-argument form. The callbacks are valid as long as this object lives.
class StreamAllocator {
 public:
  StreamAllocator(std::shared_ptr<MemoryResource> resource, QueueOfStream queue_of);
  StreamAllocator(const StreamAllocator&) = delete;
  StreamAllocator& operator=(const StreamAllocator&) = delete;

  /// Null if there is no memory.
  void* allocate(size_t bytes, void* stream);
  void deallocate(void* pointer, size_t bytes, void* stream);
  StreamCallbacks callbacks();

 private:
  const std::shared_ptr<MemoryResource> resource_;
  const QueueOfStream queue_of_;
};

/// A resource over another library's callbacks, of the given kind. A block freed with a fence is freed on the
/// fence's queue, so the other library orders later uses behind it.
std::shared_ptr<MemoryResource> resource_of(const StreamCallbacks& callbacks, MemoryKind kind,
                                            StreamOfQueue stream_of);

}  // namespace forebay::memory
