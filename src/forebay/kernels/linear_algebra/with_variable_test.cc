#include "forebay/kernels/linear_algebra/with_variable.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace forebay::kernels {
namespace {

std::string value_of(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "(none)" : value;
}

TEST(WithVariableTest, SaysItForTheTimeOfTheCall) {
  std::string inside;
  std::string path_inside;
  const std::string path = value_of("PATH");
  with_variable("FOREBAY_OF_A_TEST=7", [&] {
    inside = value_of("FOREBAY_OF_A_TEST");
    path_inside = value_of("PATH");
  });
  EXPECT_EQ(inside, "7");
  EXPECT_EQ(path_inside, path);
  EXPECT_EQ(value_of("FOREBAY_OF_A_TEST"), "(none)");
}

TEST(WithVariableTest, WhatItSaidBeforeComesBack) {
  setenv("FOREBAY_OF_A_TEST", "before", 1);
  std::string inside;
  with_variable("FOREBAY_OF_A_TEST=7", [&] { inside = value_of("FOREBAY_OF_A_TEST"); });
  EXPECT_EQ(inside, "7");
  EXPECT_EQ(value_of("FOREBAY_OF_A_TEST"), "before");
  unsetenv("FOREBAY_OF_A_TEST");
}

TEST(WithVariableTest, WhatIsAddedMeanwhileStays) {
  for (const bool was_said : {false, true}) {
    if (was_said) {
      setenv("FOREBAY_OF_A_TEST", "before", 1);
    }
    with_variable("FOREBAY_OF_A_TEST=7", [] { setenv("FOREBAY_OF_ANOTHER_TEST", "8", 1); });
    EXPECT_EQ(value_of("FOREBAY_OF_A_TEST"), was_said ? "before" : "(none)");
    EXPECT_EQ(value_of("FOREBAY_OF_ANOTHER_TEST"), "8");
    unsetenv("FOREBAY_OF_ANOTHER_TEST");
  }
  unsetenv("FOREBAY_OF_A_TEST");
}

TEST(WithVariableTest, WhatIsReplacedOrRemovedMeanwhileStaysSo) {
  setenv("FOREBAY_OF_ANOTHER_TEST", "old", 1);
  with_variable("FOREBAY_OF_A_TEST=7", [] { setenv("FOREBAY_OF_ANOTHER_TEST", "new", 1); });
  EXPECT_EQ(value_of("FOREBAY_OF_ANOTHER_TEST"), "new");
  with_variable("FOREBAY_OF_A_TEST=7", [] { unsetenv("FOREBAY_OF_ANOTHER_TEST"); });
  EXPECT_EQ(value_of("FOREBAY_OF_ANOTHER_TEST"), "(none)");
  EXPECT_EQ(value_of("FOREBAY_OF_A_TEST"), "(none)");
}

}  // namespace
}  // namespace forebay::kernels
