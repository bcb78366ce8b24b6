#include "forebay/cuda/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "forebay/cuda/check/device_check.h"
#include "forebay/cuda/memory/resources.h"
#include "forebay/cuda/testing/gpu.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"

namespace forebay::cuda {
namespace {

using memory::Buffer;
using memory::BufferRef;
using ::testing::HasSubstr;

constexpr size_t kTestBytes = size_t{8} << 20;

class CudaDevice : public GpuTest {};

TEST_F(CudaDevice, SaysWhatItIs) {
  EXPECT_FALSE(device_->facts().name.empty());
  EXPECT_GT(device_->facts().memory_bytes, size_t{1} << 28);
  EXPECT_GE(device_->facts().capability_major, 5);
  EXPECT_GE(device_->queues(), kQueues);
  EXPECT_GT(*device_->free_bytes(), 0);
  EXPECT_GE(*driver_version(), kOldestDriver);
}

TEST_F(CudaDevice, PassesItsCheck) {
  need_pattern();
  if (pattern_ != nullptr) {
    EXPECT_EQ(check_device(0), ok_status());
  }
}

TEST_F(CudaDevice, PointsPassInTheirOrder) {
  HeldQueue held(*device_, 0);
  const Fence first = *memory::record(device_->driver(), 0);
  const Fence second = *memory::record(device_->driver(), 0);
  EXPECT_LT(first.sequence, second.sequence);
  EXPECT_FALSE(*memory::has_passed(first));
  held.resume();
  EXPECT_EQ(memory::wait(second), ok_status());
  EXPECT_TRUE(*memory::has_passed(first));
  EXPECT_EQ(memory::wait(first), ok_status());
}

TEST_F(CudaDevice, AQueueWaitsForAnotherWithoutTheHost) {
  HeldQueue held(*device_, 0);
  const Fence first = *memory::record(device_->driver(), 0);
  EXPECT_EQ(memory::wait_on_queue(device_->driver(), 1, first), ok_status());
  const Fence behind = *memory::record(device_->driver(), 1);
  const Fence beside = *memory::record(device_->driver(), 2);
  EXPECT_EQ(memory::wait(beside), ok_status());
  EXPECT_FALSE(*memory::has_passed(behind));
  held.resume();
  EXPECT_EQ(memory::wait(behind), ok_status());
  EXPECT_TRUE(*memory::has_passed(first));
}

TEST_F(CudaDevice, NamesAQueueOrPointThatIsNotThere) {
  EXPECT_THAT(std::string(message(memory::record(device_->driver(), Device::kMaxQueues).status())),
              HasSubstr("no such queue"));
  const Fence future{.driver = device_->driver(), .queue = 0, .sequence = uint64_t{1} << 60};
  EXPECT_THAT(std::string(message(memory::wait(future))), HasSubstr("never given that point"));
  EXPECT_EQ(device_->stream_of(Device::kMaxQueues).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Device::create({.number = 1 << 20}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(CudaDevice, EventsAreUsedAgainThoughNobodyAsks) {
  for (int i = 0; i < 100; ++i) {
    Fence last;
    for (int j = 0; j < 100; ++j) {
      last = *memory::record(device_->driver(), 3);
    }
    EXPECT_EQ(memory::wait(last), ok_status());
  }
  EXPECT_LT(device_->events_made(), 300);
}

TEST_F(CudaDevice, AnAdoptedStreamIsAQueue) {
  const uint32_t legacy = *device_->adopt(nullptr);
  EXPECT_EQ(*device_->adopt(*device_->stream_of(legacy)), legacy);
  EXPECT_EQ(*device_->adopt(*device_->stream_of(1)), 1);
  EXPECT_EQ(memory::wait(*memory::record(device_->driver(), legacy)), ok_status());
  const auto per_thread = reinterpret_cast<StreamHandle>(uintptr_t{2});
  EXPECT_EQ(device_->adopt(per_thread).status().code(), StatusCode::kUnimplemented);
}

TEST_F(CudaDevice, CopiesThereAndBackAreCounted) {
  const BufferRef source = *Buffer::allocate(kTestBytes, pinned_resource(device_));
  const BufferRef there = *Buffer::allocate(kTestBytes, device_resource(device_));
  const BufferRef back = *Buffer::allocate(kTestBytes, pinned_resource(device_));
  for (size_t i = 0; i < kTestBytes; ++i) {
    source->mutable_bytes()[i] = static_cast<std::byte>(i * 7);
  }
  const uint64_t before = memory::bytes_copied();
  const Fence copied = *memory::copy_async(device_->driver(), 0, there->data(), source->data(), kTestBytes);
  EXPECT_EQ(memory::wait_on_queue(device_->driver(), 1, copied), ok_status());
  const Fence done = *memory::copy_async(device_->driver(), 1, back->data(), there->data(), kTestBytes);
  EXPECT_EQ(memory::wait(done), ok_status());
  EXPECT_EQ(std::memcmp(source->data(), back->data(), kTestBytes), 0);
  EXPECT_EQ(memory::bytes_copied() - before, 2 * kTestBytes);
}

TEST_F(CudaDevice, APinnedCopyRunsBesideTheHostAndOtherQueues) {
  const BufferRef pinned = *Buffer::allocate(kTestBytes, pinned_resource(device_));
  const BufferRef first = *Buffer::allocate(kTestBytes, device_resource(device_));
  const BufferRef second = *Buffer::allocate(kTestBytes, device_resource(device_));
  HeldQueue held(*device_, 0);
  const Fence waiting = *memory::copy_async(device_->driver(), 0, first->data(), pinned->data(), kTestBytes);
  EXPECT_FALSE(*memory::has_passed(waiting)) << "the call came back before the copy began";
  const Fence beside = *memory::copy_async(device_->driver(), 1, second->data(), pinned->data(), kTestBytes);
  EXPECT_EQ(memory::wait(beside), ok_status());
  EXPECT_FALSE(*memory::has_passed(waiting));
  held.resume();
  EXPECT_EQ(memory::wait(waiting), ok_status());
}

}  // namespace
}  // namespace forebay::cuda
