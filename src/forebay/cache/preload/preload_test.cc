// Preloads: what is brought, how far the record says they are, and what is left when the process ends.
#include "forebay/cache/preload/preload.h"
#include "forebay/base/testing/wait_for_child.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include "forebay/base/sanitizers.h"
#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/rounds.h"
#include "forebay/base/testing/stepped_timer.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/units.h"
#include "forebay/cache/messages/cache_trouble.h"
#include "forebay/storage/basic_store.h"
#include "forebay/storage/home/whole_file.h"

namespace forebay::cache {
namespace {

using storage::BringOutcome;
using storage::BringRequest;
using storage::CallContext;

constexpr uint64_t kObjectBytes = 20'000;

/// A store of so many objects, which takes no memory for them, and a cache that writes down what it brings.
class CountedStore final : public storage::BasicStore {
 public:
  using BringOne = std::function<Result<BringOutcome>(const BringRequest& request)>;

  /// Brings nothing any more once `can_bring` is false.
  CountedStore(uint64_t objects, BringOne bring, const std::atomic<bool>& can_bring)
      : objects_(objects), bring_(std::move(bring)), can_bring_(can_bring) {}

  static std::string key_of(uint64_t number) { return fmt::format("data/{:010}", number); }

  std::string uri_of(std::string_view key) const override { return "counted://" + std::string(key); }
  storage::StoreFeatures features() const override { return {.can_bring = can_bring_}; }
  std::unique_ptr<storage::ListStream> open_list(storage::ListRequest request) override {
    const uint64_t first =
        request.start_after.empty() ? 0 : std::stoull(request.start_after.substr(request.prefix.size())) + 1;
    return std::make_unique<Pages>(objects_, first);
  }
  void bring_many(std::vector<BringRequest> requests, const CallContext& context,
                  storage::BringManyCallback each) override {
    last_priority = context.priority;
    for (size_t i = 0; i < requests.size(); ++i) {
      each(i, is_wanted(context) ? bring_(requests[i]) : not_wanted(context, requests[i].key));
    }
  }

  // What nobody calls.
  void stat(std::string key, const CallContext&, storage::StatCallback done) override {
    done(unimplemented("{}", key));
  }
  void read(storage::ReadRequest request, const CallContext&, storage::ReadCallback done) override {
    done(unimplemented("{}", request.key));
  }
  void write(std::string key, Bytes, storage::WriteOptions, const CallContext&,
             storage::StatCallback done) override {
    done(unimplemented("{}", key));
  }
  Result<std::unique_ptr<storage::ObjectWriter>> open_writer(std::string key,
                                                             storage::WriteOptions) override {
    return unimplemented("{}", key);
  }
  void remove(std::string key, const CallContext&, storage::StatusCallback done) override {
    done(unimplemented("{}", key));
  }

  storage::Priority last_priority = storage::Priority::kDemand;

 private:
  class Pages final : public storage::ListStream {
   public:
    Pages(uint64_t objects, uint64_t first) : objects_(objects), next_(first) {}
    void next(const CallContext&, storage::ListCallback done) override {
      storage::ListPage page;
      for (int i = 0; i < 1000 && next_ < objects_; ++i, ++next_) {
        page.objects.push_back({.key = key_of(next_), .size_bytes = kObjectBytes, .version = "v"});
      }
      page.is_last = next_ == objects_;
      done(std::move(page));
    }

   private:
    const uint64_t objects_;
    uint64_t next_;
  };

  const uint64_t objects_;
  const BringOne bring_;
  const std::atomic<bool>& can_bring_;
};

class PreloadTest : public ::testing::Test {
 protected:
  /// Brings what the record says is left of so many objects.
  Status run(uint64_t objects, CountedStore::BringOne bring, PreloadOptions options = {},
             std::stop_token stop = {}, std::function<void(std::string_view)> at_point = {}) {
    const auto store = std::make_shared<CountedStore>(objects, std::move(bring), can_bring_);
    FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<PreloadFile> file,
                             PreloadFile::open({.file = file_, .at_point = std::move(at_point)}));
    FOREBAY_ASSIGN_OR_RETURN(std::optional<PreloadRecord> earlier, file->read());
    PreloadRecord record = earlier ? *std::move(earlier) : PreloadRecord{.uri = "counted://data/"};
    const std::unique_ptr<PreloadSource> source = listed_source(store, "data/", record.mark);
    options.timer = &timer_;
    Preload preload(*source, *file, std::move(record), std::move(options));
    Status status = preload.run(stop);
    has_lost_cache_ = preload.has_lost_cache();
    EXPECT_TRUE(objects == 0 || store->last_priority == storage::Priority::kBulk);
    return status;
  }
  PreloadRecord record() { return **read_preload(file_); }
  CountedStore::BringOne notes() {
    return [this](const BringRequest& request) {
      brought_.insert(request.key);
      return BringOutcome::kCame;
    };
  }

  TemporaryDirectory directory_;
  const std::string file_ = directory_ / "preloads/record.json";
  SteppedTimer timer_;
  std::set<std::string> brought_;
  std::atomic<bool> can_bring_ = true;
  bool has_lost_cache_ = false;  // the last run
};

TEST_F(PreloadTest, AllIsBroughtAndCounted) {
  ASSERT_TRUE(run(3000, notes()).ok());
  EXPECT_EQ(brought_.size(), 3000U);
  const PreloadRecord done = record();
  EXPECT_EQ(done.state, PreloadState::kDone);
  EXPECT_EQ(done.counts.objects, 3000U);
  EXPECT_EQ(done.counts.came_bytes, 3000 * kObjectBytes);
  EXPECT_EQ(done.mark, CountedStore::key_of(2999));
}

TEST_F(PreloadTest, NothingIsDoneAtOnce) {
  EXPECT_EQ(run(0, notes()), ok_status());
  EXPECT_EQ(record().state, PreloadState::kDone);
  EXPECT_EQ(record().counts, PreloadCounts());
}

TEST_F(PreloadTest, AnObjectThatFailsEndsNothing) {
  const auto bring = [](const BringRequest& request) -> Result<BringOutcome> {
    if (request.key == CountedStore::key_of(5)) {
      return not_found("it has gone");
    }
    return BringOutcome::kWasThere;
  };
  ASSERT_TRUE(run(1000, bring).ok());
  EXPECT_EQ(record().counts, (PreloadCounts{.objects = 999, .bytes = 999 * kObjectBytes, .failed = 1}));
  EXPECT_EQ(record().first_error, "it has gone");
}

TEST_F(PreloadTest, WithoutACacheItEndsAndTheBatchDoesNotCount) {
  can_bring_ = false;
  const Status status =
      run(1000, [](const BringRequest&) -> Result<BringOutcome> { return unavailable("gone"); });
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(record().counts, PreloadCounts());
  EXPECT_EQ(record().mark, "");
  can_bring_ = true;
  ASSERT_TRUE(run(1000, notes()).ok());
  EXPECT_EQ(record().counts.objects, 1000U);
}

TEST_F(PreloadTest, OneThatIsStoppedGoesOnLater) {
  std::stop_source stop;
  const auto bring = [&](const BringRequest& request) {
    brought_.insert(request.key);
    if (brought_.size() == 1500) {
      stop.request_stop();
    }
    return BringOutcome::kCame;
  };
  EXPECT_EQ(run(3000, bring, {}, stop.get_token()).code(), StatusCode::kCancelled);
  const PreloadRecord stopped = record();
  EXPECT_EQ(stopped.state, PreloadState::kUnfinished);
  EXPECT_EQ(stopped.mark, CountedStore::key_of(stopped.counts.objects - 1));
  EXPECT_EQ(stopped.counts.failed, 0U) << "what was stopped did not fail";
  const std::set<std::string> before = std::exchange(brought_, {});
  ASSERT_TRUE(run(3000, notes()).ok());
  EXPECT_EQ(*brought_.begin(), CountedStore::key_of(stopped.counts.objects));
  brought_.insert(before.begin(), before.end());
  EXPECT_EQ(brought_.size(), 3000U);
  EXPECT_EQ(record().counts.objects, 3000U);
}

TEST_F(PreloadTest, NoMoreIsBroughtThanTheCacheHolds) {
  const Status status = run(1000, notes(), {.most_bytes = 500 * kObjectBytes});
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  EXPECT_LE(brought_.size(), 500U);
  EXPECT_GE(brought_.size(), 500U - PreloadBatch::kMaxObjects);
}

TEST_F(PreloadTest, ARateLimitIsForWhatComes) {
  std::atomic<uint64_t> brought{0};
  std::atomic<bool> has_ended{false};
  std::thread preload([&] {
    EXPECT_TRUE(run(1280,
                    [&](const BringRequest&) {
                      ++brought;
                      return BringOutcome::kCame;
                    },
                    {.bytes_per_second = 128 * kObjectBytes})
                    .ok());
    has_ended = true;
  });
  // A batch of 128 takes a second; the first two go at once, since the second is owed.
  uint64_t seconds = 0;
  while (!has_ended) {
    if (timer_.waiting() == 0) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_LE(brought / PreloadBatch::kMaxObjects, seconds + 2);
    timer_.advance_ns(1'000'000'000);
    ++seconds;
  }
  preload.join();
  EXPECT_EQ(brought, 1280U);
  EXPECT_GE(seconds, 7U);
}

TEST_F(PreloadTest, ACacheThatGoesWhileItWaitsForTheRateEndsIt) {
  std::future<Status> ended = std::async(std::launch::async, [&] {
    const auto bring = [&](const BringRequest&) {
      can_bring_ = false;  // what is brought already has come
      return BringOutcome::kCame;
    };
    return run(1280, bring, {.bytes_per_second = 1});
  });
  while (ended.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    timer_.advance_ns(1);  // far less than what the rate asks for
  }
  const Status status = ended.get();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_EQ(record().state, PreloadState::kUnfinished);
  EXPECT_GE(record().counts.objects, PreloadBatch::kMaxObjects);
  EXPECT_LT(record().counts.objects, 1280U);
}

// Also where another one is there already when it learns of that.
TEST_F(PreloadTest, WhatACacheThatHasGoneDidNotBringHasNotFailed) {
  const std::vector<Status> ends = {daemon_gone(), cancelled("the cache was closed")};
  for (const Status& end : ends) {
    std::filesystem::remove(file_);
    int left = 1000;
    const Status status = run(3000, [&](const BringRequest&) -> Result<BringOutcome> {
      return --left < 0 ? Result<BringOutcome>(end) : BringOutcome::kCame;
    });
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
    EXPECT_TRUE(has_lost_cache_);
    EXPECT_EQ(record().counts.failed, 0U);
    EXPECT_LE(record().counts.objects, 1000U);
    ASSERT_TRUE(run(3000, notes()).ok());
    EXPECT_FALSE(has_lost_cache_);
    EXPECT_EQ(record().counts.objects, 3000U);
  }
}

TEST_F(PreloadTest, OneProcessWorksOnARecord) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto file = PreloadFile::open({.file = file_});
    alarm(60);
    const char byte = file.ok() && !(*file)->is_asked_to_stop() ? 'y' : 'n';
    [[maybe_unused]] const ssize_t wrote = write(ready[1], &byte, 1);
    while (file.ok() && !(*file)->is_asked_to_stop()) {
      usleep(1000);
    }
    _exit(7);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  EXPECT_EQ(*preload_worker(file_), child);
  EXPECT_EQ(PreloadFile::open({.file = file_}).status().code(), StatusCode::kAlreadyExists);
  EXPECT_TRUE(*stop_preload(file_));
  int status = 0;
  ASSERT_EQ(wait_for_child(child, &status), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  EXPECT_EQ(*preload_worker(file_), 0);
  EXPECT_FALSE(*stop_preload(file_));
  EXPECT_TRUE(PreloadFile::open({.file = file_}).ok());
}

TEST_F(PreloadTest, OneThreadWorksOnARecord) {
  Result<std::unique_ptr<PreloadFile>> file = PreloadFile::open({.file = file_});
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(PreloadFile::open({.file = file_}).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(*preload_worker(file_), getpid());
  EXPECT_FALSE((*file)->is_asked_to_stop());
  EXPECT_TRUE(*stop_preload(file_));
  EXPECT_TRUE((*file)->is_asked_to_stop());
  file->reset();
  EXPECT_EQ(*preload_worker(file_), 0);
  EXPECT_FALSE(*stop_preload(file_));
  file = PreloadFile::open({.file = file_});
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE((*file)->is_asked_to_stop()) << "that was for the one before";
}

// At each point of each save a process is killed; the next one goes on, and in the end all was brought.
TEST_F(PreloadTest, KilledAtAnyPointItGoesOn) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  constexpr uint64_t kObjects = 128 * 12;
  const std::string log = directory_ / "brought";
  size_t kills = 0;
  for (size_t deadly = 0;; ++deadly) {
    const pid_t child = fork();
    if (child == 0) {
      std::ofstream brought(log, std::ios::app);
      size_t visits = 0;
      const auto at_point = [&](std::string_view) {
        if (visits++ == deadly) {
          kill(getpid(), SIGKILL);
        }
      };
      // Each batch is a save, so that every point of every save is met.
      const Status status = run(
          kObjects,
          [&](const BringRequest& request) {
            brought << request.key << std::endl;
            return BringOutcome::kCame;
          },
          {.save_every_ns = 0}, {}, at_point);
      _exit(status.ok() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(wait_for_child(child, &status), child);
    std::set<std::string> brought;
    std::ifstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      brought.insert(line);
    }
    const Result<std::optional<PreloadRecord>> found = read_preload(file_);
    ASSERT_TRUE(found.ok()) << found.status();
    if (*found && !(*found)->mark.empty()) {
      // All before the mark was brought, whenever the process was killed.
      const auto behind = brought.upper_bound((*found)->mark);
      EXPECT_EQ(static_cast<uint64_t>(std::distance(brought.begin(), behind)), (*found)->counts.objects);
    }
    if (WIFSIGNALED(status)) {
      ++kills;
      continue;
    }
    ASSERT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(brought.size(), kObjects);
    EXPECT_EQ((*found)->state, PreloadState::kDone);
    EXPECT_EQ((*found)->counts.objects, kObjects);
    break;
  }
  EXPECT_GE(kills, std::size(storage::kReplacePoints) * 3);
}

TEST_F(PreloadTest, MillionsOfObjectsTakeTheMemoryOfAWindow) {
  if (kIsSanitized) {
    GTEST_SKIP() << "sanitizers keep what was freed";
  }
  const uint64_t objects = rounds(1'000'000, 10'000'000);
  const auto resident = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) << 10;
  };
  const uint64_t before = resident();
  ASSERT_TRUE(run(objects, [](const BringRequest&) { return BringOutcome::kWasThere; }).ok());
  EXPECT_EQ(record().counts.objects, objects);
  EXPECT_LT(resident() - before, 32 * kMiB);
}

TEST(PreloadRecordTest, IsReadAsItWasWritten) {
  const PreloadRecord record = {.uri = "s3://b/\xff",
                                .order = "seed 1 epoch 2",
                                .mark = std::string("\0\n\"", 3),
                                .state = PreloadState::kDone,
                                .counts = {1, 2, 3, 4, ~uint64_t{0}},
                                .first_error = "why"};
  const std::string text = format_record(record);
  EXPECT_EQ(*parse_record(text, "f"), record);
  for (size_t size = 0; size < text.size() - 2; ++size) {
    EXPECT_EQ(parse_record(text.substr(0, size), "f").status().code(), StatusCode::kDataLoss) << size;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'\0', '"', '-', '9', '{'}) {
      std::string damaged = text;
      damaged[i] = c;
      static_cast<void>(parse_record(damaged, "f"));  // refused, or another record
    }
  }
}

}  // namespace
}  // namespace forebay::cache
