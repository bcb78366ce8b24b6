#include "forebay/memory/device/simulated_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"

namespace forebay::memory {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<SimulatedDevice> make(SimulatedDeviceOptions options = {}) {
  return *SimulatedDevice::create(options);
}

/// The order in which ten pieces on each of three queues run.
std::string order_of(uint64_t seed) {
  const auto device = make({.seed = seed, .queues = 3});
  std::string order;
  for (int i = 0; i < 10; ++i) {
    for (uint32_t queue = 0; queue < 3; ++queue) {
      EXPECT_TRUE(device
                      ->submit(queue,
                               [&order, queue] {
                                 order += static_cast<char>('a' + queue);
                                 return ok_status();
                               })
                      .ok());
    }
  }
  EXPECT_TRUE(device->synchronize().ok());
  return order;
}

TEST(SimulatedDeviceTest, TheSeedDecidesTheOrder) {
  EXPECT_EQ(order_of(1), order_of(1));
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    orders.insert(order_of(seed));
    EXPECT_EQ(orders.begin()->size(), 30);
  }
  EXPECT_GT(orders.size(), 5);
}

TEST(SimulatedDeviceTest, AQueueKeepsItsOrder) {
  const auto device = make({.seed = 3});
  std::vector<int> ran;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(device
                    ->submit(1,
                             [&ran, i] {
                               ran.push_back(i);
                               return ok_status();
                             })
                    .ok());
  }
  ASSERT_TRUE(wait(*record(device->driver(), 1)).ok());
  std::vector<int> expected(20);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(ran, expected);
}

TEST(SimulatedDeviceTest, NothingRunsBeforeItMust) {
  const auto device = make({.eager = false});
  bool ran = false;
  ASSERT_TRUE(device
                  ->submit(0,
                           [&] {
                             ran = true;
                             return ok_status();
                           })
                  .ok());
  const Fence fence = *record(device->driver(), 0);
  EXPECT_FALSE(*has_passed(fence));
  EXPECT_FALSE(ran);
  EXPECT_EQ(device->pending(), 1);
  ASSERT_TRUE(wait(fence).ok());
  EXPECT_TRUE(ran);
  EXPECT_TRUE(*has_passed(fence));
  EXPECT_TRUE(*has_passed(Fence{})) << "the host's work is done when the call returns";
}

TEST(SimulatedDeviceTest, QueuesWaitForEachOther) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const auto device = make({.seed = seed});
    std::string order;
    ASSERT_TRUE(device
                    ->submit(0,
                             [&] {
                               order += "a";
                               return ok_status();
                             })
                    .ok());
    ASSERT_TRUE(wait_on_queue(device->driver(), 1, *record(device->driver(), 0)).ok());
    ASSERT_TRUE(device
                    ->submit(1,
                             [&] {
                               order += "b";
                               return ok_status();
                             })
                    .ok());
    ASSERT_TRUE(device->synchronize().ok());
    EXPECT_EQ(order, "ab");
  }
}

TEST(SimulatedDeviceTest, CopiesBothWaysAndCountsThem) {
  const auto device = make({.eager = false});
  const BufferRef remote = *Buffer::allocate(1000, device->resource());
  EXPECT_EQ(remote->kind(), MemoryKind::kSimulated);
  std::vector<uint8_t> out(1000);
  std::vector<uint8_t> in(1000);
  std::iota(out.begin(), out.end(), 0);
  const uint64_t before = bytes_copied();
  ASSERT_TRUE(copy_async(device->driver(), 0, remote->data(), out.data(), 1000).ok());
  ASSERT_TRUE(device
                  ->submit(0,
                           [&] {
                             static_cast<uint8_t*>(remote->data())[5] = 77;
                             return ok_status();
                           })
                  .ok());
  const Fence fence = *copy_async(device->driver(), 0, in.data(), remote->data(), 1000);
  EXPECT_EQ(in[1], 0) << "not yet";
  ASSERT_TRUE(wait(fence).ok());
  EXPECT_EQ(in[1], 1);
  EXPECT_EQ(in[5], 77);
  EXPECT_EQ(bytes_copied() - before, 2000);
}

TEST(SimulatedDeviceTest, ErrorsStayWithTheQueue) {
  const auto device = make();
  ASSERT_TRUE(device->submit(0, [] { return internal_error("bad kernel"); }).ok());
  bool ran = false;
  ASSERT_TRUE(device
                  ->submit(0,
                           [&] {
                             ran = true;
                             return ok_status();
                           })
                  .ok());
  ASSERT_TRUE(device->submit(1, []() -> Status { throw 1; }).ok());
  EXPECT_THAT(std::string(message(wait(*record(device->driver(), 0)))), HasSubstr("bad kernel"));
  EXPECT_FALSE(wait(*record(device->driver(), 1)).ok());
  EXPECT_FALSE(ran);
  ASSERT_TRUE(device->reset_queue(0).ok());
  EXPECT_TRUE(wait(*record(device->driver(), 0)).ok());
}

TEST(SimulatedDeviceTest, MemoryIsReusedOnlyAfterItsLastUse) {
  const auto device = make({.memory_bytes = 8192, .eager = false});
  const auto resource = device->resource();
  void* all = *resource->allocate(8192);
  ASSERT_TRUE(device->submit(2, [] { return ok_status(); }).ok());
  resource->deallocate(all, 8192, *record(device->driver(), 2));
  EXPECT_EQ(device->bytes_in_use(), 8192);
  EXPECT_EQ(device->pending(), 1);
  void* again = *resource->allocate(4096);  // runs the queue until there is room
  EXPECT_EQ(device->pending(), 0);
  EXPECT_EQ(resource->allocate(8192).status().code(), StatusCode::kResourceExhausted);
  resource->deallocate(again, 4096, Fence{});
}

TEST(SimulatedDeviceTest, AFenceOfADeviceThatIsGoneIsAnError) {
  auto device = make();
  ASSERT_TRUE(device->submit(0, [] { return ok_status(); }).ok());
  const Fence fence = *record(device->driver(), 0);
  device.reset();
  EXPECT_EQ(wait(fence).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(has_passed(fence).status().code(), StatusCode::kFailedPrecondition);
}

TEST(SimulatedDeviceTest, AHeldQueueStandsStillAndTheOthersDoNot) {
  const auto device = make({.eager = false});
  int done = 0;
  ASSERT_TRUE(device->submit(0, [&] { return ++done, ok_status(); }).ok());
  ASSERT_TRUE(device->hold(0).ok());
  const Fence held = *record(device->driver(), 0);
  ASSERT_TRUE(device->submit(1, [&] { return ++done, ok_status(); }).ok());
  EXPECT_EQ(wait(*record(device->driver(), 1)), ok_status());
  EXPECT_EQ(done, 1);
  EXPECT_FALSE(device->step());
  EXPECT_FALSE(wait(held).ok()) << "never a hang";
  ASSERT_TRUE(device->resume(0).ok());
  EXPECT_EQ(wait(held), ok_status());
  EXPECT_EQ(done, 2);
}

TEST(SimulatedDeviceTest, WrongQueuesAndOptionsAreRefused) {
  EXPECT_FALSE(SimulatedDevice::create({.queues = 0}).ok());
  const auto device = make({.queues = 2});
  EXPECT_EQ(device->submit(2, [] { return ok_status(); }).code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(record(device->driver(), 9).ok());
  EXPECT_EQ(device->wait(0, 100).code(), StatusCode::kInvalidArgument) << "never a hang";
  DeviceDriver old{};
  EXPECT_EQ(register_driver(old).status().code(), StatusCode::kInvalidArgument);
}

TEST(SimulatedDeviceDeathTest, AHostAccessFaults) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto device = make();
  const BufferRef remote = *Buffer::allocate(100, device->resource());
  EXPECT_DEATH(*static_cast<volatile char*>(remote->data()) = 1, "");
  EXPECT_DEATH((void)*static_cast<volatile char*>(remote->data()), "");
}

}  // namespace
}  // namespace forebay::memory
