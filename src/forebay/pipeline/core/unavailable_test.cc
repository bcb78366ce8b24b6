// Errors that are not a sample's own: the store cannot be reached, or refuses. No policy drops a sample for
// these.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/files.h"
#include "forebay/pipeline/testing/operators.h"
#include "forebay/pipeline/testing/text_of.h"

namespace forebay::pipeline {
namespace {

using testing::FileFolder;
using testing::replace_operator;

constexpr int kSamplesInAll = 12;
constexpr int kSamplesABatch = 4;
constexpr int64_t kUnreachable = 5;  // the index of the sample whose store is away
constexpr OnError kPolicies[] = {OnError::kRaise, OnError::kSkip, OnError::kReplace};

class UnavailableTest : public ::testing::Test {
 protected:
  /// file -> work -> keep all, if asked for. While `*is_away_`, one sample fails with `error_`.
  std::shared_ptr<const Plan> plan(bool has_keep = false) {
    Graph graph;
    Node reader;
    reader.op = "readers.file";
    reader.constants["files"] = folder_.files();
    Node work;
    work.op = "copy";
    work.name = "work";
    work.inputs = {{*graph.add(reader), 0}};
    Edge output{*graph.add(work), 0};
    if (has_keep) {
      Node coin;
      coin.op = "random.coin_flip";
      coin.constants["probability"] = 1.0;
      Node keep;
      keep.op = "keep";
      keep.inputs = {output};
      keep.tensors = {{"where", Edge{*graph.add(coin), 0}}};
      output = {*graph.add(keep), 0};
    }
    EXPECT_TRUE(graph.set_outputs({output}).ok());
    auto plan = Plan::compile(graph, {.batch_size = kSamplesABatch});
    EXPECT_TRUE(plan.ok()) << plan.status();
    replace_operator(**plan, "work", [away = is_away_, error = error_](operators::Sample& sample) -> Status {
      if (*away && sample.identity().sample_index == kUnreachable) {
        return error;
      }
      sample.forward(0, sample.input(0));
      return ok_status();
    });
    return *plan;
  }
  static std::unique_ptr<Session> open(const std::shared_ptr<const Plan>& plan, OnError policy) {
    SessionOptions options;
    options.num_threads = 2;
    options.on_error = policy;
    auto session = Session::create(plan, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }
  static std::set<std::string> texts_of(const Delivery& delivery) {
    std::set<std::string> texts;
    for (int i = 0; i < delivery.outputs[0].size(); ++i) {
      texts.insert(text_of(delivery.outputs[0][i]));
    }
    return texts;
  }

  FileFolder folder_{kSamplesInAll};
  // Tasks of a session may end after it, and after the test.
  std::shared_ptr<std::atomic<bool>> is_away_ = std::make_shared<std::atomic<bool>>(true);
  Status error_ = unavailable("s3://b/k: no connection");
};

TEST_F(UnavailableTest, RaisesUnderEveryPolicy) {
  for (const Status& error :
       {unavailable("away"), permission_denied("refused"), make_status(StatusCode::kDeadlineExceeded, "late"),
        errno_status(EMFILE, "a file"), errno_status(ENOSPC, "a file"), errno_status(ESTALE, "a file")}) {
    error_ = error;
    for (const OnError policy : kPolicies) {
      for (const bool has_keep : {false, true}) {
        const auto session = open(plan(has_keep), policy);
        EXPECT_TRUE(session->run().ok());
        EXPECT_EQ(session->run().status().code(), error.code()) << name_of(policy) << has_keep;
        ASSERT_EQ(session->errors().count(), 1u);
        if (has_keep) {
          EXPECT_TRUE(session->run().ok()) << "goes on behind it";
        }
        EXPECT_EQ(session->errors().errors()[0].action, "raised");
        EXPECT_EQ(session->errors().errors()[0].context.sample_index, kUnreachable);
      }
    }
  }
}

TEST_F(UnavailableTest, ABatchOfOneIsNotReplaced) {
  const auto made = Plan::compile(plan()->graph(), {.batch_size = 1});
  replace_operator(**made, "work", [](operators::Sample&) { return unavailable("away"); });
  const auto session = open(*made, OnError::kSkip);
  EXPECT_EQ(session->run().status().code(), StatusCode::kUnavailable);
}

TEST_F(UnavailableTest, ABrokenSampleBesideItDoesNotHideIt) {
  const auto made = plan();
  replace_operator(*made, "work", [](operators::Sample& sample) -> Status {
    if (sample.identity().sample_index == kUnreachable - 1) {
      return data_loss("broken");
    }
    return unavailable("away");
  });
  for (const OnError policy : kPolicies) {
    const auto session = open(made, policy);
    EXPECT_EQ(session->run().status().code(), StatusCode::kUnavailable);
    EXPECT_EQ(session->run().status().code(), StatusCode::kUnavailable) << "the sample before it is broken";
  }
}

TEST_F(UnavailableTest, ABrokenSampleBesideItIsLoggedOnceWhenTheBatchComes) {
  const auto made = plan();
  replace_operator(*made, "work", [away = is_away_](operators::Sample& sample) -> Status {
    if (sample.identity().sample_index == 0) {
      return data_loss("broken");
    }
    if (*away && sample.identity().sample_index == 1) {
      return unavailable("away");
    }
    sample.forward(0, sample.input(0));
    return ok_status();
  });
  const auto session = open(made, OnError::kSkip);
  EXPECT_EQ(session->run().status().code(), StatusCode::kUnavailable);
  *is_away_ = false;
  Result<Delivery> delivery = session->run();
  while (!delivery.ok()) {  // what was made again while the store was away
    ASSERT_EQ(delivery.status().code(), StatusCode::kUnavailable);
    delivery = session->run();
  }
  EXPECT_EQ(delivery->samples.size(), static_cast<size_t>(kSamplesABatch - 1));
  std::vector<std::string> skipped;
  const ErrorLog log = session->errors();
  for (const SampleError& error : log.errors()) {
    if (error.action != "raised") {
      skipped.push_back(error.cause + " " + error.action);
    }
  }
  EXPECT_EQ(skipped, std::vector<std::string>{"broken skipped"});
}

// Whoever catches the error and goes on misses nothing.
TEST_F(UnavailableTest, TheNextRunGivesTheBatchThatFailed) {
  for (const OnError policy : kPolicies) {
    *is_away_ = true;
    const auto session = open(plan(), policy);
    std::set<std::string> seen = texts_of(*session->run());
    for (int attempt = 0; attempt < 3; ++attempt) {
      EXPECT_EQ(session->run().status().code(), StatusCode::kUnavailable);
    }
    *is_away_ = false;
    for (int batch = 1; batch < kSamplesInAll / kSamplesABatch; ++batch) {
      Result<Delivery> delivery = session->run();
      while (!delivery.ok()) {  // what was made again while the store was away
        ASSERT_EQ(delivery.status().code(), StatusCode::kUnavailable);
        delivery = session->run();
      }
      EXPECT_EQ(delivery->iteration, batch);
      seen.merge(texts_of(*delivery));
    }
    EXPECT_EQ(seen.size(), static_cast<size_t>(kSamplesInAll)) << name_of(policy);
  }
}

TEST_F(UnavailableTest, AStateOfThenGoesOnWithTheBatchThatFailed) {
  for (const OnError policy : kPolicies) {
    for (const bool has_keep : {false, true}) {
      *is_away_ = true;
      const auto made = plan(has_keep);
      const auto session = open(made, policy);
      std::set<std::string> seen = texts_of(*session->run());
      ASSERT_FALSE(session->run().ok());
      const std::string state = session->state();

      *is_away_ = false;
      const auto resumed = open(made, policy);
      ASSERT_TRUE(resumed->restore(state).ok());
      for (int batch = 1; batch < kSamplesInAll / kSamplesABatch; ++batch) {
        const Result<Delivery> delivery = resumed->run();
        ASSERT_TRUE(delivery.ok()) << delivery.status();
        seen.merge(texts_of(*delivery));
      }
      EXPECT_EQ(seen.size(), static_cast<size_t>(kSamplesInAll)) << name_of(policy) << has_keep;
    }
  }
}

}  // namespace
}  // namespace forebay::pipeline
