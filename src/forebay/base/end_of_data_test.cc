#include "forebay/base/end_of_data.h"

#include <gtest/gtest.h>

#include "forebay/base/error_context.h"

namespace forebay {
namespace {

TEST(EndOfData, IsToldFromOtherErrors) {
  const Status end = end_of_data("no more");
  EXPECT_EQ(end.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(message(end), "no more");
  EXPECT_TRUE(is_end_of_data(end));
  EXPECT_TRUE(is_end_of_data(annotate(end, "feed")));
  EXPECT_TRUE(is_end_of_data(with_context(end, {.position = 3})));
  EXPECT_FALSE(is_end_of_data(out_of_range("index 3 of 2")));
  EXPECT_FALSE(is_end_of_data(ok_status()));
}

}  // namespace
}  // namespace forebay
