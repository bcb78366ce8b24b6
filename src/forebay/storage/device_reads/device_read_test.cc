// Reads to a device through host memory, over seeded schedules of a simulated device and of a store that
// answers in any order.
#include "forebay/storage/device_reads/device_read.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <random>
#include <thread>
#include <vector>

#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/hooked_store.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/testing/poisoning_resource.h"
#include "forebay/storage/testing/simulated_place.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

using ::testing::HasSubstr;

constexpr size_t kChunk = 100;
constexpr uint64_t kSchedules = 500;

class DeviceReadTest : public SimulatedPlaceTest {
 protected:
  void put(const std::string& text) {
    ASSERT_EQ(write_now(*memory_, "k", as_bytes(text)).status(), ok_status());
  }

  ReadRequest request(uint64_t offset_bytes = 0, uint64_t length_bytes = kToEnd) {
    return {.key = "k", .offset_bytes = offset_bytes, .length_bytes = length_bytes, .resource = staging_};
  }

  Result<DeviceRead> read(const DevicePlace& place, size_t chunks_in_flight = 4) {
    return end_of(read_to_device(store_, request(), place,
                                 {.chunk_bytes = kChunk, .chunks_in_flight = chunks_in_flight}));
  }

  /// Releases answers in an order drawn from the seed: some after each read that starts, at least one when
  /// `in_flight` are held, all once the last of `chunks` has started.
  void shuffle_answers(size_t chunks, size_t in_flight, uint64_t seed) {
    faulty_->hold_reads();
    store_.after_read = [this, chunks, in_flight,
                         random = std::mt19937_64(seed)](const ReadRequest&) mutable {
      const bool is_last = faulty_->read_count() == chunks;
      size_t answers = random() % 3;
      answers += answers == 0 && faulty_->held_reads() == in_flight ? 1 : 0;
      answers = is_last ? chunks : answers;
      for (; answers > 0 && faulty_->held_reads() > 0; --answers) {
        faulty_->step(random() % faulty_->held_reads());
      }
    };
  }

  void expect_error(const Result<DeviceRead>& read, StatusCode code, const std::string& words) {
    EXPECT_EQ(read.status().code(), code);
    EXPECT_THAT(std::string(message(read.status())), HasSubstr(store_.uri_of("k")));
    EXPECT_THAT(std::string(message(read.status())), HasSubstr(words));
  }

  const std::shared_ptr<MemoryStore> memory_ = std::make_shared<MemoryStore>();
  const std::shared_ptr<FaultInjectingStore> faulty_ = std::make_shared<FaultInjectingStore>(memory_);
  HookedStore store_{faulty_};
  std::shared_ptr<PoisoningResource> staging_ = std::make_shared<PoisoningResource>();
};

TEST_F(DeviceReadTest, EveryScheduleBringsTheContentInBoundedMemory) {
  const std::string text = text_of_length(950);
  put(text);
  for (uint64_t seed = 0; seed < 2 * kSchedules; ++seed) {
    const size_t in_flight = 1 + seed % 5;
    use(seed % 2 == 0, seed);
    faulty_->forget_reads();
    shuffle_answers(10, in_flight, seed);
    staging_ = std::make_shared<PoisoningResource>();
    const DevicePlace to = place(1000, 50, seed % 3);
    const Result<DeviceRead> got = read(to, in_flight);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(got->size_bytes, 950u);
    EXPECT_TRUE(*memory::has_passed(to.buffer->last_write())) << "seed " << seed;
    ASSERT_EQ(look(*to.buffer).substr(50), text) << "seed " << seed;
    EXPECT_EQ(staging_->peak_bytes(), in_flight * kChunk) << "seed " << seed;
    EXPECT_EQ(staging_->in_use_bytes(), 0u) << "seed " << seed;
  }
}

TEST_F(DeviceReadTest, TheNextChunkIsReadWhileTheLastIsCopied) {
  put(text_of_length(10 * kChunk));
  use(false, 1);  // copies run only when they are waited for
  std::vector<bool> is_copying;
  store_.before_read = [&](const ReadRequest&) { is_copying.push_back(device_->pending() > 0); };
  const DevicePlace to = place(10 * kChunk);
  ASSERT_TRUE(read(to, 2).ok());
  // The first two are read before any has arrived. From then on, one is copied while the next is read.
  EXPECT_EQ(is_copying, (std::vector<bool>{false, false, true, true, true, true, true, true, true, true}));
  is_copying.clear();
  ASSERT_TRUE(read(to, 1).ok());
  EXPECT_EQ(is_copying, std::vector<bool>(10, false));
  EXPECT_EQ(device_->pending(), 0u);
}

TEST_F(DeviceReadTest, TheStoreHasManyReadsAtOnceAndNeverMore) {
  const std::string text = text_of_length(10 * kChunk);
  put(text);
  faulty_->hold_reads();
  size_t most_held = 0;
  store_.after_read = [&](const ReadRequest&) {
    most_held = std::max(most_held, faulty_->held_reads());
    if (faulty_->held_reads() == 4) {
      faulty_->step(3);
    }
    if (faulty_->read_count() == 10) {
      faulty_->release_reads();
    }
  };
  const DevicePlace to = place(10 * kChunk);
  ASSERT_TRUE(read(to, 4).ok());
  EXPECT_EQ(most_held, 4u);
  EXPECT_EQ(look(*to.buffer), text);
}

TEST_F(DeviceReadTest, EarlierWorkOnTheBufferIsWaitedForByTheQueueAlone) {
  const std::string old_text = text_of_length(300, 1);
  const std::string new_text = text_of_length(300, 2);
  put(new_text);
  for (uint64_t seed = 0; seed < kSchedules; ++seed) {
    use(seed % 2 == 0, seed);
    const DevicePlace to = place(300);
    to.buffer->set_last_write(fill(*to.buffer, 1, old_text));
    std::string seen(300, '\0');
    ASSERT_EQ(memory::wait_on_queue(device_->driver(), 2, to.buffer->last_write()), ok_status());
    to.buffer->add_reader(*memory::copy_async(device_->driver(), 2, seen.data(), to.buffer->data(), 300));
    const Result<DeviceRead> got = read_to_device(store_, request(), to, {.chunk_bytes = kChunk});
    ASSERT_TRUE(got.ok()) << got.status();
    while (seed % 2 == 1 && device_->pending() < 8) {  // the test's three pieces, two waits and three copies
      ASSERT_TRUE(engine_->step()) << "all of it is put on the device before anything is waited for";
    }
    ASSERT_EQ(wait(got->ready), ok_status());
    ASSERT_EQ(look(*to.buffer), new_text) << "seed " << seed;
    ASSERT_EQ(seen, old_text) << "seed " << seed;
  }
}

TEST_F(DeviceReadTest, ReadsAnyRange) {
  const std::string text = text_of_length(3 * kChunk + 7);
  put(text);
  for (const uint64_t offset : {0, 1, 99, 100, 101, 250, 306, 307}) {
    for (const uint64_t length :
         {uint64_t{0}, uint64_t{1}, uint64_t{99}, uint64_t{100}, uint64_t{101}, kToEnd}) {
      const uint64_t expected = length == kToEnd ? text.size() - offset : length;
      if (offset + expected > text.size()) {
        continue;
      }
      const DevicePlace to = place(text.size() + 3, 3);
      const Result<DeviceRead> got =
          end_of(read_to_device(store_, request(offset, length), to, {.chunk_bytes = kChunk}));
      ASSERT_TRUE(got.ok()) << got.status();
      EXPECT_EQ(got->size_bytes, expected);
      EXPECT_EQ(look(*to.buffer).substr(3, expected), text.substr(offset, expected));
    }
  }
}

TEST_F(DeviceReadTest, AnEmptyReadLeavesTheBufferAlone) {
  put("");
  const std::string text = "before";
  const DevicePlace to = place(6, 6);
  to.buffer->set_last_write(fill(*to.buffer, 1, text));
  const Fence before = to.buffer->last_write();
  const Result<DeviceRead> got = read(to);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->size_bytes, 0u);
  EXPECT_EQ(to.buffer->last_write(), before);
  EXPECT_EQ(look(*to.buffer), text);
  EXPECT_EQ(end_of(read_to_device(store_, {.key = "no", .length_bytes = 0}, to)).status().code(),
            StatusCode::kNotFound);
}

TEST_F(DeviceReadTest, WhatDoesNotFitIsRefusedBeforeAnyRead) {
  put(text_of_length(10 * kChunk));
  const DeviceReadOptions options{.chunk_bytes = kChunk};
  const DevicePlace to = place(500, 100);
  expect_error(read_to_device(store_, request(0, 401), to, options), StatusCode::kOutOfRange,
               "buffer of 500");
  expect_error(read_to_device(store_, request(), to, options), StatusCode::kOutOfRange, "1000 bytes");
  expect_error(read_to_device(store_, request(0, kToEnd - 1), to, options), StatusCode::kOutOfRange, "");
  expect_error(read_to_device(store_, request(900, 101), to, options), StatusCode::kOutOfRange, "");
  expect_error(read_to_device(store_, request(1001), to, options), StatusCode::kOutOfRange, "");
  expect_error(read_to_device(store_, request(0, 1), place(500, kToEnd), options), StatusCode::kOutOfRange,
               "");
  EXPECT_EQ(faulty_->read_count(), 0u);
}

TEST_F(DeviceReadTest, WhatMakesNoSenseIsRefused) {
  put("text");
  const DevicePlace to = place(4);
  expect_error(read_to_device(store_, request(), to, {.chunk_bytes = 0}), StatusCode::kInvalidArgument,
               "chunks");
  expect_error(read_to_device(store_, request(), to, {.chunks_in_flight = 0}), StatusCode::kInvalidArgument,
               "chunks");
  ReadRequest padded = request();
  padded.padding_bytes = 1;
  expect_error(read_to_device(store_, padded, to), StatusCode::kInvalidArgument, "padding");
  DevicePlace hostless = to;
  hostless.queue = {};
  expect_error(read_to_device(store_, request(), hostless), StatusCode::kInvalidArgument,
               "queue of the host");
  DevicePlace disordered = to;
  disordered.copies = nullptr;
  expect_error(read_to_device(store_, request(), disordered), StatusCode::kInvalidArgument, "an executor");
  DevicePlace gone = to;
  gone.queue.driver = memory::kMaxDrivers - 1;
  expect_error(read_to_device(store_, request(), gone), StatusCode::kFailedPrecondition,
               "device driver 4095");
}

TEST_F(DeviceReadTest, HostMemoryIsAPlaceToo) {
  const std::string text = text_of_length(350);
  put(text);
  const DevicePlace to = place_in(*memory::Buffer::allocate(350), 0, {});
  const uint64_t before = memory::bytes_copied();
  ASSERT_TRUE(read(to).ok());
  EXPECT_GE(memory::bytes_copied() - before, 350u);
  EXPECT_EQ(text_of(to.buffer->bytes()), text);
}

TEST_F(DeviceReadTest, AChunkThatFailsEndsTheReadWithNothingInFlight) {
  put(text_of_length(10 * kChunk));
  for (uint64_t seed = 0; seed < kSchedules; ++seed) {
    use(seed % 2 == 0, seed);
    faulty_->forget_reads();
    const size_t failing = seed % 10;
    shuffle_answers(failing + 1, 3, seed);
    store_.before_read = [&](const ReadRequest&) {
      if (faulty_->read_count() == failing) {
        faulty_->fail_reads("k", unavailable("a cable is loose"), 1);
      }
    };
    DevicePlace to = place(10 * kChunk);
    expect_error(read(to, 3), StatusCode::kUnavailable,
                 fmt::format("at {}, on the way to a device: a cable is loose", failing * kChunk));
    EXPECT_EQ(faulty_->held_reads(), 0u);
    EXPECT_EQ(faulty_->read_count(), failing + 1) << "seed " << seed;
    EXPECT_EQ(memory::wait(to.buffer->last_write()), ok_status());
    EXPECT_EQ(device_->pending(), 0u) << "the buffer's fence is behind all that was put on the queue";
    EXPECT_EQ(staging_->in_use_bytes(), 0u);
  }
}

TEST_F(DeviceReadTest, ReadsThatAreInFlightAreWaitedForAfterAnError) {
  put(text_of_length(4 * kChunk));
  faulty_->hold_reads();
  std::promise<void> failed;
  store_.after_read = [&](const ReadRequest& started) {
    if (started.offset_bytes == 0) {
      faulty_->fail_reads("k", unavailable("a cable is loose"), 1);
    } else if (started.offset_bytes == kChunk) {
      faulty_->step(1);  // the error comes while the first chunk is still being read
      failed.set_value();
    }
  };
  std::atomic<bool> is_answered{false};
  use_workers(1);
  const DevicePlace to = place(4 * kChunk);
  std::thread reader([&] {
    expect_error(read(to), StatusCode::kUnavailable, "at 100");
    EXPECT_TRUE(is_answered);
  });
  failed.get_future().wait();
  is_answered = true;
  EXPECT_TRUE(faulty_->step());
  reader.join();
  EXPECT_EQ(faulty_->read_count(), 2u);
}

TEST_F(DeviceReadTest, AnErrorOfTheDeviceIsNamedWithTheObject) {
  put(text_of_length(10 * kChunk));
  use(false, 1);
  ASSERT_EQ(device_->submit(1, [] { return data_loss("a bit fell over"); }), ok_status());
  const DevicePlace to = place(10 * kChunk, 0, 1);
  expect_error(read(to), StatusCode::kUnavailable, "a bit fell over");
  EXPECT_EQ(device_->synchronize().code(), StatusCode::kDataLoss);
  ASSERT_EQ(device_->reset_queue(1), ok_status());
  EXPECT_EQ(staging_->in_use_bytes(), 0u);
  expect_error(read(place(10 * kChunk, 0, 77)), StatusCode::kUnavailable, "queue 77");
}

TEST_F(DeviceReadTest, AllChunksAreOfOneVersion) {
  put(text_of_length(10 * kChunk));
  const std::string other = text_of_length(10 * kChunk, 2);
  store_.before_read = [&](const ReadRequest& started) {
    if (started.offset_bytes == 5 * kChunk) {
      put(other);
    }
  };
  expect_error(read(place(10 * kChunk)), StatusCode::kAborted, "at 500");
  store_.before_read = nullptr;
  ReadRequest conditional = request(0, 50);
  conditional.if_version = "another";
  expect_error(end_of(read_to_device(store_, conditional, place(50))), StatusCode::kAborted, "another");
}

TEST_F(DeviceReadTest, AReadOfOneChunkAsksTheStoreNothingElse) {
  const std::string text = text_of_length(kChunk);
  put(text);
  const Result<DeviceRead> got = end_of(read_to_device(store_, request(0, kChunk), place(kChunk)));
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(faulty_->read_count(), 1u);
  EXPECT_EQ(store_.stat_count(), 0u);
  EXPECT_EQ(got->direct.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(message(got->direct)),
              HasSubstr("'simulated' cannot read files into its own memory"));
}

TEST_F(DeviceReadTest, ReadsOfOnePlaceAreInOrderOnAnyQueue) {
  const std::string last_text = text_of_length(300, 2);
  put(text_of_length(300, 1));
  ASSERT_TRUE(write_now(*memory_, "last", as_bytes(last_text)).ok());
  for (uint64_t seed = 0; seed < kSchedules; ++seed) {
    use(seed % 2 == 0, seed);
    DevicePlace first = place(300);
    first.content = engine_->new_variable();
    DevicePlace second = seed % 4 < 2 ? first : place_in(first.buffer, 0, {device_->driver(), 1});
    second.content = first.content;
    const DeviceReadOptions options{.chunk_bytes = kChunk};
    ASSERT_TRUE(read_to_device(store_, request(), first, options).ok());
    const Result<DeviceRead> got =
        read_to_device(store_, {.key = "last", .resource = staging_}, second, options);
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_EQ(wait(got->ready), ok_status());
    ASSERT_EQ(look(*first.buffer), last_text) << "seed " << seed;
  }
}

TEST_F(DeviceReadTest, ReadsOfSeveralPlacesGoOnAtOnce) {
  const std::string text = text_of_length(300);
  put(text);
  use(false, 1);
  std::vector<DevicePlace> places{place(300), place(300), place(300, 0, 1)};
  std::vector<engine::Variable> ready;
  for (const DevicePlace& to : places) {
    ready.push_back(read_to_device(store_, request(), to, {.chunk_bytes = kChunk})->ready);
  }
  while (device_->pending() < 9) {
    ASSERT_TRUE(engine_->step())
        << "three copies of each are put on the device before anything is waited for";
  }
  for (size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(wait(ready[i]), ok_status());
    EXPECT_EQ(look(*places[i].buffer), text);
  }
}

TEST_F(DeviceReadTest, ATaskThatNamesTheContentSeesTheBytes) {
  const std::string text = text_of_length(300);
  put(text);
  for (uint64_t seed = 0; seed < kSchedules; ++seed) {
    use(seed % 2 == 0, seed);
    const DevicePlace to = place(300);
    const DevicePlace other = place(1, 0, 1);
    const Result<DeviceRead> got = read_to_device(store_, request(), to, {.chunk_bytes = kChunk});
    const engine::Variable copied = engine_->new_variable();
    std::string seen(300, '\0');
    ASSERT_EQ(
        engine_->push(lane_, {.reads = {&got->ready, 1}, .writes = {&copied, 1}, .executor = other.copies},
                      [&] {
                        return memory::copy_async(device_->driver(), 1, seen.data(), to.buffer->data(),
                                                  seen.size())
                            .status();
                      }),
        ok_status());
    ASSERT_EQ(wait(copied), ok_status());
    ASSERT_EQ(seen, text) << "seed " << seed;
  }
}

TEST_F(DeviceReadTest, AnAnswerThatIsTooShortIsAnError) {
  struct ShortStore final : ForwardingStore {
    explicit ShortStore(std::shared_ptr<ObjectStore> inner) : ForwardingStore(std::move(inner)) {}
    void read(ReadRequest request, const CallContext& context, ReadCallback done) override {
      inner().read(std::move(request), context, [done = std::move(done)](Result<ReadBytes> bytes) mutable {
        bytes->bytes = bytes->bytes.first(bytes->bytes.size() - 1);
        done(std::move(bytes));
      });
    }
  };
  put(text_of_length(3 * kChunk));
  ShortStore store(memory_);
  const DevicePlace to = place(3 * kChunk);
  expect_error(end_of(read_to_device(store, request(), to, {.chunk_bytes = kChunk})), StatusCode::kDataLoss,
               "99 bytes of 100");
  EXPECT_EQ(staging_->in_use_bytes(), 0u);
}

TEST_F(DeviceReadTest, ACancelledLaneEndsTheReadWhenItsCopiesAreDone) {
  put(text_of_length(10 * kChunk));
  use(false, 1);
  const Result<DeviceRead> got =
      read_to_device(store_, request(), place(10 * kChunk), {.chunk_bytes = kChunk});
  while (device_->pending() < 2) {
    ASSERT_TRUE(engine_->step());
  }
  engine_->cancel(lane_);
  EXPECT_EQ(device_->pending(), 2u);
  EXPECT_GT(staging_->in_use_bytes(), 0u);
  EXPECT_EQ(wait(got->ready).code(), StatusCode::kCancelled);
  EXPECT_EQ(engine_->wait_all(lane_), ok_status());
  EXPECT_EQ(device_->pending(), 0u);
  EXPECT_EQ(staging_->in_use_bytes(), 0u);
  EXPECT_EQ(faulty_->read_count(), 4u) << "no read was started after the cancellation";
}

TEST_F(DeviceReadTest, AnswersMayComeAfterTheShutdownOfTheEngine) {
  put(text_of_length(10 * kChunk));
  faulty_->hold_reads();
  const Result<DeviceRead> got =
      read_to_device(store_, request(), place(10 * kChunk), {.chunk_bytes = kChunk});
  ASSERT_TRUE(got.ok()) << got.status();
  engine_->shutdown();
  EXPECT_FALSE(engine_->wait(got->ready).ok());
  faulty_->release_reads();
  EXPECT_EQ(faulty_->read_count(), 4u);
  EXPECT_EQ(staging_->in_use_bytes(), 0u);
}

TEST_F(DeviceReadTest, ThreadsReadFilesAtOnce) {
  TemporaryDirectory directory;
  LocalStore store({.root = directory.path()});
  const std::string text = text_of_length(100'000);
  ASSERT_TRUE(write_now(store, "f", as_bytes(text)).ok());
  use_workers(2);
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 20; ++round) {
        const DevicePlace to = place(text.size(), 0, thread);
        const Result<DeviceRead> got =
            end_of(read_to_device(store, {.key = "f", .resource = staging_}, to, {.chunk_bytes = 8192}));
        ASSERT_TRUE(got.ok()) << got.status();
        ASSERT_EQ(look(*to.buffer), text);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(staging_->in_use_bytes(), 0u);
}

}  // namespace
}  // namespace forebay::storage
