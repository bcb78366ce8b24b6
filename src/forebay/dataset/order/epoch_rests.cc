#include "forebay/dataset/order/epoch_rests.h"

#include <algorithm>

#include "forebay/base/check.h"

namespace forebay::dataset {
namespace {

// Far beyond any training run.
constexpr uint64_t kLastEpoch = uint64_t{1} << 31;
constexpr uint64_t kMaxPartialEpochs = uint64_t{1} << 16;

}  // namespace

Result<EpochRests> EpochRests::create(const storage::StreamBegin& begin, uint64_t dataset_size) {
  if (begin.first_epoch > begin.first_whole_epoch || begin.first_whole_epoch > kLastEpoch ||
      begin.first_whole_epoch - begin.first_epoch > kMaxPartialEpochs) {
    return invalid_argument("a stream cannot begin in epoch {} with whole epochs from {} on",
                            begin.first_epoch, begin.first_whole_epoch);
  }
  storage::EpochPart last{begin.first_epoch, 0, 0};
  for (const storage::EpochPart& part : begin.left) {
    const bool is_behind = part.epoch > last.epoch || (part.epoch == last.epoch && part.begin >= last.end);
    if (!is_behind || part.epoch >= begin.first_whole_epoch || part.begin >= part.end ||
        part.end > dataset_size) {
      return invalid_argument("positions {} to {} of epoch {} cannot be what is left of {} samples",
                              part.begin, part.end, part.epoch, dataset_size);
    }
    last = part;
  }
  return EpochRests(begin);
}

EpochRests::EpochRests(const storage::StreamBegin& begin)
    : begin_(begin), epochs_(begin.first_whole_epoch - begin.first_epoch) {
  for (const storage::EpochPart& part : begin.left) {
    std::vector<Range>& ranges = epochs_[part.epoch - begin.first_epoch];
    const uint64_t place = ranges.empty() ? 0 : ranges.back().end_place();
    ranges.push_back({part.begin, part.end, place});
  }
}

const std::vector<EpochRests::Range>& EpochRests::ranges_of(uint64_t epoch) const {
  FOREBAY_CHECK(epoch >= begin_.first_epoch && is_partial(epoch));
  return epochs_[epoch - begin_.first_epoch];
}

uint64_t EpochRests::size(uint64_t epoch) const {
  if (epoch < begin_.first_epoch) {
    return 0;
  }
  const std::vector<Range>& ranges = ranges_of(epoch);
  return ranges.empty() ? 0 : ranges.back().end_place();
}

uint64_t EpochRests::position_at(uint64_t epoch, uint64_t place) const {
  FOREBAY_CHECK(place < size(epoch));
  const std::vector<Range>& ranges = ranges_of(epoch);
  const Range& range = *std::prev(std::ranges::upper_bound(ranges, place, {}, &Range::place));
  return range.begin + place - range.place;
}

std::optional<uint64_t> EpochRests::place_of(uint64_t epoch, uint64_t position) const {
  if (epoch < begin_.first_epoch) {
    return std::nullopt;
  }
  const std::vector<Range>& ranges = ranges_of(epoch);
  const auto range = std::ranges::upper_bound(ranges, position, {}, &Range::end);
  const bool is_left = range != ranges.end() && range->begin <= position;
  return is_left ? std::optional(range->place + position - range->begin) : std::nullopt;
}

void EpochRests::append_parts(uint64_t epoch, uint64_t begin, uint64_t end,
                              std::vector<storage::EpochPart>* parts) const {
  for (const Range& range : ranges_of(epoch)) {
    const uint64_t from = std::max(begin, range.place);
    const uint64_t to = std::min(end, range.end_place());
    if (from < to) {
      parts->push_back({epoch, range.begin + from - range.place, range.begin + to - range.place});
    }
  }
}

}  // namespace forebay::dataset
