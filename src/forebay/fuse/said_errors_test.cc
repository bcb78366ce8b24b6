#include "forebay/fuse/said_errors.h"

#include <gtest/gtest.h>

namespace forebay::fuse {
namespace {

TEST(SaidErrors, AreOneLineEachWhateverANameIs) {
  EXPECT_EQ(SaidErrors::one_line("s3://b/caf\u00e9 x"), "s3://b/caf\u00e9 x");
  EXPECT_EQ(SaidErrors::one_line("a\nforebay warning: \x1b[2J\x7f\t"), "a?forebay warning: ?[2J??");
}

}  // namespace
}  // namespace forebay::fuse
