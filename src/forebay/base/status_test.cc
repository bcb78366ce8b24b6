#include "forebay/base/status.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "forebay/base/byte_source.h"
#include "forebay/base/clock.h"
#include "forebay/base/metrics/metrics.h"
#include "forebay/base/system_error.h"

namespace forebay {
namespace {

TEST(StatusTest, MakersGiveCodeAndText) {
  const Status status = invalid_argument("{} is not {}", 3, "four");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(message(status), "3 is not four");
}

TEST(StatusTest, AnnotateKeepsCodeAndPayloads) {
  Status status = data_loss("bad");
  status.SetPayload("type", absl::Cord("value"));
  const Status annotated = annotate(status, "here");
  EXPECT_EQ(annotated.code(), StatusCode::kDataLoss);
  EXPECT_EQ(message(annotated), "here: bad");
  EXPECT_TRUE(annotated.GetPayload("type").has_value());
  EXPECT_TRUE(annotate(ok_status(), "here").ok());
}

TEST(StatusTest, ErrnoValuesHaveTheCodeThatFits) {
  EXPECT_EQ(errno_status(ENOENT, "x").code(), StatusCode::kNotFound);
  EXPECT_EQ(errno_status(EACCES, "x").code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(errno_status(ENOSPC, "x").code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(errno_status(EIO, "x").code(), StatusCode::kUnavailable);
  EXPECT_EQ(message(errno_status(ENOENT, "a.jpg")), "a.jpg: No such file or directory");
}

TEST(StatusTest, TheErrnoValueIsKept) {
  EXPECT_EQ(errno_of(annotate(errno_status(ENOSPC, "x"), "index")), ENOSPC);
  EXPECT_EQ(errno_of(resource_exhausted("a budget")), std::nullopt);
}

Result<int> half(int value) {
  if (value % 2 != 0) {
    return invalid_argument("{} is odd", value);
  }
  return value / 2;
}

Result<int> quarter(int value) {
  FOREBAY_ASSIGN_OR_RETURN(const int once, half(value));
  FOREBAY_ASSIGN_OR_RETURN(const int twice, half(once));
  FOREBAY_RETURN_IF_ERROR(ok_status());
  return twice;
}

TEST(StatusTest, MacrosHandErrorsOn) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(message(quarter(6).status()), "3 is odd");
}

TEST(ByteSourceTest, ReadsAreHeldToTheSource) {
  const std::byte bytes[4] = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  const MemoryByteSource source(bytes);
  std::byte two[2];
  EXPECT_TRUE(source.read(2, two).ok());
  EXPECT_EQ(two[1], std::byte{4});
  EXPECT_EQ(source.read(3, two).code(), StatusCode::kOutOfRange);
  EXPECT_EQ(source.read(~uint64_t{0}, two).code(), StatusCode::kOutOfRange);
  EXPECT_TRUE(source.read(4, {}).ok());
  EXPECT_EQ(source.resident()->size(), 4);
}

TEST(MetricsTest, ACounterIsFoundByName) {
  Counter& first = counter("test_counter");
  first.add(3);
  counter("test_counter").add(4);
  EXPECT_EQ(first.value(), 7);
  bool is_listed = false;
  for (const CounterValue& value : counter_values()) {
    is_listed |= value.name == "test_counter" && value.value == 7;
  }
  EXPECT_TRUE(is_listed);
}

TEST(ClockTest, ASteppedClockMovesWhenTold) {
  SteppedClock clock;
  EXPECT_EQ(clock.now_ns(), 0);
  clock.advance_ns(5);
  EXPECT_EQ(clock.now_ns(), 5);
  const int64_t before_ns = steady_clock().now_ns();
  EXPECT_LE(before_ns, steady_clock().now_ns());
}

}  // namespace
}  // namespace forebay
