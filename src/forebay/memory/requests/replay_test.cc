#include "forebay/memory/requests/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "forebay/memory/adaptors/logging_resource.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/pool/pool.h"

namespace forebay::memory {
namespace {

using ::testing::HasSubstr;

Request allocation(uint64_t pointer, uint64_t bytes, uint32_t thread = 1, Queue queue = {}) {
  return {.pointer = pointer, .bytes = bytes, .queue = queue, .thread = thread};
}

Request release(uint64_t pointer, uint32_t thread = 1, Queue queue = {}) {
  return {.pointer = pointer, .queue = queue, .thread = thread, .action = RequestAction::kFree};
}

std::vector<Request> played_back(const std::vector<Request>& log, const ReplayOptions& options) {
  const auto written = *RequestLog::create({});
  LoggingResource logged(host_resource(), written);
  EXPECT_TRUE(replay(log, logged, options).ok());
  return written->records();
}

TEST(Replay, KeepsOrderThreadsAndQueues) {
  const std::vector<Request> log = {allocation(1, 100, 7),  allocation(2, 200, 8, {5, 90}),
                                    release(1, 8),          allocation(1, 300, 7, {5, 91}),
                                    release(2, 7, {5, 91}), release(1, 7, {5, 90})};
  const std::vector<Request> again = played_back(log, {.is_in_order = true});
  ASSERT_EQ(again.size(), 6);
  std::map<uint32_t, uint32_t> threads;
  for (size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(again[i].action, log[i].action);
    const uint32_t number = log[i].queue == Queue{} || log[i].queue.queue == 90 ? 0 : 1;
    EXPECT_EQ(again[i].queue, (Queue{0, number}));
    threads.try_emplace(log[i].thread, again[i].thread);
    EXPECT_EQ(threads[log[i].thread], again[i].thread);
  }
  EXPECT_NE(threads[7], threads[8]);
  EXPECT_EQ(again[3].bytes, 300);
}

TEST(Replay, WorkOfNoQueueIsAQueuesOnADevice) {
  const auto device = *SimulatedDevice::create({.seed = 1});
  const std::vector<Request> log = {allocation(1, 100), release(1)};
  const std::vector<Request> again = played_back(log, {.driver = device->driver()});
  ASSERT_EQ(again.size(), 2);
  EXPECT_EQ(again[0].queue, (Queue{device->driver(), 0}));
  EXPECT_EQ(again[1].queue, (Queue{device->driver(), 0}));
}

TEST(Replay, CountsWhatTheLogLacks) {
  const std::vector<Request> log = {
      allocation(1, 100), release(9),
      allocation(2, 50),  {.bytes = 5, .thread = 1, .action = RequestAction::kFailure},
      allocation(1, 30),  release(1)};
  const ReplayReport report = *replay(log, *host_resource());
  EXPECT_EQ(report.allocations, 3);
  EXPECT_EQ(report.frees, 1);
  EXPECT_EQ(report.skipped, 2);
  EXPECT_EQ(report.unreturned, 2);
  EXPECT_EQ(report.peak_bytes, 180);
  EXPECT_EQ(report.threads, 1);
  EXPECT_EQ(report.queues, 0);
}

TEST(Replay, GoesOnAfterFailures) {
  const auto pool = *Pool::create({.maximum_bytes = 8192, .huge_pages = false});
  const std::vector<Request> log = {allocation(1, 8000), allocation(2, 8000), release(2),
                                    release(1),          allocation(3, 8000), release(3)};
  const ReplayReport report = *replay(log, *pool);
  EXPECT_EQ(report.allocations, 2);
  EXPECT_EQ(report.failures, 1);
  EXPECT_EQ(report.frees, 2);
  EXPECT_THAT(std::string(report.first_failure.message()), HasSubstr("has no room for 8192 bytes"));
  EXPECT_EQ(pool->statistics().out_bytes, 0);
}

TEST(Replay, PlaysAProgramsLogBackAgainstAnyPool) {
  const auto written = *RequestLog::create({});
  const auto logged = std::make_shared<LoggingResource>(host_resource(), written);
  std::vector<std::thread> threads;
  for (uint32_t number = 0; number < 3; ++number) {
    threads.emplace_back([&logged, number] {
      std::mt19937 random(number);
      std::vector<std::pair<void*, size_t>> out;
      for (int i = 0; i < 300; ++i) {
        const size_t bytes = 1 + random() % 5000;
        out.emplace_back(*logged->allocate_on(bytes, {0, number + 20}), bytes);
        if (out.size() > 8) {
          std::swap(out[random() % out.size()], out.back());
          logged->deallocate_on(out.back().first, out.back().second, {0, number + 20});
          out.pop_back();
        }
      }
      for (const auto& [pointer, bytes] : out) {
        logged->deallocate(pointer, bytes, Fence{});
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const std::vector<Request> log = written->records();
  const auto device = *SimulatedDevice::create();
  for (const bool is_in_order : {true, false}) {
    const auto pool = *Pool::create({.upstream = device->resource(), .maximum_bytes = size_t{32} << 20});
    const ReplayReport report = *replay(log, *pool, {.driver = device->driver(), .is_in_order = is_in_order});
    EXPECT_EQ(report.allocations, 900);
    EXPECT_EQ(report.frees, 900);
    EXPECT_EQ(report.failures, 0);
    EXPECT_EQ(report.threads, 3);
    EXPECT_EQ(report.queues, 3);
    EXPECT_GT(report.ns_per_request, 0);
    EXPECT_EQ(pool->statistics().out_bytes, 0);
    EXPECT_EQ(pool->statistics().allocations, 900);
  }
}

TEST(Replay, RefusesALogOfTooManyThreads) {
  std::vector<Request> log;
  for (uint32_t thread = 0; thread < 1025; ++thread) {
    log.push_back(allocation(thread, 1, thread));
  }
  EXPECT_EQ(replay(log, *host_resource()).status().code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace forebay::memory
