#include "forebay/engine/inbox.h"

#include <gtest/gtest.h>

#include "forebay/engine/graph/task.h"

namespace forebay::engine {
namespace {

class InboxTest : public ::testing::Test {
 protected:
  /// Whether a task with `turn` is urgent behind one with `before`.
  bool hurries(const Turn& before, const Turn& turn) {
    Inbox inbox;
    inbox.put(&task_, before);
    Inbox::Contents taken;
    inbox.take(taken);
    EXPECT_FALSE(inbox.has_hurry());
    inbox.put(&task_, turn);
    const bool hurries = inbox.has_hurry();
    Inbox::Contents next;
    inbox.take(next);
    EXPECT_EQ(next.has_hurry, hurries);
    EXPECT_EQ(next.tasks.size(), 1);
    return hurries;
  }

  Task task_;
  Lane a_;
  Lane b_;
};

TEST_F(InboxTest, WhoMayPassOthersIsInAHurry) {
  EXPECT_FALSE(hurries({.lane = &a_}, {.lane = &a_}));
  EXPECT_TRUE(hurries({.lane = &a_}, {.lane = &b_}));
  EXPECT_TRUE(hurries({.lane = &a_}, {.lane = &a_, .priority = 1}));
  EXPECT_FALSE(hurries({.lane = &a_, .priority = 1}, {.lane = &a_, .priority = 1}));
  EXPECT_FALSE(hurries({.lane = &a_, .priority = 1}, {.lane = &a_}));
  EXPECT_TRUE(hurries({.lane = &a_}, {.lane = &a_, .has_order = true}));
}

TEST_F(InboxTest, APriorityRisesAgain) {
  Inbox inbox;
  for (const int priority : {5, 0}) {
    inbox.put(&task_, {.lane = &a_, .priority = priority});
  }
  Inbox::Contents taken;
  inbox.take(taken);
  inbox.put(&task_, {.lane = &a_, .priority = 5});
  EXPECT_TRUE(inbox.has_hurry());
}

TEST_F(InboxTest, ItStaysOpenWhileThereIsATask) {
  Inbox inbox;
  EXPECT_TRUE(inbox.put(&task_, {}));
  inbox.open();
  EXPECT_FALSE(inbox.put(&task_, {}));
  EXPECT_FALSE(inbox.close());
  Inbox::Contents taken;
  inbox.take(taken);
  EXPECT_EQ(taken.tasks.size(), 2);
  EXPECT_FALSE(inbox.has_tasks());
  EXPECT_TRUE(inbox.close());
  EXPECT_TRUE(inbox.put(&task_, {}));
}

}  // namespace
}  // namespace forebay::engine
