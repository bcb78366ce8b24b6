#include "forebay/memory/adaptors/external_allocator.h"

#include <string>

#include "forebay/memory/device_driver.h"
#include "forebay/memory/last_use.h"

namespace forebay::memory {
namespace {

constexpr int kFailed = -1;

// The description of this thread's last error: a C table has no other way to pass it on.
thread_local std::string last_error;

int fail(const Status& status) {
  last_error = std::string(message(status));
  return kFailed;
}

MemoryResource& resource_in(void* context) {
  return *static_cast<MemoryResource*>(context);
}

int allocate(void* context, size_t bytes, size_t alignment, uint32_t driver, uint32_t queue, void** pointer) {
  *pointer = nullptr;
  if (alignment > kAlignment) {
    return fail(invalid_argument("an alignment of {}; blocks are aligned to {}", alignment, kAlignment));
  }
  MemoryResource& resource = resource_in(context);
  const Result<void*> block =
      driver == 0 ? resource.allocate(bytes) : resource.allocate_on(bytes, {driver, queue});
  if (!block.ok()) {
    return fail(block.status());
  }
  *pointer = *block;
  return 0;
}

void deallocate(void* context, void* pointer, size_t bytes, size_t, uint32_t driver, uint32_t queue) {
  if (driver == 0) {
    resource_in(context).deallocate(pointer, bytes, Fence{});
  } else {
    resource_in(context).deallocate_on(pointer, bytes, {driver, queue});
  }
}

int query(void* context, int key, uint64_t* value) {
  switch (key) {
    case kForebayAllocatorMemoryKind:
      *value = static_cast<uint64_t>(resource_in(context).kind());
      return 0;
    case kForebayAllocatorAlignment:
      *value = kAlignment;
      return 0;
    default:
      return fail(invalid_argument("no key {}", key));
  }
}

const char* text_of_last_error(void*, int) {
  return last_error.c_str();
}

class TableResource final : public MemoryResource {
 public:
  TableResource(const ForebayAllocator& table, MemoryKind kind) : table_(table), kind_(kind) {}

  Result<void*> allocate(size_t bytes) override { return allocate_on(bytes, Queue{}); }

  Result<void*> allocate_on(size_t bytes, Queue queue) override {
    void* pointer = nullptr;
    const int error = table_.allocate(table_.context, bytes, kAlignment, queue.driver, queue.queue, &pointer);
    if (error < 0) {
      return resource_exhausted("{} bytes of allocator '{}': {}", bytes, table_.name,
                                table_.error_text(table_.context, error));
    }
    return pointer;
  }

  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
    give_back_after(last_use, [&table = table_, pointer, bytes] {
      table.deallocate(table.context, pointer, bytes, kAlignment, kHostDriver, 0);
    });
  }

  void deallocate_on(void* pointer, size_t bytes, Queue queue) noexcept override {
    table_.deallocate(table_.context, pointer, bytes, kAlignment, queue.driver, queue.queue);
  }

  MemoryKind kind() const override { return kind_; }
  std::string_view name() const override { return table_.name; }

 private:
  const ForebayAllocator& table_;
  const MemoryKind kind_;
};

class CallbackResource final : public MemoryResource {
 public:
  CallbackResource(const StreamCallbacks& callbacks, MemoryKind kind, StreamOfQueue stream_of)
      : callbacks_(callbacks), kind_(kind), stream_of_(std::move(stream_of)) {}

  Result<void*> allocate(size_t bytes) override { return allocate_on(bytes, Queue{}); }

  Result<void*> allocate_on(size_t bytes, Queue queue) override {
    void* const pointer = callbacks_.allocate(bytes, stream_of_(queue), callbacks_.argument);
    if (pointer == nullptr) {
      return resource_exhausted("the allocator behind a callback could not provide {} bytes", bytes);
    }
    return pointer;
  }

  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
    deallocate_on(
        pointer, bytes,
        last_use.is_trivial() ? Queue{} : Queue{.driver = last_use.driver, .queue = last_use.queue});
  }

  void deallocate_on(void* pointer, size_t bytes, Queue queue) noexcept override {
    callbacks_.deallocate(pointer, bytes, stream_of_(queue), callbacks_.argument);
  }

  MemoryKind kind() const override { return kind_; }
  std::string_view name() const override { return "callbacks"; }

 private:
  const StreamCallbacks callbacks_;
  const MemoryKind kind_;
  const StreamOfQueue stream_of_;
};

}  // namespace

ExternalAllocator::ExternalAllocator(std::shared_ptr<MemoryResource> resource)
    : resource_(std::move(resource)),
      table_{.version = kAllocatorVersion,
             .name = resource_->name().data(),
             .context = resource_.get(),
             .allocate = memory::allocate,
             .deallocate = memory::deallocate,
             .query = query,
             .error_text = text_of_last_error} {
}

Result<std::shared_ptr<MemoryResource>> resource_of(const ForebayAllocator& table) {
  if (table.version != kAllocatorVersion) {
    return invalid_argument("an allocator of version {}; this library supports version {}", table.version,
                            kAllocatorVersion);
  }
  if (table.name == nullptr || table.allocate == nullptr || table.deallocate == nullptr ||
      table.query == nullptr || table.error_text == nullptr) {
    return invalid_argument("the allocator '{}' lacks a function", table.name == nullptr ? "" : table.name);
  }
  uint64_t kind = 0;
  if (table.query(table.context, kForebayAllocatorMemoryKind, &kind) < 0 ||
      kind > static_cast<uint64_t>(MemoryKind::kSimulated)) {
    return invalid_argument("the allocator '{}' does not report its kind of memory", table.name);
  }
  return std::make_shared<TableResource>(table, static_cast<MemoryKind>(kind));
}

StreamAllocator::StreamAllocator(std::shared_ptr<MemoryResource> resource, QueueOfStream queue_of)
    : resource_(std::move(resource)), queue_of_(std::move(queue_of)) {
}

void* StreamAllocator::allocate(size_t bytes, void* stream) {
  const Result<void*> pointer = resource_->allocate_on(bytes, queue_of_(stream));
  return pointer.ok() ? *pointer : nullptr;
}

void StreamAllocator::deallocate(void* pointer, size_t bytes, void* stream) {
  resource_->deallocate_on(pointer, bytes, queue_of_(stream));
}

StreamCallbacks StreamAllocator::callbacks() {
  return {.allocate =
              [](size_t bytes, void* stream, void* argument) {
                return static_cast<StreamAllocator*>(argument)->allocate(bytes, stream);
              },
          .deallocate =
              [](void* pointer, size_t bytes, void* stream, void* argument) {
                static_cast<StreamAllocator*>(argument)->deallocate(pointer, bytes, stream);
              },
          .argument = this};
}

std::shared_ptr<MemoryResource> resource_of(const StreamCallbacks& callbacks, MemoryKind kind,
                                            StreamOfQueue stream_of) {
  return std::make_shared<CallbackResource>(callbacks, kind, std::move(stream_of));
}

}  // namespace forebay::memory
