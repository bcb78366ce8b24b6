#include "forebay/memory/buffer.h"

#include <gtest/gtest.h>

#include "forebay/memory/adaptors/tracking_resource.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/last_use.h"

namespace forebay::memory {
namespace {

TEST(BufferTest, GivesItsMemoryBack) {
  const auto resource = std::make_shared<TrackingResource>(host_resource());
  BufferRef buffer = *Buffer::allocate(1000, resource);
  BufferRef other = buffer;
  buffer.reset();
  EXPECT_EQ(resource->outstanding().size(), 1);
  EXPECT_EQ(other->bytes().size(), 1000);
  other.reset();
  EXPECT_TRUE(resource->outstanding().empty());
  EXPECT_TRUE(resource->faults().empty());
}

TEST(BufferTest, ForeignMemoryIsReleasedOnce) {
  int released = 0;
  char memory[8];
  BufferRef buffer = Buffer::wrap(memory, sizeof memory, MemoryKind::kHost, [&] { ++released; });
  EXPECT_EQ(buffer->data(), memory);
  buffer.reset();
  EXPECT_EQ(released, 1);
}

TEST(BufferTest, TheReservationLivesAsLongAsTheBuffer) {
  const auto budget = Budget::create(1000);
  BufferRef buffer = *Buffer::allocate(600);
  buffer->attach(*budget->try_reserve(600));
  buffer->reservation().hand_to_user();
  EXPECT_EQ(budget->working_bytes(), 0);
  EXPECT_EQ(budget->held_bytes(), 600);
  buffer.reset();
  EXPECT_EQ(budget->held_bytes(), 0);
}

TEST(BufferTest, KeepsOneFenceAQueueAndForgetsReadersAtAWrite) {
  const BufferRef buffer = *Buffer::allocate(10);
  buffer->add_reader({.driver = 63, .queue = 1, .sequence = 5});
  buffer->add_reader({.driver = 63, .queue = 1, .sequence = 3});
  buffer->add_reader({.driver = 63, .queue = 2, .sequence = 1});
  buffer->add_reader(Fence{});
  ASSERT_EQ(buffer->readers().size(), 2);
  EXPECT_EQ(buffer->readers()[0].sequence, 5);
  buffer->set_last_write({.driver = 63, .queue = 1, .sequence = 6});
  EXPECT_TRUE(buffer->readers().empty());
  EXPECT_EQ(buffer->last_write().sequence, 6);
}

TEST(BufferTest, WaitsForItsWriterAndReadersOnAllQueues) {
  const auto device = *SimulatedDevice::create({.queues = 3, .memory_bytes = 4096, .eager = false});
  BufferRef buffer = *Buffer::allocate(10, host_resource());
  int uses = 0;
  const auto use = [&](uint32_t queue) {
    EXPECT_TRUE(device->submit(queue, [&] { return ++uses, ok_status(); }).ok());
    return *device->record(queue);
  };
  buffer->set_last_write(use(0));
  buffer->add_reader(use(1));
  buffer->add_reader(use(2));
  buffer.reset();
  EXPECT_EQ(uses, 3);
}

TEST(BufferTest, ForeignMemoryIsReleasedWhenItsUsesAreOver) {
  const auto device = *SimulatedDevice::create({.queues = 2, .memory_bytes = 4096, .eager = false});
  char memory[8];
  int uses = 0;
  std::vector<int> uses_before_release;
  const auto wrap = [&] {
    return Buffer::wrap(memory, sizeof memory, MemoryKind::kHost,
                        [&] { uses_before_release.push_back(uses); });
  };
  const auto use = [&](uint32_t queue) {
    EXPECT_TRUE(device->submit(queue, [&] { return ++uses, ok_status(); }).ok());
    return *device->record(queue);
  };
  BufferRef buffer = wrap();
  buffer->set_last_write(use(0));
  buffer->add_reader(use(1));
  buffer.reset();
  EXPECT_EQ(uses_before_release, (std::vector<int>{2}));

  buffer = wrap();
  buffer->set_last_write(use(0));
  device->fail_calls(DriverCall::kWait, unavailable("no answer"));
  device->fail_calls(DriverCall::kQuery, unavailable("no answer"));
  buffer.reset();
  EXPECT_EQ(uses_before_release.size(), 1u) << "nobody knows whether it is still used";
  device->fail_calls(DriverCall::kWait, ok_status());
  device->fail_calls(DriverCall::kQuery, ok_status());
  EXPECT_TRUE(device->synchronize().ok());
  EXPECT_EQ(give_back_kept(), 0u);
  EXPECT_EQ(uses_before_release, (std::vector<int>{2, 3}));
}

TEST(CopyTest, Counts) {
  const uint64_t before = bytes_copied();
  const char source[] = "abc";
  char destination[4];
  copy(destination, source, 4);
  copy(destination, nullptr, 0);
  EXPECT_STREQ(destination, "abc");
  EXPECT_EQ(bytes_copied() - before, 4);
  EXPECT_TRUE(copy_async(0, 0, destination, "xyz", 4)->is_trivial());
  EXPECT_STREQ(destination, "xyz");
  EXPECT_EQ(bytes_copied() - before, 8);
}

}  // namespace
}  // namespace forebay::memory
