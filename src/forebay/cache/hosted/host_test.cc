// Processes that share one cache: what one has read, another has without an upstream read; whoever dies takes
// nothing with it.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "forebay/base/sync/run_parallel.h"
#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/no_descriptors.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/cache/client/host_client.h"
#include "forebay/cache/client/host_store.h"
#include "forebay/cache/files/shared_ranges.h"
#include "forebay/cache/messages/shared_memory.h"
#include "forebay/cache/testing/hosted_cache_fixture.h"
#include "forebay/cache/testing/patterned.h"
#include "forebay/memory/buffer.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "nlohmann/json.hpp"

namespace forebay::cache {
namespace {

using storage::ReadBytes;
using storage::ReadRequest;

using HostTest = testing::HostedCacheTest;

TEST_F(HostTest, SmallAndLargeReadsGiveTheObjectsBytes) {
  const std::shared_ptr<HostStore> store = new_store();
  for (const size_t size : {size_t{0}, size_t{1}, kMaxInlineBytes, kMaxInlineBytes + 1, kMiB, 3 * kMiB + 5}) {
    const std::string text = testing::patterned(size, size);
    const storage::ObjectStat stat = put(std::to_string(size), text);
    EXPECT_EQ(stat_now(*store, std::to_string(size))->size_bytes, size);
    EXPECT_EQ(get(*store, {.key = std::to_string(size)}), text);
    EXPECT_EQ(get(*store, {.key = std::to_string(size), .if_version = stat.version}), text);
  }
}

TEST_F(HostTest, WhatOneProcessHasReadAnotherReadsWithoutUpstream) {
  const std::string text = testing::patterned(2 * kMiB, 1);
  const std::string version = put("a", text).version;
  const std::shared_ptr<HostStore> first = new_store();
  const std::shared_ptr<HostStore> second = new_store();
  ASSERT_EQ(get(*first, {.key = "a", .if_version = version}), text);
  const uint64_t reads = daemon_.cache().statistics().upstream_reads;
  EXPECT_EQ(get(*second, {.key = "a", .if_version = version}), text);
  EXPECT_EQ(daemon_.cache().statistics().upstream_reads, reads);
  EXPECT_EQ(daemon_.server().users(), 2U);
}

TEST_F(HostTest, BytesAreSeenWhereTheDaemonHasThem) {
  const std::string text = testing::patterned(kMiB, 2);
  const std::string version = put("a", text).version;
  const std::shared_ptr<HostStore> store = new_store();
  const Result<ReadBytes> from_memory = read_now(*store, {.key = "a", .if_version = version});
  daemon_.cache().flush();
  const Result<ReadBytes> from_disk = read_now(*store, {.key = "a", .if_version = version});
  ASSERT_TRUE(from_memory.ok() && from_disk.ok());
  EXPECT_EQ(from_memory->buffer, nullptr) << "a view, not a copy";
  EXPECT_EQ(from_disk->buffer, nullptr);
  EXPECT_EQ(storage::text_of(*from_memory), text);
  EXPECT_EQ(storage::text_of(*from_disk), text);
}

TEST_F(HostTest, WhatAProcessHasBroughtTheNextReadsFromTheCache) {
  const std::shared_ptr<HostStore> store = new_store();
  EXPECT_TRUE(store->features().can_bring);
  std::vector<storage::BringRequest> requests;
  for (int i = 0; i < 300; ++i) {
    const std::string key = "folder" + std::to_string(i % 3) + "/" + std::to_string(i);
    const storage::ObjectStat stat = put(key, "text " + key);
    requests.push_back(
        {.key = key, .version = stat.version, .object_bytes = stat.size_bytes, .is_verified = true});
  }
  requests[7].version = "another";
  const std::vector<Result<storage::BringOutcome>> outcomes =
      bring_many_now(*store, requests, {.priority = storage::Priority::kBulk});
  for (size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].status().code(), i == 7 ? StatusCode::kAborted : StatusCode::kOk)
        << outcomes[i].status();
  }
  const uint64_t reads = daemon_.cache().statistics().upstream_reads;
  const std::shared_ptr<HostStore> reader = new_store();
  EXPECT_EQ(get(*reader, {.key = requests[200].key, .if_version = requests[200].version}),
            "text " + requests[200].key);
  EXPECT_EQ(daemon_.cache().statistics().upstream_reads, reads);
}

TEST_F(HostTest, WithoutADaemonNothingIsBrought) {
  const storage::ObjectStat stat = put("a", "text");
  const std::shared_ptr<HostStore> store = new_store();
  daemon_.stop();
  const auto outcomes = bring_many_now(*store, {{.key = "a", .version = stat.version, .object_bytes = 4}});
  EXPECT_EQ(outcomes[0].status().code(), StatusCode::kUnavailable);
}

TEST_F(HostTest, ChildProcessesShareOneReadOfEachByte) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  constexpr int kProcesses = 4;
  const std::string text = testing::patterned(kMiB, 3);
  const std::string version = put("a", text).version;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const std::shared_ptr<HostStore> store = new_store();
      _exit(get(*store, {.key = "a", .if_version = version}) == text ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    wait_for_child(child, &status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(daemon_.cache().statistics().upstream_bytes, kMiB);
}

TEST_F(HostTest, WithoutItsDaemonAStoreReadsUpstream) {
  const std::string text = testing::patterned(kMiB, 4);
  const std::string version = put("a", text).version;
  const std::shared_ptr<HostStore> store = new_store();
  const Result<ReadBytes> held = read_now(*store, {.key = "a", .if_version = version});
  ASSERT_TRUE(held.ok());
  daemon_.stop();
  EXPECT_EQ(get(*store, {.key = "a", .if_version = version}), text);
  EXPECT_EQ(get(*store, {.key = "a"}), text);
  EXPECT_EQ(storage::text_of(*held), text) << "views outlive their daemon";
  EXPECT_EQ(HostClient::connect(daemon_.socket()).status().code(), StatusCode::kNotFound);
}

// A process that has no descriptor left for an answer loses its connection, and goes on.
TEST_F(HostTest, ALostConnectionLeavesBytesWhereTheirProcessLooks) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  const std::string text = testing::patterned(kMiB, 11);
  const std::string version = put("a", text).version;
  const std::string other = testing::patterned(kMiB, 12);
  put("b", other);
  ASSERT_EQ(get(*new_store(), {.key = "b"}), other);
  daemon_.cache().flush();  // into a file that the child does not know
  int to_parent[2];
  int to_child[2];
  ASSERT_TRUE(pipe(to_parent) == 0 && pipe(to_child) == 0);
  const pid_t child = fork();
  if (child == 0) {
    close(to_child[1]);
    const std::shared_ptr<HostStore> store = new_store();
    const Result<ReadBytes> held = read_now(*store, {.key = "a", .if_version = version});
    const NoDescriptors none;
    const bool is_right = held.ok() && get(*store, {.key = "b"}) == other;
    const char ready = is_right ? 'y' : 'n';
    [[maybe_unused]] const ssize_t wrote = write(to_parent[1], &ready, 1);
    char go = 0;
    _exit(read(to_child[0], &go, 1) == 1 && storage::text_of(*held) == text ? 0 : 1);
  }
  char ready = 0;
  ASSERT_EQ(read(to_parent[0], &ready, 1), 1);
  EXPECT_EQ(ready, 'y');
  while (daemon_.server().users() > 0) {
    std::this_thread::yield();
  }
  const std::shared_ptr<HostStore> store = new_store();
  for (int i = 0; i < 100; ++i) {
    const std::string key = "more" + std::to_string(i);
    put(key, testing::patterned(kMiB, 30));
    ASSERT_EQ(get(*store, {.key = key}).size(), kMiB);
  }
  ASSERT_EQ(write(to_child[1], "g", 1), 1);
  int status = 0;
  wait_for_child(child, &status);
  EXPECT_EQ(status, 0);
}

// The same addresses may lead elsewhere there.
TEST_F(HostTest, AProcessInAnotherNetworkIsNotServed) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  constexpr int kMayNot = 2;
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
      _exit(kMayNot);
    }
    _exit(HostClient::connect(daemon_.socket()).status().code() == StatusCode::kFailedPrecondition ? 0 : 1);
  }
  int status = 0;
  wait_for_child(child, &status);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kMayNot) {
    GTEST_SKIP() << "nobody may leave the host's network here";
  }
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(HostClient::connect(daemon_.socket()).ok());
}

TEST_F(HostTest, AKilledProcessGivesItsBytesBack) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  const std::string text = testing::patterned(kMiB, 5);
  const std::string version = put("a", text).version;
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::shared_ptr<HostStore> store = new_store();
    const Result<ReadBytes> held = read_now(*store, {.key = "a", .if_version = version});
    const char ready = held.ok() ? 'y' : 'n';
    [[maybe_unused]] const ssize_t wrote = write(pipe_ends[1], &ready, 1);
    pause();
  }
  char ready = 0;
  ASSERT_EQ(read(pipe_ends[0], &ready, 1), 1);
  EXPECT_EQ(ready, 'y');
  kill(child, SIGKILL);
  wait_for_child(child, nullptr);
  while (daemon_.server().users() > 0) {
    std::this_thread::yield();
  }
  const std::shared_ptr<HostStore> store = new_store();
  EXPECT_EQ(get(*store, {.key = "a", .if_version = version}), text);
}

TEST_F(HostTest, AForkedChildReadsUpstreamThroughItsParentsStore) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  const std::string text = testing::patterned(kMiB, 6);
  put("a", text);
  const std::shared_ptr<HostStore> store = new_store();
  ASSERT_EQ(get(*store, {.key = "a"}), text);
  const pid_t child = fork();
  if (child == 0) {
    _exit(get(*store, {.key = "a"}) == text ? 0 : 1);
  }
  int status = 0;
  wait_for_child(child, &status);
  EXPECT_EQ(status, 0);
}

TEST_F(HostTest, ErrorsKeepTheirCodeTextAndPayload) {
  const std::shared_ptr<HostStore> store = new_store();
  const Status missing = read_now(*store, {.key = "nothing"}).status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_EQ(missing, read_now(daemon_.upstream(), {.key = "nothing"}).status());
  const std::string old = put("a", "one").version;
  put("a", "two");
  EXPECT_EQ(read_now(*store, {.key = "a", .if_version = old}).status().code(), StatusCode::kAborted);
}

TEST_F(HostTest, WhatAProcessWritesIsSeenByAllAtOnce) {
  const std::shared_ptr<HostStore> writer = new_store();
  const std::shared_ptr<HostStore> reader = new_store();
  const std::string one = "one";
  const std::string two = "two!";
  ASSERT_TRUE(write_now(*writer, "a", std::as_bytes(std::span(one))).ok());
  ASSERT_EQ(get(*reader, {.key = "a"}), one);
  ASSERT_TRUE(write_now(*writer, "a", std::as_bytes(std::span(two))).ok());
  // The daemon reads the writer's connection before the reader's later message only by chance, so it is asked
  // for something first: what one connection sends is taken in order.
  ASSERT_TRUE(stat_now(*writer, "a").ok());
  EXPECT_EQ(get(*reader, {.key = "a"}), two);
}

TEST_F(HostTest, WhatOneProcessWritesTheNextReadsFromTheCache) {
  const std::string text = testing::patterned(2 * kMiB, 8);
  const std::shared_ptr<HostStore> writer = new_store();
  ASSERT_TRUE(write_now(*writer, "a", std::as_bytes(std::span(text))).ok());
  ASSERT_TRUE(stat_now(*writer, "a").ok());  // the daemon has taken what came before
  const std::shared_ptr<HostStore> reader = new_store();
  ASSERT_EQ(get(*reader, {.key = "a"}), text);
  EXPECT_EQ(daemon_.cache().statistics().upstream_reads, 0U);
}

TEST_F(HostTest, CancelledReadsAreAnswered) {
  put("a", testing::patterned(kMiB, 7));
  const std::shared_ptr<HostStore> store = new_store();
  daemon_.upstream().hold_reads();
  std::stop_source stop;
  Status result;
  std::promise<void> answered;
  store->read({.key = "a"}, {.cancellation = stop.get_token()}, [&](Result<ReadBytes> read) {
    result = read.status();
    answered.set_value();
  });
  stop.request_stop();
  answered.get_future().wait();
  EXPECT_EQ(result.code(), StatusCode::kCancelled);
  daemon_.upstream().release_reads();
}

TEST_F(HostTest, MessagesThatMakeNoSenseEndTheConnectionAndNothingElse) {
  const std::shared_ptr<HostStore> store = new_store();
  put("a", "text");
  const Result<FileDescriptor> socket = net::connect_locally(daemon_.socket());
  ASSERT_TRUE(socket.ok());
  const std::string nonsense = "nonsense";
  ASSERT_TRUE(net::send_locally(socket->get(), std::as_bytes(std::span(nonsense))).ok());
  net::LocalMessage message;
  Result<bool> has_come = false;
  while (has_come.ok()) {
    has_come = net::receive_locally(socket->get(), &message);
  }
  EXPECT_EQ(has_come.status().code(), StatusCode::kCancelled);
  EXPECT_EQ(get(*store, {.key = "a"}), "text");
}

TEST_F(HostTest, TheDaemonSaysWhatItHasDone) {
  put("a", "text");
  const std::shared_ptr<HostClient> client = *HostClient::connect(daemon_.socket());
  const std::shared_ptr<HostStore> store = *HostStore::create(client, daemon_.upstream_store());
  ASSERT_EQ(get(*store, {.key = "a"}), "text");
  const nlohmann::json counts = nlohmann::json::parse(*client->statistics());
  EXPECT_EQ(counts["upstream_bytes"], 4);
  EXPECT_EQ(counts["upstream_reads"], 1);
}

TEST(SharedMemoryTest, BlocksLieWhereOtherProcessesCanMapThem) {
  const std::shared_ptr<memory::MemoryResource> memory = *shared_memory(kMiB);
  const memory::BufferRef buffer = *memory::Buffer::allocate(5000, memory);
  std::memset(buffer->data(), 'x', 5000);
  const std::optional<SharedPlace> place = shared_ranges().find(buffer->bytes());
  ASSERT_TRUE(place);
  const Result<FileDescriptor> file = shared_ranges().open(place->range);
  ASSERT_TRUE(file.ok()) << file.status();
  std::string seen(5000, '\0');
  ASSERT_EQ(pread(file->get(), seen.data(), seen.size(), static_cast<off_t>(place->offset_bytes)), 5000);
  EXPECT_EQ(seen, std::string(5000, 'x'));
  EXPECT_LT(pwrite(file->get(), "y", 1, 0), 0) << "for reading only";
}

TEST(SharedMemoryTest, OnlySealedMemoryIsTaken) {
  FileDescriptor open_memory(memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(open_memory.get(), 4096), 0);
  EXPECT_EQ(open_sealed(std::move(open_memory), 4096).status().code(), StatusCode::kInvalidArgument);
  const std::string text = "sealed";
  const Result<ReadBytes> view = open_sealed(*sealed_copy(std::as_bytes(std::span(text))), text.size());
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(storage::text_of(*view), text);
  EXPECT_TRUE(shared_ranges().find(view->bytes));
  EXPECT_FALSE(open_sealed(*sealed_copy(std::as_bytes(std::span(text))), 1 << 20).ok());
}

TEST(SharedMemoryTest, WhatDoesNotFitComesFromElsewhere) {
  const std::shared_ptr<memory::MemoryResource> memory = *shared_memory(kMiB);
  const memory::BufferRef buffer = *memory::Buffer::allocate(8 * kMiB, memory);
  EXPECT_FALSE(shared_ranges().find(buffer->bytes()));
}

}  // namespace
}  // namespace forebay::cache
