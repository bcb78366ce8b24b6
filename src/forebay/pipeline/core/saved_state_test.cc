// A state's text: what is read of it, and what is refused.
#include "forebay/pipeline/core/saved_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/base/testing/fuzz_seed.h"
#include "forebay/pipeline/testing/fed_plan.h"

namespace forebay::pipeline {
namespace {

SavedState some_state() {
  SavedState state;
  state.position = {.iterations = 7, .stream_index = 12, .read = 14, .feed = {6, 1, 12, 2}};
  state.num_shards = 3;
  state.shard_id = 2;
  state.begin = {2, 4, {{2, 5, 9}, {3, 0, 4}, {3, 6, 7}}};
  return state;
}

TEST(SavedStateTest, IsReadAsItWasWritten) {
  const auto plan = fed_plan();
  const std::string text = text_of(some_state(), *plan);
  expect_seed("saved_state_fuzzer", "state.json", text);
  const Result<SavedState> read = parse_state(text, *plan);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(text_of(*read, *plan), text);
  EXPECT_EQ(read->begin, some_state().begin);
  EXPECT_EQ(read->position.read, 14);
}

TEST(SavedStateTest, RefusesWhatIsCutOrSenseless) {
  const auto plan = fed_plan();
  const std::string text = text_of(some_state(), *plan);
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(parse_state(text.substr(0, size), *plan).status().code(), StatusCode::kInvalidArgument) << size;
  }
  const auto status_with = [&](const std::string& before, const std::string& after) {
    std::string changed = text;
    changed.replace(changed.find(before), before.size(), after);
    return parse_state(changed, *plan).status().code();
  };
  EXPECT_EQ(status_with("\"read\":14", "\"read\":-1"), StatusCode::kInvalidArgument);
  EXPECT_EQ(status_with("\"read\":14", "\"read\":1e3"), StatusCode::kInvalidArgument);
  EXPECT_EQ(status_with("\"read\":14", "\"read\":9007199254740993"), StatusCode::kInvalidArgument);
  EXPECT_EQ(status_with("\"shard\":2", "\"shard\":3"), StatusCode::kInvalidArgument);
  EXPECT_EQ(status_with("\"shards\":3", "\"shards\":0"), StatusCode::kInvalidArgument);
  EXPECT_EQ(status_with("[2,5,9]", "[2,5]"), StatusCode::kInvalidArgument);
  EXPECT_EQ(status_with("[2,5,9]", "7"), StatusCode::kInvalidArgument);
  EXPECT_EQ(status_with("\"forebay_state\":4", "\"forebay_state\":3"), StatusCode::kInvalidArgument);
  EXPECT_EQ(status_with("\"seed\":1", "\"seed\":2"), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace forebay::pipeline
