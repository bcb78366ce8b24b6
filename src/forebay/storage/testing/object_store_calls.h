// What every ObjectStore promises about its calls: contexts, callbacks, many at once, and destruction of the
// store.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <semaphore>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::storage {

template <class Fixture>
class ObjectStoreCalls : public ObjectStoreTestBase<Fixture> {};
TYPED_TEST_SUITE_P(ObjectStoreCalls);

TYPED_TEST_P(ObjectStoreCalls, CallsThatNobodyWantsAreNotMade) {
  this->put("k", "x");
  std::stop_source stop;
  stop.request_stop();
  const std::pair<CallContext, StatusCode> cases[] = {
      {CallContext{.cancellation = stop.get_token()}, StatusCode::kCancelled},
      {CallContext{.deadline_ns = steady_clock().now_ns()}, StatusCode::kDeadlineExceeded}};
  for (const auto& [context, code] : cases) {
    ObjectStore& store = this->store();
    const std::string content = "y";
    EXPECT_EQ(stat_now(store, "k", context).status().code(), code);
    EXPECT_EQ(read_now(store, {.key = "k"}, context).status().code(), code);
    EXPECT_EQ(list_now(store, {}, context).status().code(), code);
    EXPECT_EQ(write_now(store, "k", as_bytes(content), {}, context).status().code(), code);
    EXPECT_EQ(remove_now(store, "k", context).code(), code);
    for (const Status& removed : remove_many_now(store, {"k", "k"}, context)) {
      EXPECT_EQ(removed.code(), code);
    }
    for (const Result<ReadBytes>& read : read_many_now(store, {{.key = "k"}, {.key = "k"}}, context)) {
      EXPECT_EQ(read.status().code(), code);
    }
    if (store.features().can_rename) {
      EXPECT_EQ(rename_now(store, {"k", "l"}, context).status().code(), code);
    }
    if (store.features().can_copy) {
      EXPECT_EQ(copy_now(store, {"k", "l"}, context).status().code(), code);
    }
  }
  EXPECT_EQ(*this->get({.key = "k"}), "x");
  EXPECT_EQ(this->keys({}), std::vector<std::string>{"k"});
  const CallContext in_time = {.deadline_ns = steady_clock().now_ns() + int64_t{3'600'000'000'000}};
  EXPECT_TRUE(read_now(this->store(), {.key = "k"}, in_time).ok());
}

TYPED_TEST_P(ObjectStoreCalls, ReadsManyAtOnce) {
  std::string content(1 << 16, '\0');
  for (size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i * 7 + i / 256);
  }
  this->put("big", content);
  std::vector<ReadRequest> requests;
  for (uint64_t i = 0; i < 100; ++i) {
    requests.push_back({.key = i % 10 == 9 ? "none" : "big", .offset_bytes = i * 601, .length_bytes = i * 5});
  }
  const std::vector<Result<ReadBytes>> results = read_many_now(this->store(), requests);
  for (size_t i = 0; i < results.size(); ++i) {
    if (i % 10 == 9) {
      EXPECT_EQ(results[i].status().code(), StatusCode::kNotFound);
    } else {
      ASSERT_TRUE(results[i].ok()) << results[i].status();
      EXPECT_EQ(text_of(*results[i]), content.substr(i * 601, i * 5));
    }
  }
}

TYPED_TEST_P(ObjectStoreCalls, ServesManyThreads) {
  for (int i = 0; i < 8; ++i) {
    this->put("t" + std::to_string(i), std::string(1000 + i, static_cast<char>('a' + i)));
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const int which = (i + t) % 8;
        const Result<std::string> got = this->get({.key = "t" + std::to_string(which)});
        wrong += !got.ok() || *got != std::string(1000 + which, static_cast<char>('a' + which));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

TYPED_TEST_P(ObjectStoreCalls, ManyAnswersComeOneAtATime) {
  this->put("k", "0123456789");
  constexpr size_t kReads = 200;
  std::atomic<int> under_way = 0;
  std::atomic<int> overlaps = 0;
  std::vector<int> answers(kReads, 0);  // without a lock: that is what the test checks
  size_t left = kReads;
  std::binary_semaphore all(0);
  this->store().read_many(std::vector<ReadRequest>(kReads, {.key = "k"}), {},
                          [&](size_t request, Result<ReadBytes> read) {
                            overlaps += under_way.fetch_add(1) != 0 || !read.ok();
                            ++answers[request];
                            std::this_thread::yield();
                            under_way.fetch_sub(1);
                            if (--left == 0) {
                              all.release();
                            }
                          });
  all.acquire();
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(answers, std::vector<int>(kReads, 1));
}

TYPED_TEST_P(ObjectStoreCalls, CallbacksMayCall) {
  this->put("a", "one");
  this->put("b", "two");
  std::binary_semaphore done(0);
  std::string seen;
  ObjectStore& store = this->store();
  store.read({.key = "a"}, {}, [&](Result<ReadBytes> first) {
    store.stat("b", {}, [&, first = text_of(*first)](Result<ObjectStat> stat) {
      store.read({.key = "b", .if_version = stat->version}, {}, [&, first](Result<ReadBytes> second) {
        seen = first + " " + text_of(*second);
        done.release();
      });
    });
  });
  done.acquire();
  EXPECT_EQ(seen, "one two");
}

TYPED_TEST_P(ObjectStoreCalls, GoesWithCallsInFlight) {
  this->put("k", std::string(100'000, 'x'));
  constexpr int kReads = 100;
  std::counting_semaphore<> answered(0);
  std::atomic<int> wrong = 0;
  for (int i = 0; i < kReads; ++i) {
    this->store().read({.key = "k"}, {}, [&](Result<ReadBytes> read) {
      wrong += !read.ok() || read->size_bytes() != 100'000;
      answered.release();
    });
  }
  this->fixture_.store.reset();
  for (int i = 0; i < kReads; ++i) {
    answered.acquire();
  }
  EXPECT_EQ(wrong, 0);
}

TYPED_TEST_P(ObjectStoreCalls, TheLastOwnerMayGoInACallback) {
  this->put("k", std::string(100'000, 'x'));
  constexpr int kReads = 20;
  std::counting_semaphore<> answered(0);
  std::shared_ptr<ObjectStore> owner = std::move(this->fixture_.store);
  std::vector<std::shared_ptr<ObjectStore>> owners(kReads, owner);
  for (int i = 0; i < kReads; ++i) {
    owner->read({.key = "k"}, {}, [&answered, own = std::move(owners[i])](Result<ReadBytes> read) mutable {
      EXPECT_TRUE(read.ok()) << read.status();
      own.reset();
      answered.release();
    });
  }
  owner.reset();
  for (int i = 0; i < kReads; ++i) {
    answered.acquire();
  }
}

TYPED_TEST_P(ObjectStoreCalls, PlansMayBeSentAndTakenBack) {
  this->put("k", "0123456789");
  std::binary_semaphore is_dropped(0);
  std::shared_ptr<int> held(new int, [&](const int* function) {
    delete function;
    is_dropped.release();
  });
  auto plan = std::make_shared<ReadPlan>(
      0, 1000, [held = std::move(held)](uint64_t position, std::vector<PlannedRange>* ranges) {
        ranges->push_back({position % 2 == 0 ? "k" : "none", position % 10, 1, {}});
      });
  this->store().advise(plan);
  for (uint64_t position = 0; position < 1000; position += 100) {
    EXPECT_EQ(this->get({.key = "k"}).value(), "0123456789");
    plan->advance(position);
  }
  plan->retract();
  EXPECT_EQ(*this->get({.key = "k"}), "0123456789");
  this->fixture_.store.reset();
  is_dropped.acquire();  // a store's thread may just be using the function
}

TYPED_TEST_P(ObjectStoreCalls, BringsManyOrSaysThatItKeepsNothing) {
  this->put("k", "0123456789");
  this->put("l", "");
  std::vector<BringRequest> requests;
  for (const std::string key : {"k", "l", "k"}) {
    const ObjectStat stat = *stat_now(this->store(), key);
    requests.push_back({.key = key, .version = stat.version, .object_bytes = stat.size_bytes});
  }
  const bool can_bring = this->store().features().can_bring;
  for (const Result<BringOutcome>& outcome : bring_many_now(this->store(), requests)) {
    EXPECT_EQ(outcome.status().code(), can_bring ? StatusCode::kOk : StatusCode::kUnimplemented)
        << outcome.status();
  }
  EXPECT_EQ(*this->get({.key = "k"}), "0123456789");
}

REGISTER_TYPED_TEST_SUITE_P(ObjectStoreCalls, CallsThatNobodyWantsAreNotMade, ReadsManyAtOnce,
                            ServesManyThreads, ManyAnswersComeOneAtATime, CallbacksMayCall,
                            GoesWithCallsInFlight, TheLastOwnerMayGoInACallback, PlansMayBeSentAndTakenBack,
                            BringsManyOrSaysThatItKeepsNothing);

}  // namespace forebay::storage
