#include "forebay/serving/repository/repository.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "forebay/base/testing/stepped_timer.h"
#include "forebay/serving/testing/served_models.h"

namespace forebay::serving {
namespace {

using testing::int32_values;
using testing::kTripleConfig;
using testing::TwinAnswer;
using testing::TwinPace;
using Served = testing::ServedModels;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// One turn of polling. Each puts off the next, which is how its end is seen.
void poll(const Served& served, SteppedTimer& timer) {
  while (timer.waiting() == 0) {
    std::this_thread::yield();
  }
  timer.advance_ns(served.options.poll_interval_ns);
  while (timer.waiting() == 0) {
    std::this_thread::yield();
  }
}

TEST(RepositoryChanges, ModelsAreLoadedAndUnloadedByRequest) {
  Served served(ModelControl::kExplicit);
  served.write("two/1/model.twin", "2");
  served.write("three/1/model.twin", "3");
  served.options.models_at_start = {"three"};
  ASSERT_EQ(served.open(), ok_status());
  EXPECT_THAT(served.states(), ElementsAre("three/1 READY", "two/ "));
  EXPECT_EQ(served.infer("two").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(served.load("two"), ok_status());
  EXPECT_EQ(served.factor("two"), 2);
  served.write("two/1/model.twin", "22");
  const auto before = served.loader.twin("two");
  EXPECT_EQ(served.load("two"), ok_status());
  EXPECT_EQ(served.factor("two"), 22);
  EXPECT_EQ(served.unload("two"), ok_status());
  EXPECT_TRUE(before->is_closed());
  EXPECT_TRUE(served.loader.twin("two")->is_closed());
  EXPECT_EQ(served.infer("two").status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(served.states(), ElementsAre("three/1 READY", "two/1 UNAVAILABLE"));
  EXPECT_THAT(served.repository->index(true).size(), 1);
  EXPECT_EQ(served.load("two"), ok_status());
  EXPECT_EQ(served.factor("two"), 22);
}

TEST(RepositoryChanges, NamesThatLeadElsewhereAreRefused) {
  Served served(ModelControl::kExplicit);
  ASSERT_EQ(served.open(), ok_status());
  for (const std::string& name :
       {std::string(".."), std::string("a/b"), std::string("a\0b", 3), std::string("\xff"), std::string(),
        std::string(300, 'a'), std::string("a\nb")}) {
    EXPECT_EQ(served.load(name).code(), StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(served.unload(name).code(), StatusCode::kInvalidArgument) << name;
  }
  EXPECT_EQ(served.load("nothing").code(), StatusCode::kNotFound);
  EXPECT_EQ(served.unload("nothing").code(), StatusCode::kNotFound);
  EXPECT_THAT(served.states(), IsEmpty());
}

TEST(RepositoryChanges, LoadsByRequestNeedExplicitControl) {
  Served served;
  served.write("two/1/model.twin", "2");
  ASSERT_EQ(served.open(), ok_status());
  EXPECT_EQ(served.load("two").code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(served.unload("two").code(), StatusCode::kFailedPrecondition);
}

TEST(RepositoryChanges, WhatFailsToLoadAgainIsServedAsBefore) {
  Served served(ModelControl::kExplicit);
  served.write("two/1/model.twin", "2");
  served.options.models_at_start = {"*"};
  ASSERT_EQ(served.open(), ok_status());
  served.write("two/1/model.twin", "broken");
  EXPECT_THAT(std::string(message(served.load("two"))), HasSubstr("has no number"));
  EXPECT_EQ(served.factor("two"), 2);
  EXPECT_THAT(served.repository->index(true).at(0).reason, HasSubstr("served as before"));
}

TEST(RepositoryChanges, RequestsUnderWayEndOnTheModelTheyBeganOn) {
  Served served(ModelControl::kExplicit, TwinPace::kWhenTold);
  served.write("two/1/model.twin", "2");
  served.options.models_at_start = {"two"};
  ASSERT_EQ(served.open(), ok_status());
  const auto old = served.loader.twin("two");
  TwinAnswer before;
  served.repository->infer(Served::request("two", "", 1), before.answer());
  served.write("two/1/model.twin", "5");
  ASSERT_EQ(served.load("two"), ok_status());
  TwinAnswer after;
  served.repository->infer(Served::request("two", "", 1), after.answer());
  EXPECT_FALSE(old->is_closed());
  old->answer_next();
  served.loader.twin("two")->answer_next();
  EXPECT_THAT(int32_values(before.get()->outputs[0]), ElementsAre(2));
  EXPECT_THAT(int32_values(after.get()->outputs[0]), ElementsAre(5));
  served.repository->close(steady_clock().now_ns() + testing::kServedPatience_ns);
  EXPECT_TRUE(old->is_closed());
}

TEST(RepositoryChanges, StatesCanBeSeenWhileLoading) {
  Served served(ModelControl::kExplicit);
  served.write("two/1/model.twin", "2");
  ASSERT_EQ(served.open(), ok_status());
  const auto gate = std::make_shared<::forebay::testing::Gate>();
  served.loader.hold(gate);
  std::promise<Status> told;
  served.repository->load("two", [&](Status status) { told.set_value(std::move(status)); });
  gate->wait_until_reached();
  EXPECT_THAT(served.states(), ElementsAre("two/1 LOADING"));
  EXPECT_EQ(served.infer("two").status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(served.error("two"), HasSubstr("LOADING"));
  gate->open();
  EXPECT_EQ(told.get_future().get(), ok_status());
  EXPECT_EQ(served.factor("two"), 2);
}

TEST(RepositoryChanges, AnEnsembleBringsItsMembersAndFollowsThem) {
  Served served(ModelControl::kExplicit);
  served.write("two/1/model.twin", "2");
  served.write("three/1/model.twin", "3");
  served.write("triple/config.pbtxt", kTripleConfig);
  ASSERT_EQ(served.open(), ok_status());
  ASSERT_EQ(served.load("triple"), ok_status());
  EXPECT_EQ(served.factor("triple"), 6);
  EXPECT_EQ(served.repository->metadata("triple", "")->platform, "ensemble");
  EXPECT_EQ(served.infer("triple")->steps.size(), 2);
  EXPECT_EQ(served.repository->statistics("two", "")->at(0).success_count, 2);
  served.write("three/1/model.twin", "30");
  ASSERT_EQ(served.load("three"), ok_status());
  EXPECT_EQ(served.factor("triple"), 60);
  ASSERT_EQ(served.unload("three"), ok_status());
  EXPECT_THAT(served.error("triple"), HasSubstr("step 1 (model 'three')"));
}

TEST(RepositoryChanges, PollingFollowsTheFolder) {
  Served served(ModelControl::kPoll);
  const auto timer = std::make_shared<SteppedTimer>();
  served.options.timer = timer;
  served.write("two/1/model.twin", "2");
  served.write("old/1/model.twin", "1");
  ASSERT_EQ(served.open(), ok_status());
  poll(served, *timer);
  EXPECT_EQ(served.loader.loads(), 2) << "what did not change is not loaded";
  served.write("two/2/model.twin", "22");
  served.write("new.twin", "3");
  served.write("bad/1/model.twin", "x");
  std::filesystem::remove_all(served.root / "old");
  poll(served, *timer);
  EXPECT_EQ(served.factor("two"), 22);
  EXPECT_EQ(served.factor("new"), 3);
  EXPECT_EQ(served.infer("old").status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(served.loader.loads(), 5);
  poll(served, *timer);
  EXPECT_EQ(served.loader.loads(), 5) << "what is broken is tried again when it changes";
  served.write("bad/1/model.twin", "123");
  poll(served, *timer);
  EXPECT_EQ(served.factor("bad"), 123);
}

TEST(RepositoryChanges, AnEnsembleThatLacksAMemberIsThereOnceItIs) {
  Served served(ModelControl::kPoll);
  const auto timer = std::make_shared<SteppedTimer>();
  served.options.timer = timer;
  served.write("two/1/model.twin", "2");
  served.write("three/1/model.twin", "broken");
  served.write("triple/config.pbtxt", kTripleConfig);
  EXPECT_NE(served.open(), ok_status());
  EXPECT_THAT(served.error("triple"), HasSubstr("model 'three'"));
  const int loads = served.loader.loads();
  poll(served, *timer);
  EXPECT_EQ(served.loader.loads(), loads) << "the member is not tried again before it changes";
  served.write("three/1/model.twin", "333");
  poll(served, *timer);
  EXPECT_EQ(served.factor("triple"), 666);
}

TEST(RepositoryChanges, CloseEndsRequestsAndEnsemblesBeforeTheirMembers) {
  Served served(ModelControl::kNone, TwinPace::kWhenTold);
  served.write("two/1/model.twin", "2");
  served.write("three/1/model.twin", "3");
  served.write("triple/config.pbtxt", kTripleConfig);
  ASSERT_EQ(served.open(), ok_status());
  TwinAnswer answer;
  served.repository->infer(Served::request("triple", "", 1), answer.answer());
  std::thread closer(
      [&] { served.repository->close(steady_clock().now_ns() + testing::kServedPatience_ns); });
  while (served.repository->is_model_ready("triple", "")) {
    std::this_thread::yield();
  }
  served.loader.twin("two")->answer_next();
  served.loader.twin("three")->answer_next();
  closer.join();
  ASSERT_TRUE(answer.get().ok()) << answer.get().status();
  EXPECT_THAT(int32_values(answer.get()->outputs[0]), ElementsAre(6));
  EXPECT_FALSE(served.repository->is_live());
  EXPECT_FALSE(served.load("two").ok());
}

TEST(RepositoryChanges, CloseDoesNotWaitLongerThanItMay) {
  Served served(ModelControl::kNone, TwinPace::kWhenTold);
  served.write("two/1/model.twin", "2");
  ASSERT_EQ(served.open(), ok_status());
  TwinAnswer answer;
  served.repository->infer(Served::request("two", "", 1), answer.answer());
  served.repository->close(0);
  EXPECT_EQ(answer.get().status().code(), StatusCode::kUnavailable);
}

TEST(RepositoryChanges, ServesThroughLoadsWithoutAnError) {
  Served served(ModelControl::kExplicit);
  served.write("two/1/model.twin", "2");
  served.options.models_at_start = {"two"};
  ASSERT_EQ(served.open(), ok_status());
  std::atomic<bool> is_over{false};
  std::vector<std::thread> clients;
  std::atomic<int> failures{0};
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back([&] {
      while (!is_over) {
        failures += served.infer("two").ok() ? 0 : 1;
      }
    });
  }
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(served.load("two"), ok_status());
  }
  is_over = true;
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace forebay::serving
