#include "forebay/fuse/files/said_errors.h"

#include <gtest/gtest.h>

#include <string>

namespace forebay::fuse {
namespace {

TEST(SaidErrors, AreOneLineEachWhateverANameIs) {
  SaidErrors errors;
  ::testing::internal::CaptureStderr();
  errors.say(unavailable("s3://b/caf\u00e9 a\nforebay warning: \x1b[2J\x7f\t"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "forebay warning: s3://b/caf\u00e9 a?forebay warning: ?[2J??\n");
}

}  // namespace
}  // namespace forebay::fuse
