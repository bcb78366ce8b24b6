// Tests of the window of a link, over simulated links: they deliver in order, after a while, at a rate.
#include "forebay/cache/ahead/link_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "forebay/base/units.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kCap = uint64_t{32} << 20;  // for what has no window yet

/// A link, a plan that would always fetch more, and readers who keep some bytes under way.
class SimulatedLink {
 public:
  SimulatedLink(double bytes_per_second, int64_t delay_ns, uint64_t read_bytes)
      : bytes_per_second(bytes_per_second), delay_ns(delay_ns), read_bytes_(read_bytes) {}

  /// The next reads ahead never land.
  void lose_next(int reads) { lost_ = reads; }

  /// Delivers for a while. Returns the bytes.
  uint64_t run(int64_t for_ns) {
    const int64_t end_ns = now_ns_ + for_ns;
    uint64_t landed = 0;
    most_ahead_bytes = 0;
    demanded_landed_bytes = 0;
    while (now_ns_ < end_ns) {
      fill();
      if (reads_.empty()) {
        now_ns_ += delay_ns;
        continue;
      }
      const Read read = reads_.front();
      reads_.pop_front();
      now_ns_ = std::max(now_ns_, read.lands_ns);
      landed += read_bytes_;
      if (read.is_demanded) {
        demand_.in_flight_bytes -= read_bytes_;
        demand_.landed_bytes += read_bytes_;
        demanded_landed_bytes += read_bytes_;
      } else if (lost_ > 0) {
        --lost_;  // it stays under way
      } else {
        ahead_bytes_ -= read_bytes_;
        begun_bytes_ += read_bytes_;
        window_.land(read.departed, read_bytes_, demand_, now_ns_);
      }
    }
    return landed;
  }

  double bytes_per_second;
  int64_t delay_ns;
  uint64_t demanded_bytes = 0;         // that the readers keep under way
  int64_t demand_every_ns = 0;         // the least time between two reads of theirs
  uint64_t demanded_landed_bytes = 0;  // in the last run
  uint64_t most_ahead_bytes = 0;       // under way in the last run

 private:
  struct Read {
    int64_t lands_ns = 0;
    bool is_demanded = false;
    LinkWindow::Departed departed;
  };

  void fill() {
    while (demand_.in_flight_bytes + read_bytes_ <= demanded_bytes && now_ns_ >= next_demand_ns_) {
      next_demand_ns_ = now_ns_ + demand_every_ns;
      demand_.in_flight_bytes += read_bytes_;
      reads_.push_back({.lands_ns = lands_ns(), .is_demanded = true});
    }
    while (ahead_bytes_ < std::min(kCap, begun_bytes_) && window_.has_room(read_bytes_, demand_, now_ns_)) {
      ahead_bytes_ += read_bytes_;
      reads_.push_back(
          {.lands_ns = lands_ns(), .departed = window_.depart(read_bytes_, read_bytes_, demand_, now_ns_)});
    }
    most_ahead_bytes = std::max(most_ahead_bytes, ahead_bytes_);
  }

  int64_t lands_ns() {
    const auto takes_ns = static_cast<int64_t>(static_cast<double>(read_bytes_) / bytes_per_second * 1e9);
    free_ns_ = std::max(free_ns_, now_ns_ + delay_ns) + takes_ns;
    return free_ns_;
  }

  const uint64_t read_bytes_;
  LinkWindow window_{4};
  Demand demand_;
  int64_t next_demand_ns_ = 0;
  int lost_ = 0;
  uint64_t ahead_bytes_ = 0;  // under way
  std::deque<Read> reads_;
  int64_t now_ns_ = 1;
  int64_t free_ns_ = 0;
  uint64_t begun_bytes_ = uint64_t{64} << 10;  // a plan begins with little, and with more as it lands
};

struct LinkCase {
  double bytes_per_second;
  int64_t delay_ns;
  uint64_t read_bytes;
};

class LinkWindowTest : public ::testing::TestWithParam<LinkCase> {
 protected:
  void expect_filled(uint64_t bytes, int64_t in_ns, double part = 0.9) const {
    EXPECT_GT(static_cast<double>(bytes), part * link_.bytes_per_second * static_cast<double>(in_ns) / 1e9);
  }
  /// What a reader waits for comes so much later.
  double delay_of_demand() const {
    return static_cast<double>(link_.most_ahead_bytes) / link_.bytes_per_second;
  }
  uint64_t all_of_the_link() const {
    return static_cast<uint64_t>(link_.bytes_per_second * most_delay()) + GetParam().read_bytes;
  }
  double most_delay() const {
    const double undisturbed =
        static_cast<double>(link_.delay_ns) / 1e9 +
        static_cast<double>(std::max(GetParam().read_bytes, uint64_t{1} << 20)) / link_.bytes_per_second;
    return std::max(0.15, 6 * undisturbed);
  }

  SimulatedLink link_{GetParam().bytes_per_second, GetParam().delay_ns, GetParam().read_bytes};
};

TEST_P(LinkWindowTest, FillsTheLinkAndNoMore) {
  link_.run(3 * kSecond);
  const uint64_t landed = link_.run(20 * kSecond);
  expect_filled(landed, 20 * kSecond);
  EXPECT_LT(delay_of_demand(), most_delay());
}

TEST_P(LinkWindowTest, FollowsAServiceThatBecomesSlowToAnswer) {
  link_.run(10 * kSecond);
  link_.delay_ns *= 4;
  link_.run(40 * kSecond);
  expect_filled(link_.run(20 * kSecond), 20 * kSecond, 0.8);
  link_.delay_ns /= 4;
  link_.run(40 * kSecond);
  expect_filled(link_.run(20 * kSecond), 20 * kSecond);
  EXPECT_LT(delay_of_demand(), most_delay());
}

TEST_P(LinkWindowTest, FollowsALinkThatOthersUse) {
  link_.run(10 * kSecond);
  link_.bytes_per_second /= 4;
  link_.run(20 * kSecond);
  expect_filled(link_.run(20 * kSecond), 20 * kSecond);
  EXPECT_LT(delay_of_demand(), most_delay());
  link_.bytes_per_second *= 4;
  link_.run(20 * kSecond);
  expect_filled(link_.run(20 * kSecond), 20 * kSecond);
}

// A reader that needs all that the link has gets it.
TEST_P(LinkWindowTest, DemandComesFirst) {
  link_.run(10 * kSecond);
  link_.demanded_bytes = all_of_the_link();
  link_.run(2 * kSecond);
  const uint64_t landed = link_.run(60 * kSecond);
  expect_filled(landed, 60 * kSecond);
  EXPECT_GT(link_.demanded_landed_bytes, landed / 100 * 85);
}

TEST_P(LinkWindowTest, DemandGetsMostOfALinkOfWhichNothingElseIsKnown) {
  link_.demanded_bytes = all_of_the_link();
  link_.run(2 * kSecond);
  const uint64_t landed = link_.run(60 * kSecond);
  expect_filled(landed, 60 * kSecond);
  EXPECT_GT(link_.demanded_landed_bytes, landed / 2);
}

// Small reads that come and go hinder the measuring, but not for long.
TEST_P(LinkWindowTest, RareDemandCostsLittle) {
  link_.demanded_bytes = GetParam().read_bytes;
  link_.demand_every_ns = 3 * GetParam().delay_ns;
  link_.run(30 * kSecond);
  expect_filled(link_.run(20 * kSecond), 20 * kSecond, 0.8);
}

TEST_P(LinkWindowTest, AReadThatStandsStillIsNotWaitedFor) {
  link_.run(10 * kSecond);
  link_.lose_next(3);
  link_.run(20 * kSecond);
  expect_filled(link_.run(20 * kSecond), 20 * kSecond);
}

// One that waits for each answer leaves most of it.
TEST_P(LinkWindowTest, TakesWhatDemandLeaves) {
  link_.demanded_bytes = 2 * GetParam().read_bytes;
  link_.run(40 * kSecond);
  expect_filled(link_.run(20 * kSecond), 20 * kSecond);
}

constexpr int64_t kMs = 1'000'000;

INSTANTIATE_TEST_SUITE_P(Links, LinkWindowTest,
                         ::testing::Values(LinkCase{30e6, 20 * kMs, 110'000},    // photographs
                                           LinkCase{30e6, 20 * kMs, 1 << 20},    // chunks of shards
                                           LinkCase{250e6, 15 * kMs, 110'000},   // near
                                           LinkCase{50e6, 100 * kMs, 110'000},   // far
                                           LinkCase{2e6, 100 * kMs, 8'000},      // small samples
                                           LinkCase{20e6, 50 * kMs, 8 << 20}));  // volumes

TEST(LinkWindow, AlwaysHasRoomWhereNothingIsUnderWay) {
  LinkWindow window(4);
  const uint64_t bytes = uint64_t{1} << 40;
  for (int i = 0; i < 10; ++i) {
    const Demand demand = {.in_flight_bytes = i % 2 * bytes};
    ASSERT_TRUE(window.has_room(bytes, demand, i * kSecond));
    const LinkWindow::Departed departed = window.depart(bytes, bytes, demand, i * kSecond);
    if (i < 5) {
      window.land(departed, bytes, demand, (i + 1) * kSecond);
    } else {
      window.lose(departed);
    }
  }
}

}  // namespace
}  // namespace forebay::cache
