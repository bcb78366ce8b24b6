// Forebay's memory in the forms that other libraries ask for, and their memory under Forebay's buffers. Each
// function shows one form from both sides, and checks that a block came from where it should.
//
//   forebay_example_borders
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <memory_resource>

#include "forebay/memory/adaptors/adaptors.h"
#include "forebay/memory/adaptors/cccl_resource.h"
#include "forebay/memory/adaptors/external_allocator.h"
#include "forebay/memory/adaptors/standard_allocators.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/pool/pool.h"

namespace memory = forebay::memory;
using forebay::Result;
using forebay::Status;

constexpr size_t kBytes = 10'000;

using Counted = std::shared_ptr<memory::StatisticsResource>;

Status check(bool is_right, const char* what) {
  return is_right ? forebay::ok_status() : forebay::internal_error("not so: {}", what);
}

// A buffer over another library's memory, and the memory back with that library.
Status use_buffer(const std::shared_ptr<memory::MemoryResource>& resource, const Counted& library) {
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer, memory::Buffer::allocate(kBytes, resource));
  FOREBAY_RETURN_IF_ERROR(
      check(library->statistics().bytes >= int64_t{kBytes}, "the library gave the memory"));
  buffer.reset();
  return check(library->statistics().bytes == 0, "the library has it back");
}

// A C table: for libraries that share no compiler with us.
Status share_c_table(const Counted& library) {
  const memory::ExternalAllocator external(library);
  FOREBAY_ASSIGN_OR_RETURN(const auto resource, memory::resource_of(external.table()));
  return use_buffer(resource, library);
}

// A size and a stream in, a pointer out: what PyTorch's pluggable allocator and RMM's callback resource call.
// The streams are queues of a device, here a simulated one.
Status share_stream_callbacks() {
  FOREBAY_ASSIGN_OR_RETURN(const auto device, memory::SimulatedDevice::create({}));
  FOREBAY_ASSIGN_OR_RETURN(const auto pool, memory::Pool::create({.upstream = device->resource(),
                                                                  .maximum_bytes = size_t{1} << 20}));
  const auto counted = std::make_shared<memory::StatisticsResource>(pool);
  memory::StreamAllocator allocator(counted, [&](void* stream) {
    return memory::Queue{device->driver(), static_cast<uint32_t>(reinterpret_cast<uintptr_t>(stream))};
  });
  const memory::StreamCallbacks callbacks = allocator.callbacks();

  void* const stream = reinterpret_cast<void*>(uintptr_t{2});
  void* const block = callbacks.allocate(kBytes, stream, callbacks.argument);
  callbacks.deallocate(block, kBytes, stream, callbacks.argument);
  void* const again = callbacks.allocate(kBytes, stream, callbacks.argument);
  callbacks.deallocate(again, kBytes, stream, callbacks.argument);
  FOREBAY_RETURN_IF_ERROR(check(block != nullptr && again == block, "a stream gets its own block back"));
  FOREBAY_RETURN_IF_ERROR(check(pool->statistics().events == 0, "no event was recorded for that"));

  return use_buffer(memory::resource_of(
                        callbacks, memory::MemoryKind::kSimulated,
                        [](memory::Queue queue) { return reinterpret_cast<void*>(uintptr_t{queue.queue}); }),
                    counted);
}

// std::pmr: a resource of the standard library under our buffers. (cpp_memory.cc has the other direction.)
Status use_standard_resource(const Counted& library) {
  memory::PmrResource upstream(library);
  std::pmr::synchronized_pool_resource standard(&upstream);
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer,
                           memory::Buffer::allocate(kBytes, memory::resource_of(standard)));
  FOREBAY_RETURN_IF_ERROR(
      check(library->statistics().bytes >= int64_t{kBytes}, "its memory comes from ours"));
  buffer.reset();
  standard.release();
  return check(library->statistics().bytes == 0, "and goes back");
}

// Arrow's buffers grow by `reallocate`. A value of this type may be passed as nanoarrow's
// ArrowBufferAllocator.
Status share_arrow_allocator(const Counted& library) {
  memory::ArrowAllocator arrow = memory::arrow_allocator_of(*library);
  uint8_t* block = arrow.reallocate(&arrow, nullptr, 0, 3);
  FOREBAY_RETURN_IF_ERROR(check(block != nullptr, "there is memory"));
  block[2] = 'c';
  uint8_t* const larger = arrow.reallocate(&arrow, block, 3, kBytes);
  FOREBAY_RETURN_IF_ERROR(
      check(larger != nullptr && larger[2] == 'c', "a larger block has the same content"));
  arrow.free(&arrow, larger, kBytes);
  return use_buffer(memory::resource_of(arrow), library);
}

// Stand for cuda::stream_ref and cuda::mr::host_accessible. With CCCL's headers, write those instead.
struct Stream {
  uint32_t number = 0;
};
struct HostAccessible {};

struct QueueOf {
  memory::Queue operator()(Stream) const { return {}; }
};

// CCCL's memory resources are values with these functions; RMM's containers take any of them.
Status share_cccl_resource(const Counted& library) {
  using Resource = memory::CcclResource<Stream, QueueOf, HostAccessible>;
  Resource resource(library);
  Resource copy = resource;  // shares the memory
  void* const block = resource.allocate(Stream{}, kBytes);
  copy.deallocate(Stream{}, block, kBytes);
  return check(copy == resource && library->statistics().bytes == 0, "a copy frees what the other allocated");
}

Status run() {
  const auto library = std::make_shared<memory::StatisticsResource>(memory::host_pool());
  const std::pair<const char*, std::function<Status()>> borders[] = {
      {"a C table", [&] { return share_c_table(library); }},
      {"callbacks with a stream", [] { return share_stream_callbacks(); }},
      {"std::pmr", [&] { return use_standard_resource(library); }},
      {"Arrow", [&] { return share_arrow_allocator(library); }},
      {"CCCL", [&] { return share_cccl_resource(library); }}};
  for (const auto& [name, border] : borders) {
    FOREBAY_RETURN_IF_ERROR(forebay::annotate(border(), name));
    std::cout << "memory through " << name << "\n";
  }
  return forebay::ok_status();
}

int main() {
  const Status status = run();
  if (!status.ok()) {
    std::cerr << forebay::message(status) << "\n";
    return 1;
  }
  return 0;
}
