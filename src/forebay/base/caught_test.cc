#include "forebay/base/caught.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace forebay {
namespace {

TEST(Caught, GivesWhatIsReturned) {
  EXPECT_EQ(caught([] { return ok_status(); }), ok_status());
  EXPECT_EQ(*caught([]() -> Result<int> { return 3; }), 3);
  EXPECT_EQ(caught([]() -> Result<int> { return not_found("none"); }).status(), not_found("none"));
}

TEST(Caught, GivesWhatIsThrownAsAnError) {
  EXPECT_EQ(caught([]() -> Status { throw std::bad_alloc(); }), resource_exhausted("out of memory"));
  EXPECT_EQ(caught([]() -> Result<int> { throw std::length_error("too long"); }).status(),
            internal_error("exception: too long"));
  EXPECT_EQ(caught([]() -> Status { throw 5; }).code(), StatusCode::kInternal);
  EXPECT_EQ(caught([]() -> Status { throw ThrownStatus(not_found("none")); }), not_found("none"));
}

}  // namespace
}  // namespace forebay
