// How many bytes may be on their way ahead of demand over one link: as many as it delivers in a tenth of a
// second, or in a few times what a read takes while the link has little to do.
//
// What a reader waits for comes first: it counts in the window, and is late by what is on its way ahead of
// it. A fixed number of bytes is a second of a slow link and starves a fast one, so both figures are learnt,
// much as in BBR (Cardwell and others, "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016):
// the rate from what landed in the last slices of time; the time from reads with little else under way, which
// is brought about every few seconds, for half a second at most. A service that answers slowly for a while so
// gets a larger window, where a fixed one would choke its reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "forebay/cache/ahead/demand.h"

namespace forebay::cache {

/// Thread compatible.
class LinkWindow {
 public:
  /// What has to be known of a read when it lands.
  struct Departed {
    uint64_t number = 0;
    int64_t at_ns = 0;
    bool is_timed = false;  // there was little else under way
    Demand demand;          // as of then
  };

  /// `little_reads`: so few are not in each other's way.
  explicit LinkWindow(uint64_t little_reads) : little_reads_(little_reads) {}

  /// True if so many bytes may depart. Where nothing is under way they always may.
  bool has_room(uint64_t bytes, const Demand& demand, int64_t now_ns);
  /// `together_bytes`: of all reads that depart at once, of which this is one.
  Departed depart(uint64_t bytes, uint64_t together_bytes, const Demand& demand, int64_t now_ns);
  void land(const Departed& departed, uint64_t bytes, const Demand& demand, int64_t now_ns);
  /// A read that came to nothing.
  void lose(const Departed& departed);

 private:
  static constexpr size_t kSlices = 4;
  static constexpr size_t kSamples = 4;

  struct Read {
    int64_t departed_ns = 0;
    uint64_t bytes = 0;
  };

  /// Reads that came to a standstill neither fill the window nor are waited for.
  void forget_late(int64_t now_ns);
  bool is_little(uint64_t bytes, const Demand& demand) const;
  /// Whether little may depart, so that reads are timed. Gives up in time.
  bool is_measuring(int64_t now_ns);
  int64_t slice_ns() const;
  void take_time(const Departed& departed, const Demand& demand, int64_t now_ns);
  void know_for_a_while(int64_t now_ns);
  void begin_slice(const Demand& demand, int64_t now_ns);

  const uint64_t little_reads_;
  std::map<uint64_t, Read> reads_;  // under way, by number
  uint64_t next_number_ = 0;
  uint64_t in_flight_bytes_ = 0;  // theirs

  int64_t read_ns_ = 0;         // of a read with little else under way
  bool is_measured_ = false;    // not a guess from reads beside those that readers wait for
  int64_t known_until_ns_ = 0;  // after which it is measured again
  int64_t known_for_ns_ = 0;    // the last time; longer each time
  std::array<int64_t, kSamples> samples_ns_{};
  size_t samples_ = 0;

  int64_t slice_start_ns_ = 0;
  int64_t landed_ns_ = 0;                // the last landing
  uint64_t slice_bytes_ = 0;             // landed since the slice began
  uint64_t slice_demand_bytes_ = 0;      // that had landed by then, of what readers waited for
  std::array<double, kSlices> rates_{};  // bytes a second
  size_t slices_ = 0;                    // closed so far
};

}  // namespace forebay::cache
