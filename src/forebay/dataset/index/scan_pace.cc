#include "forebay/dataset/index/scan_pace.h"

#include <algorithm>

namespace forebay::dataset {
namespace {

// Of shorter reads the time is that of asking, not of the wire.
constexpr uint64_t kLeastMeasuredBytes = 1 << 20;
constexpr double kFastestWire = 2;  // bytes a nanosecond; what comes faster was at hand
constexpr size_t kMaxReading = 16;
// A read beside others that is nearly as fast as the fastest says that the wire takes one more; one that is
// much slower, that it has too many.
constexpr double kAsFast = 0.75;
constexpr double kMuchSlower = 0.45;

}  // namespace

void ScanPace::begin(size_t place) {
  waiting_.erase(place);
  ++reading_;
}

void ScanPace::end(uint64_t bytes, int64_t taken_ns) {
  const double rate = taken_ns > 0 ? static_cast<double>(bytes) / static_cast<double>(taken_ns) : 0;
  if (bytes >= kLeastMeasuredBytes && rate > 0 && rate < kFastestWire) {
    best_rate_ = std::max(best_rate_, rate);
    if (rate >= kAsFast * best_rate_) {
      most_reading_ = std::min(std::max(most_reading_, reading_ + 1), kMaxReading);
    } else if (rate < kMuchSlower * best_rate_) {
      most_reading_ = std::max<size_t>(1, std::min(most_reading_, reading_) - 1);
    }
  }
  --reading_;
}

}  // namespace forebay::dataset
