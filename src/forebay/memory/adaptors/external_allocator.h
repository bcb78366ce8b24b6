// Memory across the border of a library, by a C table: the one form that others are made from (the
// two-argument form and std::pmr here and in standard_allocators.h, CCCL in cccl_resource.h). Both ways: a
// resource as a table for others, and others' tables as a resource.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "forebay/memory/memory_resource.h"

extern "C" {

/// Functions return 0 for success and a negative number for an error, which `error_text` puts into words. All
/// may be called from any thread.
struct ForebayAllocator {
  uint32_t version;  // kAllocatorVersion
  const char* name;  // lives as long as the table
  void* context;     // handed to every function

  /// `bytes` bytes, aligned to `alignment` (a power of two), for work of `queue` of `driver`; driver 0 is the
  /// host.
  int (*allocate)(void* context, size_t bytes, size_t alignment, uint32_t driver, uint32_t queue,
                  void** pointer);
  /// Takes back what allocate gave for these bytes, last used by what that queue was given until now.
  void (*deallocate)(void* context, void* pointer, size_t bytes, size_t alignment, uint32_t driver,
                     uint32_t queue);
  /// A fact by its key (ForebayAllocatorKey); a negative number for a key that is not known.
  int (*query)(void* context, int key, uint64_t* value);
  /// The words for an error number that one of the functions returned to this thread last; never null.
  const char* (*error_text)(void* context, int error);
};

enum ForebayAllocatorKey {
  kForebayAllocatorMemoryKind = 0,  // forebay::memory::MemoryKind as a number
  kForebayAllocatorAlignment = 1,   // that every block has
};

}  // extern "C"

namespace forebay::memory {

inline constexpr uint32_t kAllocatorVersion = 1;

/// A resource as a C table. The table is valid as long as the object; blocks may come back as long as the
/// resource lives. Alignments above kAlignment are refused.
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

/// Another library's table as a resource. The table must outlive it. invalid_argument for another version or
/// a missing function. A block that comes back with a fence is waited for before it goes back.
Result<std::shared_ptr<MemoryResource>> resource_of(const ForebayAllocator& table);

/// The two-argument form, as RMM's callback resource and PyTorch's pluggable allocators have it: a size and a
/// stream in, a pointer out, null when there is no memory.
struct StreamCallbacks {
  void* (*allocate)(size_t bytes, void* stream, void* argument);
  void (*deallocate)(void* pointer, size_t bytes, void* stream, void* argument);
  void* argument;
};

/// Which queue a stream is; streams are opaque pointers, null the default one.
using QueueOfStream = std::function<Queue(void* stream)>;
using StreamOfQueue = std::function<void*(Queue queue)>;

/// A resource in the two-argument form. The callbacks are valid as long as the object.
class StreamAllocator {
 public:
  StreamAllocator(std::shared_ptr<MemoryResource> resource, QueueOfStream queue_of);
  StreamAllocator(const StreamAllocator&) = delete;
  StreamAllocator& operator=(const StreamAllocator&) = delete;

  /// Null when there is no memory.
  void* allocate(size_t bytes, void* stream);
  void deallocate(void* pointer, size_t bytes, void* stream);
  StreamCallbacks callbacks();

 private:
  const std::shared_ptr<MemoryResource> resource_;
  const QueueOfStream queue_of_;
};

/// Callbacks of another library as a resource of that kind. A block that comes back with a fence is given
/// back on the fence's queue: the other library puts no later use before it.
std::shared_ptr<MemoryResource> resource_of(const StreamCallbacks& callbacks, MemoryKind kind,
                                            StreamOfQueue stream_of);

}  // namespace forebay::memory
