#include "forebay/memory/adaptors/external_allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/memory/adaptors/adaptors.h"
#include "forebay/memory/adaptors/cccl_resource.h"
#include "forebay/memory/adaptors/standard_allocators.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/pool/pool.h"
#include "forebay/memory/testing/memory_resource_conformance.h"

namespace forebay::memory {
namespace {

using ::testing::HasSubstr;

/// A resource converted to one form and back again.
template <class Form>
class ThereAndBack final : public Adaptor {
 public:
  explicit ThereAndBack(std::shared_ptr<Form> form, std::shared_ptr<MemoryResource> back)
      : Adaptor(std::move(back)), form_(std::move(form)) {}
  std::string_view name() const override { return "there and back"; }

 private:
  Result<void*> take(size_t bytes, const Queue* queue) override { return take_upstream(bytes, queue); }
  void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept override {
    give_upstream(pointer, bytes, last_use);
  }
  const std::shared_ptr<Form> form_;
};

template <class Form>
std::shared_ptr<MemoryResource> keep(std::shared_ptr<Form> form, std::shared_ptr<MemoryResource> back) {
  return std::make_shared<ThereAndBack<Form>>(std::move(form), std::move(back));
}

TEST(ExternalAllocator, ConformsThereAndBack) {
  check_conformance({.make =
                         [] {
                           const auto form = std::make_shared<ExternalAllocator>(host_pool());
                           return keep(form, *resource_of(form->table()));
                         },
                     .waits = true});
}

TEST(StreamAllocator, ConformsThereAndBack) {
  check_conformance({.make =
                         [] {
                           const auto form =
                               std::make_shared<StreamAllocator>(host_pool(), [](void*) { return Queue{}; });
                           return keep(form, resource_of(form->callbacks(), MemoryKind::kHost,
                                                         [](Queue) -> void* { return nullptr; }));
                         },
                     .knows_fences = false});
}

TEST(PmrResource, ConformsThereAndBack) {
  check_conformance({.make =
                         [] {
                           const auto form = std::make_shared<PmrResource>(host_pool());
                           return keep(form, resource_of(*form));
                         },
                     .waits = true});
}

TEST(ArrowAllocator, ConformsThereAndBack) {
  check_conformance({.make = [] { return resource_of(arrow_allocator_of(*host_pool())); }, .waits = true});
}

TEST(ExternalAllocator, PassesQueuesAndFacts) {
  const auto device = *SimulatedDevice::create({.eager = false});
  const auto pool = *Pool::create({.upstream = device->resource(), .maximum_bytes = 1 << 20});
  const ExternalAllocator external(pool);
  const ForebayAllocator& table = external.table();
  uint64_t value = 0;
  EXPECT_EQ(table.query(table.context, kForebayAllocatorMemoryKind, &value), 0);
  EXPECT_EQ(value, static_cast<uint64_t>(MemoryKind::kSimulated));
  EXPECT_LT(table.query(table.context, 99, &value), 0);
  void* block = nullptr;
  ASSERT_EQ(table.allocate(table.context, 1000, 64, device->driver(), 2, &block), 0);
  EXPECT_TRUE(device->submit(2, [] { return ok_status(); }).ok());
  table.deallocate(table.context, block, 1000, 64, device->driver(), 2);
  void* again = nullptr;
  ASSERT_EQ(table.allocate(table.context, 1000, 64, device->driver(), 2, &again), 0);
  EXPECT_EQ(again, block);
  EXPECT_EQ(pool->statistics().events, 0);
  table.deallocate(table.context, again, 1000, 64, device->driver(), 2);
  EXPECT_LT(table.allocate(table.context, 1000, 4096, 0, 0, &again), 0);
  EXPECT_THAT(table.error_text(table.context, -1), HasSubstr("alignment of 4096"));
  EXPECT_EQ((*resource_of(table))->kind(), MemoryKind::kSimulated);
}

TEST(ExternalAllocator, RefusesTablesThatAreNotWhole) {
  const ExternalAllocator external(host_resource());
  ForebayAllocator table = external.table();
  table.version = 7;
  EXPECT_EQ(resource_of(table).status().code(), StatusCode::kInvalidArgument);
  table = external.table();
  table.query = nullptr;
  EXPECT_EQ(resource_of(table).status().code(), StatusCode::kInvalidArgument);
}

TEST(StreamAllocator, GivesNullWhenThereIsNoMemory) {
  StreamAllocator form(std::make_shared<LimitResource>(host_resource(), Budget::create(100)),
                       [](void*) { return Queue{}; });
  EXPECT_EQ(form.allocate(101, nullptr), nullptr);
  void* const block = form.allocate(100, nullptr);
  EXPECT_NE(block, nullptr);
  form.deallocate(block, 100, nullptr);
}

TEST(PmrResource, ServesContainers) {
  const auto counted = std::make_shared<StatisticsResource>(host_resource());
  PmrResource resource(counted);
  {
    std::pmr::vector<int> numbers(1000, &resource);
    EXPECT_EQ(counted->statistics().bytes, 4000);
  }
  EXPECT_EQ(counted->statistics().bytes, 0);
  EXPECT_THROW((void)resource.allocate(10, 128), std::bad_alloc);
  EXPECT_TRUE(resource.is_equal(PmrResource(counted)));
  EXPECT_FALSE(resource.is_equal(PmrResource(host_resource())));
}

TEST(ArrowAllocator, GrowsABlock) {
  const auto counted = std::make_shared<StatisticsResource>(host_resource());
  ArrowAllocator arrow = arrow_allocator_of(*counted);
  uint8_t* block = arrow.reallocate(&arrow, nullptr, 0, 3);
  std::copy_n("abc", 3, block);
  block = arrow.reallocate(&arrow, block, 3, 5000);
  EXPECT_EQ(std::string(block, block + 3), "abc");
  EXPECT_EQ(arrow.reallocate(&arrow, block, 5000, -1), nullptr);
  EXPECT_EQ(counted->statistics().bytes, 5000);
  arrow.free(&arrow, block, 5000);
  EXPECT_EQ(counted->statistics().bytes, 0);
}

// The shapes of CCCL's concepts, restated from its documentation.
struct FakeStream {
  uint32_t number;
};
struct FakeDeviceAccessible {};
struct FakeHostAccessible {};
struct QueueOfFake {
  uint32_t driver = 0;
  Queue operator()(FakeStream stream) const { return {driver, stream.number}; }
};
using FakeCcclResource = CcclResource<FakeStream, QueueOfFake, FakeDeviceAccessible>;

template <class R, class Stream>
concept IsResource = std::copyable<R> && std::equality_comparable<R> &&
                     requires(R resource, Stream stream, void* pointer, size_t size) {
                       { resource.allocate(stream, size, size) } -> std::same_as<void*>;
                       { resource.deallocate(stream, pointer, size, size) } noexcept -> std::same_as<void>;
                       { resource.allocate_sync(size, size) } -> std::same_as<void*>;
                       { resource.deallocate_sync(pointer, size, size) } noexcept -> std::same_as<void>;
                     };
template <class R, class Stream>
concept IsAsyncResourceOf30 =
    std::equality_comparable<R> && requires(R resource, Stream stream, void* pointer, size_t size) {
      { resource.allocate(size, size) } -> std::same_as<void*>;
      { resource.deallocate(pointer, size, size) } -> std::same_as<void>;
      { resource.allocate_async(size, size, stream) } -> std::same_as<void*>;
      { resource.deallocate_async(pointer, size, size, stream) } -> std::same_as<void>;
    };
template <class R, class Property>
concept Has = requires(const R& resource, Property property) { get_property(resource, property); };

static_assert(IsResource<FakeCcclResource, FakeStream>);
static_assert(IsAsyncResourceOf30<FakeCcclResource, FakeStream>);
static_assert(Has<FakeCcclResource, FakeDeviceAccessible>);
static_assert(!Has<FakeCcclResource, FakeHostAccessible>);

TEST(CcclResource, PassesStreams) {
  const auto device = *SimulatedDevice::create({.eager = false});
  const auto pool = *Pool::create({.upstream = device->resource(), .maximum_bytes = 1 << 20});
  FakeCcclResource resource(pool, {device->driver()});
  void* const block = resource.allocate(FakeStream{1}, 1000, 64);
  EXPECT_TRUE(device->submit(1, [] { return ok_status(); }).ok());
  resource.deallocate(FakeStream{1}, block, 1000, 64);
  EXPECT_EQ(resource.allocate_async(1000, 64, FakeStream{1}), block);
  resource.deallocate_async(block, 1000, 64, FakeStream{1});
  EXPECT_EQ(pool->statistics().events, 0);
  EXPECT_THROW((void)resource.allocate(FakeStream{1}, 1000, 512), std::bad_alloc);
  EXPECT_THROW((void)resource.allocate_sync(2 << 20, 64), std::bad_alloc);
  EXPECT_TRUE(resource == FakeCcclResource(resource));
}

}  // namespace
}  // namespace forebay::memory
