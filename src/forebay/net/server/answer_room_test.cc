// Room for answers without a server: who begins, who waits, who is let in by the clock.
#include "forebay/net/server/answer_room.h"

#include <gmock/gmock.h>

#include <deque>
#include <string>
#include <vector>

#include "forebay/base/units.h"

namespace forebay::net {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AnswerRoomTest : public ::testing::Test {
 protected:
  void TearDown() override { room_->close(); }

  /// A request that begins at once, or later, when it appends its name to begun_.
  void enter(const std::string& kind, const std::string& name = "", int64_t now_ns = 0) {
    std::optional<AnswerRoom::Place> place =
        room_->enter(kind, now_ns, [this, name](AnswerRoom::Place later) {
          begun_.push_back(name);
          places_.push_back(std::move(later));
        });
    if (place) {
      begun_.push_back(name);
      places_.push_back(*std::move(place));
    }
  }
  /// The oldest that has begun is answered, and the answer lies.
  void answer(uint64_t bytes) {
    ASSERT_TRUE(room_->add(bytes));
    AnswerRoom::Place place = std::move(places_.front());
    places_.pop_front();
    place.answered(bytes);
  }
  /// The oldest that has begun ends without an answer.
  void drop() {
    const AnswerRoom::Place ended = std::move(places_.front());
    places_.pop_front();
  }
  /// So that answers of the kind are known to be so long; none lies.
  void teach(const std::string& kind, uint64_t bytes) {
    enter(kind);
    answer(bytes);
    room_->remove(bytes);
    begun_.clear();
  }

  const std::shared_ptr<AnswerRoom> room_ = std::make_shared<AnswerRoom>(
      AnswerRoomLimits{.bytes = 8 * kMiB, .longest_wait_ns = 100, .longest_first_wait_ns = 10});
  std::deque<AnswerRoom::Place> places_;
  std::vector<std::string> begun_;
};

TEST_F(AnswerRoomTest, ThoseWhoseAnswersFitBeginAndTheOthersFollowInTurn) {
  teach("a", 4 * kMiB);
  for (const char* const name : {"1", "2", "3", "4", "5"}) {
    enter("a", name);
  }
  EXPECT_THAT(begun_, ElementsAre("1", "2"));  // what they will answer fills the room
  answer(4 * kMiB);
  answer(4 * kMiB);
  EXPECT_EQ(room_->waiting(), 3U);
  room_->remove(4 * kMiB);
  EXPECT_THAT(begun_, ElementsAre("1", "2", "3"));
  room_->remove(4 * kMiB);
  EXPECT_THAT(begun_, ElementsAre("1", "2", "3", "4"));
}

TEST_F(AnswerRoomTest, OnesThatAreNotAnsweredMakeRoomToo) {
  teach("a", 8 * kMiB);
  enter("a", "1");
  enter("a", "2");
  EXPECT_THAT(begun_, ElementsAre("1"));
  drop();
  EXPECT_THAT(begun_, ElementsAre("1", "2"));
}

TEST_F(AnswerRoomTest, OfAKindThatIsNotKnownAFewBegin) {
  for (uint64_t i = 0; i < AnswerRoom::kFirstAtOnce + 3; ++i) {
    enter("a", std::to_string(i));
  }
  enter("b", "other");
  EXPECT_EQ(begun_.size(), AnswerRoom::kFirstAtOnce + 1);
  EXPECT_EQ(room_->waiting(), 3U);
  drop();  // an error says nothing of the others, and one takes its place
  EXPECT_EQ(room_->waiting(), 2U);
  answer(1000);
  EXPECT_EQ(room_->waiting(), 0U);
}

TEST_F(AnswerRoomTest, OnceAKindIsKnownItsRequestsUnderWayCount) {
  for (uint64_t i = 0; i < AnswerRoom::kFirstAtOnce; ++i) {
    enter("a");
  }
  answer(2 * kMiB);
  begun_.clear();
  enter("a", "more");
  EXPECT_THAT(begun_, IsEmpty());
  for (uint64_t i = 1; i < AnswerRoom::kFirstAtOnce - 2; ++i) {
    EXPECT_THAT(begun_, IsEmpty()) << i;
    drop();
  }
  EXPECT_THAT(begun_, ElementsAre("more"));  // beside one that lies, and two
}

TEST_F(AnswerRoomTest, SmallAnswersNeverWait) {
  teach("small", AnswerRoom::kSmallBytes);
  teach("large", 8 * kMiB);
  ASSERT_TRUE(room_->add(16 * kMiB));
  enter("large", "1");
  enter("small", "2");
  EXPECT_THAT(begun_, ElementsAre("2"));
}

TEST_F(AnswerRoomTest, AnAnswerLongerThanTheRoomBeginsWhenLittleElseLies) {
  teach("huge", 100 * kMiB);
  ASSERT_TRUE(room_->add(kMiB));
  enter("huge", "1");
  EXPECT_THAT(begun_, IsEmpty());
  room_->remove(kMiB);
  EXPECT_THAT(begun_, ElementsAre("1"));
}

TEST_F(AnswerRoomTest, OneShortAnswerAmongLongOnesIsNotTakenForAll) {
  teach("a", 8 * kMiB);
  teach("a", 10);
  enter("a", "1");
  enter("a", "2");
  EXPECT_THAT(begun_, ElementsAre("1"));
}

TEST_F(AnswerRoomTest, NobodyWaitsForever) {
  teach("a", 8 * kMiB);
  ASSERT_TRUE(room_->add(8 * kMiB));
  enter("a", "1", 1000);
  enter("a", "2", 1001);
  for (uint64_t i = 0; i < AnswerRoom::kFirstAtOnce; ++i) {
    enter("b");
  }
  begun_.clear();
  enter("b", "first", 1000);
  room_->look(1009);
  EXPECT_THAT(begun_, IsEmpty());
  room_->look(1010);
  EXPECT_THAT(begun_, ElementsAre("first"));
  room_->look(1100);
  EXPECT_THAT(begun_, ElementsAre("first", "1"));
  room_->look(1101);
  EXPECT_THAT(begun_, ElementsAre("first", "1", "2"));
}

TEST_F(AnswerRoomTest, WhatWouldMakeTwiceTheLimitIsNotKeptUnlessItIsAloneOrSmall) {
  ASSERT_TRUE(room_->add(15 * kMiB));
  EXPECT_FALSE(room_->add(2 * kMiB));
  EXPECT_TRUE(room_->add(kMiB));
  EXPECT_TRUE(room_->add(AnswerRoom::kSmallBytes));
  room_->remove(room_->lying_bytes());
  EXPECT_TRUE(room_->add(100 * kMiB));
}

TEST_F(AnswerRoomTest, WhoWaitsWhenItClosesIsDropped) {
  teach("a", 8 * kMiB);
  enter("a", "1");
  enter("a", "2");
  room_->close();
  EXPECT_EQ(room_->waiting(), 0U);
  enter("a", "3");
  EXPECT_EQ(room_->waiting(), 0U);
  drop();
  EXPECT_THAT(begun_, ElementsAre("1"));
}

}  // namespace
}  // namespace forebay::net
