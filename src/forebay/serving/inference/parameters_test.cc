// What requests say besides their tensors.
#include "forebay/serving/inference/parameters.h"

#include <gmock/gmock.h>

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;

TEST(Parameters, ThoseWithAMeaningAreTaken) {
  InferRequest request;
  request.parameters = {{"timeout", int64_t{5}},
                        {"priority", int64_t{2}},
                        {"key", int64_t{-7}},
                        {"epoch", int64_t{3}},
                        {"other", std::string("stays")}};
  ASSERT_TRUE(take_parameters(request, 1'000).ok());
  EXPECT_EQ(request.deadline_ns, 6'000);
  EXPECT_EQ(request.priority, 2);
  EXPECT_EQ(request.key, -7);
  EXPECT_EQ(request.epoch, 3);
  EXPECT_THAT(request.parameters, ElementsAre(Key("other")));
}

TEST(Parameters, TheEarlierDeadlineCounts) {
  InferRequest request;
  request.deadline_ns = 2'000;
  request.parameters = {{"timeout", int64_t{5}}};
  ASSERT_TRUE(take_parameters(request, 1'000).ok());
  EXPECT_EQ(request.deadline_ns, 2'000);
}

TEST(Parameters, NoTimeoutIsNoDeadline) {
  for (const int64_t timeout_us : {int64_t{0}, kNoDeadlineNs, kNoDeadlineNs / 1000}) {
    InferRequest request;
    request.parameters = {{"timeout", timeout_us}};
    ASSERT_TRUE(take_parameters(request, 1'000).ok());
    EXPECT_EQ(request.deadline_ns, kNoDeadlineNs) << timeout_us;
  }
}

TEST(Parameters, CountsMayBeBeyondWhatAnIntegerHolds) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr uint64_t kBeyond = uint64_t{1} << 63;
  EXPECT_EQ(*parameter_of_count("any", 7), Parameter(int64_t{7}));
  EXPECT_EQ(*parameter_of_count("any", kBeyond - 1), Parameter(kMost));
  EXPECT_EQ(*parameter_of_count("priority", kBeyond), Parameter(kMost));
  EXPECT_EQ(*parameter_of_count("timeout", std::numeric_limits<uint64_t>::max()), Parameter(kMost));
  EXPECT_THAT(std::string(message(parameter_of_count("key", kBeyond).status())), HasSubstr("'key'"));
}

TEST(Parameters, WhatIsNoNumberIsRefusedByName) {
  for (const char* name : {"timeout", "priority", "key", "epoch"}) {
    InferRequest request;
    request.parameters = {{name, std::string("1")}};
    EXPECT_THAT(std::string(message(take_parameters(request, 0))), HasSubstr(name));
  }
  InferRequest request;
  request.parameters = {{"priority", int64_t{-1}}};
  EXPECT_EQ(take_parameters(request, 0).code(), StatusCode::kInvalidArgument);
}

TEST(Parameters, ThereAreNoSequences) {
  InferRequest request;
  request.parameters = {{"sequence_id", int64_t{0}}, {"sequence_start", false}};
  ASSERT_TRUE(take_parameters(request, 0).ok());
  EXPECT_TRUE(request.parameters.empty());
  request.parameters = {{"sequence_id", int64_t{4}}};
  EXPECT_EQ(take_parameters(request, 0).code(), StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace forebay::serving
