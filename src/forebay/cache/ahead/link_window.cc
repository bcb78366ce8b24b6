#include "forebay/cache/ahead/link_window.h"

#include <algorithm>
#include <numeric>

#include "forebay/base/units.h"

namespace forebay::cache {
namespace {

constexpr int64_t kLeastSliceNs = kSecond / 10;
constexpr int64_t kReadsInSlice = 4;  // one after another: twice the usual time still fills the link
constexpr uint64_t kLittleBytes = uint64_t{512} << 10;
constexpr int64_t kLongEnoughNs = 4 * kLeastSliceNs;
constexpr int64_t kMeasuringNs = kSecond / 2;  // at most, where reads are not longer
constexpr int64_t kLeastKnownNs = kSecond / 2;
constexpr int64_t kMaxKnownNs = 8 * kSecond;
constexpr int64_t kMaxGuessNs = kSecond / 10;
constexpr int64_t kLateNs = 2 * kSecond;
constexpr int64_t kLateReads = 8;  // or after so many times what a read takes

}  // namespace

void LinkWindow::forget_late(int64_t now_ns) {
  const int64_t late_ns = std::max(kLateNs, kLateReads * read_ns_);
  while (!reads_.empty() && reads_.begin()->second.departed_ns + late_ns < now_ns) {
    in_flight_bytes_ -= reads_.begin()->second.bytes;
    reads_.erase(reads_.begin());
  }
}

bool LinkWindow::is_little(uint64_t bytes, const Demand& demand) const {
  return reads_.empty() || (demand.in_flight_bytes == 0 && reads_.size() < little_reads_ &&
                            in_flight_bytes_ + bytes <= kLittleBytes);
}

bool LinkWindow::is_measuring(int64_t now_ns) {
  if (now_ns < known_until_ns_) {
    return false;
  }
  if (now_ns >= known_until_ns_ + std::max(kMeasuringNs, kLateReads * read_ns_)) {
    know_for_a_while(now_ns);
    return false;
  }
  return true;
}

int64_t LinkWindow::slice_ns() const {
  return std::max(kLeastSliceNs, kReadsInSlice * read_ns_);
}

bool LinkWindow::has_room(uint64_t bytes, const Demand& demand, int64_t now_ns) {
  forget_late(now_ns);
  if (is_little(bytes, demand)) {
    return true;
  }
  if (is_measuring(now_ns) && demand.in_flight_bytes == 0) {
    return false;
  }
  if (slices_ == 0) {
    return true;  // each plan begins with little by itself
  }
  const double rate = *std::ranges::max_element(rates_);
  const double seconds = static_cast<double>(slice_ns()) / static_cast<double>(kSecond);
  return static_cast<double>(in_flight_bytes_ + demand.in_flight_bytes + bytes) <= rate * seconds;
}

LinkWindow::Departed LinkWindow::depart(uint64_t bytes, uint64_t together_bytes, const Demand& demand,
                                        int64_t now_ns) {
  const bool was_idle = reads_.empty() && now_ns - landed_ns_ > slice_ns();
  if (was_idle) {
    begin_slice(demand, now_ns);
  }
  if (known_until_ns_ == 0) {
    known_until_ns_ = now_ns;  // it is unknown from now on
  }
  const Departed departed = {.number = next_number_++,
                             .at_ns = now_ns,
                             .is_timed = is_little(together_bytes, demand) && now_ns >= known_until_ns_,
                             .demand = demand};
  reads_[departed.number] = {.departed_ns = now_ns, .bytes = bytes};
  in_flight_bytes_ += bytes;
  return departed;
}

void LinkWindow::land(const Departed& departed, uint64_t bytes, const Demand& demand, int64_t now_ns) {
  lose(departed);
  if (departed.is_timed && now_ns >= known_until_ns_) {
    take_time(departed, demand, now_ns);
  }
  landed_ns_ = now_ns;
  slice_bytes_ += bytes;
  if (now_ns - slice_start_ns_ >= slice_ns()) {
    const double seconds = static_cast<double>(now_ns - slice_start_ns_) / static_cast<double>(kSecond);
    const uint64_t demanded = std::max(demand.landed_bytes, slice_demand_bytes_) - slice_demand_bytes_;
    rates_[slices_++ % kSlices] = static_cast<double>(slice_bytes_ + demanded) / seconds;
    begin_slice(demand, now_ns);
  }
}

void LinkWindow::lose(const Departed& departed) {
  if (const auto read = reads_.find(departed.number); read != reads_.end()) {
    in_flight_bytes_ -= read->second.bytes;
    reads_.erase(read);
  }
}

// The lower quartile: the answers of some services take ten times the usual time. Of long reads fewer are
// waited for. What was read beside what readers waited for says how long those queue: where they always do,
// it bounds a guess.
void LinkWindow::take_time(const Departed& departed, const Demand& demand, int64_t now_ns) {
  const int64_t read_ns = now_ns - departed.at_ns;
  const bool had_readers = departed.demand.in_flight_bytes > 0 || demand.in_flight_bytes > 0 ||
                           demand.landed_bytes != departed.demand.landed_bytes;
  if (had_readers) {
    read_ns_ = is_measured_ ? read_ns_ : std::min(read_ns, kMaxGuessNs);
    return;
  }
  samples_ns_[samples_++] = read_ns;
  const auto end = samples_ns_.begin() + samples_;
  if (samples_ < kSamples && std::accumulate(samples_ns_.begin(), end, int64_t{0}) < kLongEnoughNs) {
    return;
  }
  std::sort(samples_ns_.begin(), end);
  read_ns_ = samples_ns_[samples_ / 4];
  is_measured_ = true;
  know_for_a_while(now_ns);
}

void LinkWindow::know_for_a_while(int64_t now_ns) {
  samples_ = 0;
  known_for_ns_ = std::clamp(2 * known_for_ns_, kLeastKnownNs, kMaxKnownNs);
  known_until_ns_ = now_ns + known_for_ns_;
}

void LinkWindow::begin_slice(const Demand& demand, int64_t now_ns) {
  slice_start_ns_ = now_ns;
  slice_bytes_ = 0;
  slice_demand_bytes_ = demand.landed_bytes;
}

}  // namespace forebay::cache
