// Checks memory/adaptors/cccl_resource.h against CCCL's own concepts and references, if a build has them:
// those of CCCL 3.0 and, in a separate program, those of a later version (CMakeLists.txt).
#include "forebay/memory/adaptors/cccl_resource.h"

#include <gtest/gtest.h>

#include "forebay/memory/device/simulated_device.h"

#if __has_include(<cuda/memory_resource>)
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE  // required by CCCL 3.0
#include <cuda/memory_resource>
#include <cuda/stream_ref>

namespace forebay::cuda {
namespace {

using memory::Queue;

struct QueueOfStream {
  uint32_t driver = 0;

  Queue operator()(::cuda::stream_ref stream) const {
    return {driver, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(stream.get()))};
  }
};

using DeviceResource = memory::CcclResource<::cuda::stream_ref, QueueOfStream, ::cuda::mr::device_accessible>;

#if CCCL_VERSION < 3'001'000
constexpr const char* kAbi = "3.0";
using Reference = ::cuda::mr::async_resource_ref<::cuda::mr::device_accessible>;
static_assert(::cuda::mr::async_resource_with<DeviceResource, ::cuda::mr::device_accessible>);
static_assert(!::cuda::mr::async_resource_with<DeviceResource, ::cuda::mr::host_accessible>);

void* take(Reference resource, ::cuda::stream_ref stream, size_t bytes) {
  return resource.allocate_async(bytes, memory::kAlignment, stream);
}

void give(Reference resource, ::cuda::stream_ref stream, void* pointer, size_t bytes) {
  resource.deallocate_async(pointer, bytes, memory::kAlignment, stream);
}
#else
constexpr const char* kAbi = "after 3.0";
using Reference = ::cuda::mr::resource_ref<::cuda::mr::device_accessible>;
static_assert(::cuda::mr::resource_with<DeviceResource, ::cuda::mr::device_accessible>);
static_assert(!::cuda::mr::resource_with<DeviceResource, ::cuda::mr::host_accessible>);

void* take(Reference resource, ::cuda::stream_ref stream, size_t bytes) {
  return resource.allocate(stream, bytes, memory::kAlignment);
}

void give(Reference resource, ::cuda::stream_ref stream, void* pointer, size_t bytes) {
  resource.deallocate(stream, pointer, bytes, memory::kAlignment);
}
#endif

TEST(CcclHeader, TakesTheResourceOnItsStreams) {
  RecordProperty("cccl", kAbi);
  const auto device = *memory::SimulatedDevice::create({.eager = false});
  DeviceResource resource(device->resource(), {device->driver()});
  const Reference reference(resource);
  const ::cuda::stream_ref stream(reinterpret_cast<cudaStream_t>(uintptr_t{1}));
  void* const block = take(reference, stream, 1000);
  ASSERT_NE(block, nullptr);
  ASSERT_TRUE(device->submit(1, [] { return ok_status(); }).ok());
  give(reference, stream, block, 1000);
  EXPECT_TRUE(device->synchronize().ok());
}

}  // namespace
}  // namespace forebay::cuda

#else

TEST(CcclHeader, TakesTheResourceOnItsStreams) {
  GTEST_SKIP() << "this build has no headers of CCCL: make cuda has";
}

#endif
