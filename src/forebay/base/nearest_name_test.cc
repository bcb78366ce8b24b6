#include "forebay/base/nearest_name.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

NearestName nearest(std::string_view wanted) {
  NearestName name(wanted);
  for (const std::string_view known : {"daemon", "demo", "doctor", "ls"}) {
    name.look_at(known);
  }
  return name;
}

TEST(NearestName, TakesTheFewestEdits) {
  EXPECT_EQ(nearest("dokter").found(), "doctor");
  EXPECT_EQ(nearest("deamon").found(), "daemon");
  EXPECT_EQ(nearest("dem").found(), "demo");
  EXPECT_EQ(nearest("lss").found(), "ls");
}

TEST(NearestName, TellsASlipFromAnotherWord) {
  EXPECT_TRUE(nearest("dokter").is_near());
  EXPECT_TRUE(nearest("l").is_near());
  EXPECT_FALSE(nearest("train").is_near());
  EXPECT_FALSE(NearestName("ls").is_near());
  EXPECT_EQ(NearestName("ls").found(), "");
}

}  // namespace
}  // namespace forebay
