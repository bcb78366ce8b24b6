#include "forebay/dataset/index/stored_order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace forebay::dataset {

StoredOrder::StoredOrder(std::shared_ptr<const SampleIndex> index) : index_(std::move(index)) {
  if (size() < std::numeric_limits<uint32_t>::max() && !is_in_order()) {
    sort();
  }
}

StoredOrder::Extent StoredOrder::extent_of(uint64_t sample) const {
  Extent extent;
  for (int field = 0; field < index_->num_fields(); ++field) {
    const SampleRow row = index_->row(static_cast<int64_t>(sample), field);
    if (row.is_missing()) {
      continue;
    }
    const bool is_first = extent.object == kNoObject;
    extent.object = row.object;
    extent.begin_bytes = is_first ? row.offset_bytes : std::min(extent.begin_bytes, row.offset_bytes);
    extent.end_bytes = std::max(extent.end_bytes, row.offset_bytes + row.length_bytes);
  }
  return extent;
}

bool StoredOrder::is_before(const Extent& extent, uint32_t object, uint64_t offset_bytes) const {
  return std::tie(extent.object, extent.begin_bytes) < std::tie(object, offset_bytes);
}

bool StoredOrder::is_in_order() const {
  Extent previous = extent_of(0);
  for (uint64_t sample = 1; sample < size(); ++sample) {
    const Extent extent = extent_of(sample);
    if (is_before(extent, previous.object, previous.begin_bytes)) {
      return false;
    }
    previous = extent;
  }
  return true;
}

void StoredOrder::sort() {
  std::vector<uint32_t> samples(size());
  std::iota(samples.begin(), samples.end(), 0);
  std::ranges::stable_sort(samples, [this](uint32_t a, uint32_t b) {
    const Extent other = extent_of(b);
    return is_before(extent_of(a), other.object, other.begin_bytes);
  });
  places_.resize(samples.size());
  for (uint32_t place = 0; place < samples.size(); ++place) {
    places_[samples[place]] = place;
  }
  samples_ = std::move(samples);
}

uint64_t StoredOrder::place_of(uint64_t sample) const {
  return places_.empty() ? sample : places_[sample];
}

uint64_t StoredOrder::sample_at(uint64_t place) const {
  return samples_.empty() ? place : samples_[place];
}

uint64_t StoredOrder::first_not_before(uint32_t object, uint64_t offset_bytes) const {
  uint64_t begin = 0;
  uint64_t end = size();
  while (begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    if (is_before(extent_of(sample_at(middle)), object, offset_bytes)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

storage::ItemRun StoredOrder::samples_in(uint32_t object, uint64_t begin_bytes, uint64_t end_bytes) const {
  uint64_t first = first_not_before(object, begin_bytes);
  while (first > 0) {
    const Extent before = extent_of(sample_at(first - 1));
    if (before.object != object || before.end_bytes <= begin_bytes) {
      break;
    }
    --first;
  }
  const uint64_t end = first_not_before(object, end_bytes);
  return {first, std::max(first, end) - first};
}

}  // namespace forebay::dataset
