// Both sides' slabs in one process: who may use which, and what the kernel refuses.
#include "forebay/serving/processes/worker_slabs.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "forebay/serving/processes/own_slabs.h"
#include "forebay/serving/processes/process_test_base.h"

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kSlabPageBytes = 4096;

FileDescriptor descriptor_of(const SharedSlab& slab) {
  return FileDescriptor(::fcntl(slab.file(), F_DUPFD_CLOEXEC, 0));
}

TEST(SharedSlab, OnlyItsMakerWritesAndNobodyShrinksIt) {
  const SharedSlab slab = SharedSlab::create(100).value();
  EXPECT_EQ(slab.size_bytes(), kSlabPageBytes);
  EXPECT_NE(::ftruncate(slab.file(), 0), 0);
  EXPECT_NE(::ftruncate(slab.file(), 2 * kSlabPageBytes), 0);
  EXPECT_EQ(::mmap(nullptr, kSlabPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, slab.file(), 0), MAP_FAILED);
  const SharedSlab other = SharedSlab::open(descriptor_of(slab), kSlabPageBytes).value();
  slab.mutable_bytes()[7] = std::byte{9};
  EXPECT_EQ(other.bytes()[7], std::byte{9});
}

TEST(SharedSlab, WhatIsNoSlabIsRefused) {
  const SharedSlab slab = SharedSlab::create(100).value();
  EXPECT_TRUE(absl::IsInvalidArgument(SharedSlab::open(descriptor_of(slab), 2 * kSlabPageBytes).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(SharedSlab::open(descriptor_of(slab), 0).status()));
  FileDescriptor unsealed(::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_TRUE(absl::IsInvalidArgument(SharedSlab::open(std::move(unsealed), kSlabPageBytes).status()));
  FileDescriptor file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(absl::IsInvalidArgument(SharedSlab::open(std::move(file), kSlabPageBytes).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(SharedSlab::open(FileDescriptor(), kSlabPageBytes).status()));
}

TEST(WorkerSlabs, ASlabIsTheWorkersAgainOnceNobodyHoldsIt) {
  const SharedSlab slab = SharedSlab::create(1).value();
  const auto slabs = std::make_shared<WorkerSlabs>(10 * kSlabPageBytes);
  ASSERT_TRUE(slabs->add(1, descriptor_of(slab), kSlabPageBytes).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(slabs->add(1, descriptor_of(slab), kSlabPageBytes)));
  EXPECT_TRUE(absl::IsInvalidArgument(slabs->add(0, descriptor_of(slab), kSlabPageBytes)));
  memory::BufferRef held = slabs->use(1).value();
  EXPECT_TRUE(held->is_read_only());
  EXPECT_TRUE(absl::IsInvalidArgument(slabs->use(1).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(slabs->drop({1})));
  EXPECT_THAT(slabs->take_freed(), IsEmpty());
  held.reset();
  EXPECT_THAT(slabs->take_freed(), ElementsAre(1));
  EXPECT_TRUE(slabs->drop({1}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(slabs->use(1).status()));
}

TEST(WorkerSlabs, BeyondTheLimitASlabIsKnownButOfNoUse) {
  const SharedSlab slab = SharedSlab::create(1).value();
  const auto slabs = std::make_shared<WorkerSlabs>(kSlabPageBytes);
  ASSERT_TRUE(slabs->add(1, descriptor_of(slab), kSlabPageBytes).ok());
  const memory::BufferRef held = slabs->use(1).value();
  EXPECT_TRUE(slabs->is_scarce());
  EXPECT_TRUE(absl::IsResourceExhausted(slabs->add(2, descriptor_of(slab), kSlabPageBytes)));
  EXPECT_THAT(slabs->take_freed(), ElementsAre(2));
  EXPECT_TRUE(absl::IsResourceExhausted(slabs->use(2).status()));
  EXPECT_TRUE(slabs->drop({2}).ok());
}

TEST(WorkerSlabs, ManySmallSlabsAreScarceAndTooManyAreRefused) {
  const SharedSlab slab = SharedSlab::create(1).value();
  const auto slabs = std::make_shared<WorkerSlabs>(uint64_t{1} << 40);
  std::vector<memory::BufferRef> held;
  constexpr uint64_t kMany = 64;
  constexpr uint64_t kMost = 1024;
  for (uint64_t number = 1; number <= kMost; ++number) {
    ASSERT_TRUE(slabs->add(number, descriptor_of(slab), kSlabPageBytes).ok());
    held.push_back(slabs->use(number).value());
    EXPECT_EQ(slabs->is_scarce(), number > kMany);
  }
  EXPECT_TRUE(absl::IsResourceExhausted(slabs->add(kMost + 1, descriptor_of(slab), kSlabPageBytes)));
  EXPECT_THAT(slabs->take_freed(), ElementsAre(kMost + 1));
  EXPECT_TRUE(slabs->drop({kMost + 1}).ok());
  held.clear();
  EXPECT_FALSE(slabs->is_scarce());
}

TEST(OwnSlabs, BeyondTheLimitNothingIsMadeAndWhatIsTakenBackIsFree) {
  OwnSlabs slabs(2 * kSlabPageBytes);
  AnswerMessage first;
  const std::vector<NamedTensor> small = {
      tensor_holding("a", Datatype::kUint8, {3}, std::vector<uint8_t>(3))};
  const std::vector<NamedTensor> large = {
      tensor_holding("a", Datatype::kUint8, {9000}, std::vector<uint8_t>(9000))};
  ASSERT_TRUE(slabs.place(small, &first).ok());
  slabs.free({1});
  AnswerMessage refused;
  EXPECT_TRUE(absl::IsResourceExhausted(slabs.place(large, &refused).status()));
  EXPECT_THAT(refused.dropped, ElementsAre(1));
  EXPECT_EQ(refused.slab, 0);
  AnswerMessage made;
  ASSERT_TRUE(slabs.place(small, &made).ok());
  slabs.take_back(&made);
  EXPECT_EQ(made.slab_bytes, 0);
  EXPECT_THAT(made.outputs, IsEmpty());
  AnswerMessage sent;
  ASSERT_TRUE(slabs.place(small, &sent).ok());
  EXPECT_EQ(sent.slab, 3);  // 2 is gone
  EXPECT_EQ(sent.slab_bytes, kSlabPageBytes);
  slabs.free({3});
  AnswerMessage used;
  ASSERT_TRUE(slabs.place(small, &used).ok());
  slabs.take_back(&used);
  AnswerMessage again;
  ASSERT_TRUE(slabs.place(small, &again).ok());
  EXPECT_EQ(again.slab, 3);
}

TEST(OwnSlabs, FreeOnesAreUsedAgainAndSmallOnesGivenUp) {
  OwnSlabs slabs(100 * kSlabPageBytes);
  const auto place = [&slabs](size_t count) {
    AnswerMessage answer;
    EXPECT_TRUE(slabs
                    .place({tensor_holding("a", Datatype::kUint8, {3}, std::vector<uint8_t>(3)),
                            tensor_holding("b", Datatype::kUint8, {static_cast<int64_t>(count)},
                                           std::vector<uint8_t>(count))},
                           &answer)
                    .ok());
    return answer;
  };
  const AnswerMessage first = place(10);
  EXPECT_EQ(first.slab, 1);
  EXPECT_EQ(first.slab_bytes, kSlabPageBytes);
  EXPECT_EQ(first.outputs[1].offset_bytes, kSlabAlignment);
  EXPECT_EQ(place(10).slab, 2);
  slabs.free({1, 77});
  const AnswerMessage again = place(100);
  EXPECT_EQ(again.slab, 1);
  EXPECT_EQ(again.slab_bytes, 0);
  slabs.free({1, 2});
  const AnswerMessage large = place(kSlabPageBytes);
  EXPECT_EQ(large.slab, 3);
  EXPECT_THAT(large.dropped, ElementsAre(1, 2));
}

}  // namespace
}  // namespace forebay::serving
