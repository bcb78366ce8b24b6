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
constexpr int64_t kLeastKnownNs = kSecond / 2;
constexpr int64_t kMostKnownNs = 8 * kSecond;

}  // namespace

bool LinkWindow::is_little(uint64_t bytes, const Demand& demand) const {
  return in_flight_reads_ == 0 || (demand.in_flight_bytes == 0 && in_flight_reads_ < little_reads_ &&
                                   in_flight_bytes_ + bytes <= kLittleBytes);
}

int64_t LinkWindow::slice_ns() const {
  return std::max(kLeastSliceNs, kReadsInSlice * read_ns_);
}

bool LinkWindow::takes_any_time(int64_t now_ns) const {
  return now_ns >= known_until_ns_ + kMostKnownNs;
}

bool LinkWindow::has_room(uint64_t bytes, const Demand& demand, int64_t now_ns) const {
  if (is_little(bytes, demand)) {
    return true;
  }
  if (now_ns >= known_until_ns_ && demand.in_flight_bytes == 0) {
    return false;  // until reads have been timed
  }
  if (slices_ == 0) {
    return true;  // each plan begins with little by itself
  }
  const double rate = *std::ranges::max_element(rates_);
  const double seconds = static_cast<double>(slice_ns()) / static_cast<double>(kSecond);
  return static_cast<double>(in_flight_bytes_ + demand.in_flight_bytes + bytes) <= rate * seconds;
}

LinkWindow::Departed LinkWindow::depart(uint64_t bytes, const Demand& demand, int64_t now_ns) {
  if (in_flight_reads_ == 0 && slice_bytes_ == 0) {
    slice_start_ns_ = now_ns;
    slice_demand_bytes_ = demand.landed_bytes;
  }
  if (known_until_ns_ == 0) {
    known_until_ns_ = now_ns;
  }
  const bool is_alone = is_little(bytes, demand) && (demand.in_flight_bytes == 0 || takes_any_time(now_ns));
  const Departed departed = {.at_ns = now_ns,
                             .is_timed = is_alone && now_ns >= known_until_ns_,
                             .demand_bytes = demand.landed_bytes};
  in_flight_bytes_ += bytes;
  ++in_flight_reads_;
  return departed;
}

void LinkWindow::land(const Departed& departed, uint64_t bytes, const Demand& demand, int64_t now_ns) {
  lose(bytes);
  const bool was_alone = demand.in_flight_bytes == 0 && demand.landed_bytes == departed.demand_bytes;
  if (departed.is_timed && now_ns >= known_until_ns_ && (was_alone || takes_any_time(now_ns))) {
    take_read_time(now_ns - departed.at_ns, now_ns);
  }
  slice_bytes_ += bytes;
  if (now_ns - slice_start_ns_ >= slice_ns()) {
    close_slice(demand, now_ns);
  }
}

void LinkWindow::lose(uint64_t bytes) {
  in_flight_bytes_ -= bytes;
  --in_flight_reads_;
}

// The lower quartile: the answers of some services take ten times the usual time. Of long reads fewer are
// waited for.
void LinkWindow::take_read_time(int64_t read_ns, int64_t now_ns) {
  samples_ns_[samples_++] = read_ns;
  const auto end = samples_ns_.begin() + samples_;
  if (samples_ < kSamples && std::accumulate(samples_ns_.begin(), end, int64_t{0}) < kLongEnoughNs) {
    return;
  }
  std::sort(samples_ns_.begin(), end);
  read_ns_ = samples_ns_[samples_ / 4];
  samples_ = 0;
  known_for_ns_ = std::clamp(2 * known_for_ns_, kLeastKnownNs, kMostKnownNs);
  known_until_ns_ = now_ns + known_for_ns_;
}

void LinkWindow::close_slice(const Demand& demand, int64_t now_ns) {
  const double seconds = static_cast<double>(now_ns - slice_start_ns_) / static_cast<double>(kSecond);
  const uint64_t bytes = slice_bytes_ + demand.landed_bytes - slice_demand_bytes_;
  rates_[slices_++ % kSlices] = static_cast<double>(bytes) / seconds;
  slice_start_ns_ = now_ns;
  slice_bytes_ = 0;
  slice_demand_bytes_ = demand.landed_bytes;
}

}  // namespace forebay::cache
