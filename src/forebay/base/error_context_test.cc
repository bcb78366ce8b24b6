#include "forebay/base/error_context.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(ErrorContextTest, OkStaysOk) {
  EXPECT_TRUE(with_context(ok_status(), {.position = 3}).ok());
}

TEST(ErrorContextTest, PutsTheContextIntoWordsAndKeepsTheParts) {
  const Status status = with_context(data_loss("truncated"), {.epoch = 2,
                                                              .position = 17,
                                                              .sample_index = 5,
                                                              .origin = {"a.tar", 512, 100},
                                                              .operator_name = "decoders.image"});
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_EQ(
      message(status),
      "sample at position 17 of epoch 2, index 5, 'a.tar' at byte 512, operator 'decoders.image': truncated");
  const ErrorContext context = *context_of(status);
  EXPECT_EQ(context.position, 17);
  EXPECT_EQ(context.epoch, 2);
  EXPECT_EQ(context.sample_index, 5);
  EXPECT_EQ(context.origin.object, "a.tar");
  EXPECT_EQ(context.origin.offset_bytes, 512);
  EXPECT_EQ(context.origin.size_bytes, 100);
  EXPECT_EQ(context.operator_name, "decoders.image");
  EXPECT_EQ(cause_of(status), "truncated");
}

TEST(ErrorContextTest, IsCompletedOnTheWayUpAndNeverOverwritten) {
  Status status = with_context(data_loss("bad"), {.origin = {"b.jpg", 0, 9}});
  status = with_context(status, {.position = 4, .origin = {"other", 1, 1}, .operator_name = "resize"});
  status = with_context(status, {.position = 99, .operator_name = "crop"});
  const ErrorContext context = *context_of(status);
  EXPECT_EQ(context.position, 4);
  EXPECT_EQ(context.origin.object, "b.jpg");
  EXPECT_EQ(context.operator_name, "resize");
  EXPECT_EQ(cause_of(status), "bad");
}

TEST(ErrorContextTest, WhetherItIsOfAReadGoesWithTheOperator) {
  const Status read = with_context(data_loss("bad"), {.operator_name = "reader", .is_read = true});
  EXPECT_TRUE(context_of(with_context(read, {.operator_name = "crop"}))->is_read);
  const Status other = with_context(data_loss("bad"), {.operator_name = "crop"});
  EXPECT_FALSE(context_of(with_context(other, {.operator_name = "reader", .is_read = true}))->is_read);
}

TEST(ErrorContextTest, NamesMayHoldAnyByte) {
  std::string name;
  for (int byte = 1; byte < 256; ++byte) {
    name.push_back(static_cast<char>(byte));
  }
  const Status status =
      with_context(data_loss("bad\x1fly"), {.origin = {name, 1, 2}, .operator_name = "7 " + name});
  const ErrorContext context = *context_of(status);
  EXPECT_EQ(context.origin.object, name);
  EXPECT_EQ(context.origin.offset_bytes, 1);
  EXPECT_EQ(context.operator_name, "7 " + name);
  EXPECT_EQ(cause_of(status), "bad\x1fly");
}

TEST(ErrorContextTest, AnErrorWithoutContextHasNone) {
  EXPECT_FALSE(context_of(data_loss("x")).has_value());
  EXPECT_EQ(cause_of(data_loss("x")), "x");
}

TEST(ErrorContextTest, OtherPayloadsAreKept) {
  Status status = data_loss("x");
  status.SetPayload("other", absl::Cord("y"));
  const Status named = with_context(status, {.position = 1});
  EXPECT_TRUE(named.GetPayload("other").has_value());
  EXPECT_TRUE(without_context(named).GetPayload("other").has_value());
}

TEST(ErrorContextTest, CanBeTakenOff) {
  EXPECT_EQ(without_context(with_context(data_loss("x"), {.position = 1})), data_loss("x"));
  EXPECT_EQ(without_context(data_loss("x")), data_loss("x"));
  EXPECT_TRUE(without_context(ok_status()).ok());
}

}  // namespace
}  // namespace forebay
