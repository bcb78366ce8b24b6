#include "forebay/cache/store/access_check.h"
#include "forebay/cache/store/cache_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/units.h"
#include "forebay/cache/cache.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::text_of;

constexpr int64_t kHour = 3'600'000'000'000;

/// The same objects, with the credentials of one user; counts the questions whether they may be read.
class UsersStore final : public storage::ForwardingStore {
 public:
  explicit UsersStore(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override {
    const bool is_question = request.length_bytes == 1;
    asks += is_question ? 1 : 0;
    if (is_question && holds) {
      held.push_back([this, request = std::move(request), context, done = std::move(done)]() mutable {
        answer(std::move(request), context, std::move(done));
      });
    } else {
      answer(std::move(request), context, std::move(done));
    }
  }
  std::string uri_of(std::string_view key) const override {
    return scheme.empty() ? inner().uri_of(key) : scheme + std::string(key);
  }
  void step() {
    auto first = std::move(held.front());
    held.pop_front();
    first();
  }

  std::string scheme;  // as if of another service
  Status refusal;
  std::string refused_key;  // empty: all
  int asks = 0;
  bool holds = false;
  std::deque<absl::AnyInvocable<void()>> held;

 private:
  void answer(storage::ReadRequest request, const storage::CallContext& context, storage::ReadCallback done) {
    if (!refusal.ok() && (refused_key.empty() || refused_key == request.key)) {
      done(refusal);
    } else {
      inner().read(std::move(request), context, std::move(done));
    }
  }
};

class AccessCheckTest : public ::testing::Test {
 protected:
  AccessCheckTest() {
    for (const char* const key : {"b/1", "b/2", "c/1"}) {
      EXPECT_TRUE(write_now(*objects_, key, as_bytes(std::string("content"))).ok());
      versions_[key] = stat_now(*objects_, key)->version;
      // Somebody who may read it brings it.
      EXPECT_TRUE(read(*front_of(std::make_shared<UsersStore>(objects_)), key).ok());
    }
  }
  std::shared_ptr<storage::ObjectStore> front_of(std::shared_ptr<storage::ObjectStore> upstream) {
    return store_over(cache_, std::move(upstream), {.access_trusted_ns = kHour, .clock = &clock_});
  }
  Result<std::string> read(storage::ObjectStore& store, const std::string& key) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                             read_now(store, {.key = key, .if_version = versions_[key]}));
    return text_of(read);
  }

  TemporaryDirectory directory_;
  SteppedClock clock_;
  std::map<std::string, std::string> versions_;
  const std::shared_ptr<storage::MemoryStore> objects_ = std::make_shared<storage::MemoryStore>();
  const std::shared_ptr<Cache> cache_ = *Cache::open(
      {.directories = {{.path = directory_ / "cache", .quota_bytes = 64 * kMiB, .least_free_bytes = 0}}});
  const std::shared_ptr<UsersStore> user_ = std::make_shared<UsersStore>(objects_);
  const std::shared_ptr<storage::ObjectStore> front_ = front_of(user_);
};

TEST_F(AccessCheckTest, AsksOnceAnHourForEachBucket) {
  EXPECT_TRUE(read(*front_, "b/1").ok());
  EXPECT_TRUE(read(*front_, "b/2").ok());
  EXPECT_EQ(user_->asks, 1);
  EXPECT_TRUE(read(*front_, "c/1").ok());
  EXPECT_EQ(user_->asks, 2);
  clock_.advance_ns(kHour);
  EXPECT_TRUE(read(*front_, "b/2").ok());
  EXPECT_TRUE(read(*front_, "b/1").ok());
  EXPECT_EQ(user_->asks, 3);
}

/// Takes its time, so that others come meanwhile.
class SlowStore final : public storage::ForwardingStore {
 public:
  explicit SlowStore(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override {
    for (int i = 0; i < 20; ++i) {
      std::this_thread::yield();
    }
    inner().read(std::move(request), context, std::move(done));
  }
};

TEST_F(AccessCheckTest, EachOfManyWhoAskAtOnceIsAnswered) {
  constexpr int kThreads = 4;
  const auto slow = std::make_shared<SlowStore>(objects_);
  for (int round = 0; round < 1000; ++round) {
    const auto check = std::make_shared<AccessCheck>(slow, clock_, kHour);
    std::barrier<> start(kThreads);
    std::atomic<int> answered = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        const std::stop_source stop;
        check->ask("b/1", versions_.at("b/1"), {.cancellation = stop.get_token()},
                   [&](const Status& status) { answered += status.ok() ? 1 : 0; });
      });
    }
    threads.clear();
    ASSERT_EQ(answered, kThreads) << "in round " << round;
  }
}

TEST_F(AccessCheckTest, WhoeverIsRefusedGetsNothing) {
  user_->refusal = permission_denied("mem://b/1: refused");
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_EQ(read(*front_, "b/1").status().code(), StatusCode::kPermissionDenied);
  }
  const storage::ReadRequest resident = {.key = "b/1", .if_version = versions_["b/1"], .only_resident = true};
  EXPECT_EQ(read_now(*front_, resident).status().code(), StatusCode::kPermissionDenied);
  user_->refusal = ok_status();
  EXPECT_EQ(*read(*front_, "b/1"), "content");
}

TEST_F(AccessCheckTest, WhatUpstreamHasGivenIsEnough) {
  ASSERT_TRUE(write_now(*objects_, "b/new", as_bytes(std::string("not cached"))).ok());
  EXPECT_EQ(text_of(*read_now(*front_, {.key = "b/new"})), "not cached");
  EXPECT_TRUE(read(*front_, "b/1").ok());
  EXPECT_EQ(user_->asks, 0);
}

// A server may say that there is none to hide an object.
TEST_F(AccessCheckTest, WhatHasGoneOrChangedSaysWhatItSays) {
  ASSERT_TRUE(remove_now(*objects_, "b/1").ok());
  EXPECT_EQ(read(*front_, "b/1").status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(write_now(*objects_, "b/2", as_bytes(std::string("another"))).ok());
  EXPECT_EQ(*read(*front_, "b/2"), "content");  // whoever names its version wants that one
}

// S3 and GCS tell whoever may not read a bucket so; others may say that there is no object.
TEST_F(AccessCheckTest, WhatIsNotThereLetsInWhereARefusalIsCalledOne) {
  user_->refusal = not_found("none");
  for (const auto& [scheme, expected] :
       std::map<std::string, StatusCode>{{"s3://", StatusCode::kOk},
                                         {"gs://", StatusCode::kOk},
                                         {"az://", StatusCode::kNotFound},
                                         {"abfs://", StatusCode::kNotFound},
                                         {"https://", StatusCode::kNotFound}}) {
    user_->scheme = scheme;
    StatusCode answer = StatusCode::kUnknown;
    std::make_shared<AccessCheck>(user_, clock_, kHour)
        ->ask("b/1", versions_.at("b/1"), {}, [&](const Status& status) { answer = status.code(); });
    EXPECT_EQ(answer, expected) << scheme;
  }
}

TEST_F(AccessCheckTest, ARefusalIsOfOneObject) {
  user_->refusal = permission_denied("mem://b/1: refused");
  user_->refused_key = "b/1";
  user_->holds = true;
  std::map<std::string, StatusCode> answers;
  for (const char* const key : {"b/1", "b/2"}) {
    front_->read({.key = key, .if_version = versions_[key]}, {},
                 [&, key](const Result<storage::ReadBytes>& read) { answers[key] = read.status().code(); });
  }
  EXPECT_EQ(user_->asks, 1);
  user_->step();
  EXPECT_EQ(user_->asks, 2);
  user_->step();
  EXPECT_EQ(answers["b/1"], StatusCode::kPermissionDenied);
  EXPECT_EQ(answers["b/2"], StatusCode::kOk);
}

TEST_F(AccessCheckTest, AnOutageShutsOutOnlyStrangers) {
  user_->refusal = unavailable("away");
  EXPECT_EQ(read(*front_, "b/1").status().code(), StatusCode::kUnavailable);
  user_->refusal = ok_status();
  EXPECT_TRUE(read(*front_, "b/1").ok());
  clock_.advance_ns(kHour);
  user_->refusal = unavailable("away");
  user_->holds = true;  // as it takes long to find out
  const int asks = user_->asks;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(read(*front_, "b/1").ok());
  }
  EXPECT_EQ(user_->asks, asks + 1);
  user_->step();
  EXPECT_TRUE(read(*front_, "b/1").ok());
  EXPECT_EQ(user_->asks, asks + 2);
  user_->refusal = permission_denied("refused");
  user_->step();
  user_->holds = false;
  EXPECT_EQ(read(*front_, "b/1").status().code(), StatusCode::kPermissionDenied);
  user_->refusal = unavailable("away");
  EXPECT_EQ(read(*front_, "b/1").status().code(), StatusCode::kUnavailable) << "it was refused since";
}

TEST_F(AccessCheckTest, ThoseWhoComeMeanwhileWaitForOneAnswer) {
  user_->holds = true;
  int answered = 0;
  for (const char* const key : {"b/1", "b/2", "b/1"}) {
    front_->read({.key = key, .if_version = versions_[key]}, {},
                 [&](const Result<storage::ReadBytes>& read) { answered += read.ok() ? 1 : 0; });
  }
  EXPECT_EQ(user_->asks, 1);
  EXPECT_EQ(answered, 0);
  user_->step();
  EXPECT_EQ(answered, 3);
}

TEST_F(AccessCheckTest, WhoeverDoesNotWantItAnyMoreDoesNotWait) {
  user_->holds = true;
  std::stop_source stop;
  std::promise<StatusCode> answer;
  front_->read({.key = "b/1", .if_version = versions_["b/1"]}, {.cancellation = stop.get_token()},
               [&](const Result<storage::ReadBytes>& read) { answer.set_value(read.status().code()); });
  stop.request_stop();
  EXPECT_EQ(answer.get_future().get(), StatusCode::kCancelled);
  user_->step();
}

}  // namespace
}  // namespace forebay::cache
