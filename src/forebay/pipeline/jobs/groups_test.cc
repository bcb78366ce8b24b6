#include "forebay/pipeline/jobs/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GroupsTest, AGroupIsTakenOnceItIsComplete) {
  Groups groups(5, 2, false);
  groups.arrive(3);
  EXPECT_THAT(groups.take(), IsEmpty());
  groups.arrive(2);
  EXPECT_THAT(groups.take(), ElementsAre(2, 3));
  EXPECT_THAT(groups.take(), IsEmpty());
  groups.arrive(4);  // the last group has one sample
  EXPECT_THAT(groups.take(), ElementsAre(4));
}

TEST(GroupsTest, NobodyWaitsForOneThatHasLeft) {
  Groups groups(4, 2, false);
  groups.arrive(0);
  groups.leave(1);
  EXPECT_THAT(groups.take(), ElementsAre(0));
  groups.leave(2);
  groups.leave(3);
  EXPECT_THAT(groups.take(), IsEmpty());
}

TEST(GroupsTest, WhoComesLateIsAGroupOfItsOwn) {
  Groups groups(2, 2, false);
  groups.leave(1);
  groups.arrive(0);
  EXPECT_THAT(groups.take(), ElementsAre(0));
  groups.arrive(1);
  EXPECT_THAT(groups.take(), ElementsAre(1));
  groups.arrive(0);  // another stands in for it
  EXPECT_THAT(groups.take(), ElementsAre(0));
}

TEST(GroupsTest, WhoComesBackInTimeJoins) {
  Groups groups(3, 3, false);
  groups.leave(1);
  groups.arrive(1);
  groups.arrive(0);
  EXPECT_THAT(groups.take(), IsEmpty());
  groups.arrive(2);
  EXPECT_THAT(groups.take(), ElementsAre(0, 1, 2));
}

TEST(GroupsTest, WhoLeavesAfterItCameStays) {
  Groups groups(2, 2, false);
  groups.arrive(0);
  groups.leave(0);
  groups.arrive(1);
  EXPECT_THAT(groups.take(), ElementsAre(0, 1));
}

TEST(GroupsTest, InOrderOneIsTakenAfterAnother) {
  Groups groups(6, 2, true);
  groups.arrive(2);
  groups.arrive(3);
  EXPECT_THAT(groups.take(), IsEmpty());  // the first is not complete
  groups.arrive(1);
  groups.arrive(0);
  EXPECT_THAT(groups.take(), ElementsAre(0, 1));
  EXPECT_THAT(groups.take(), IsEmpty());  // it runs
  groups.finish();
  EXPECT_THAT(groups.take(), ElementsAre(2, 3));
  groups.finish();
  EXPECT_FALSE(groups.is_over());
  groups.leave(4);
  groups.leave(5);
  EXPECT_TRUE(groups.is_over());
}

TEST(GroupsTest, InOrderOneThatAllHaveLeftIsPassed) {
  Groups groups(4, 2, true);
  groups.leave(0);
  groups.leave(1);
  groups.arrive(2);
  groups.arrive(3);
  EXPECT_THAT(groups.take(), ElementsAre(2, 3));
  groups.finish();
  EXPECT_TRUE(groups.is_over());
}

TEST(GroupsTest, WhereAllHaveLeftOneMayYetComeBack) {
  Groups groups(2, 2, true);
  groups.leave(0);
  groups.leave(1);
  EXPECT_THAT(groups.take(), IsEmpty());
  EXPECT_FALSE(groups.is_over());
  groups.arrive(0);
  EXPECT_THAT(groups.take(), ElementsAre(0));
  groups.finish();
  EXPECT_TRUE(groups.is_over());
}

}  // namespace
}  // namespace forebay::pipeline
