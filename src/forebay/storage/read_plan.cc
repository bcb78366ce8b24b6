#include "forebay/storage/read_plan.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace forebay::storage {
namespace {

uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1) + 1;
}

}  // namespace

ReadPlan::ReadPlan(uint64_t begin, uint64_t end, RangesAt ranges_at, uint64_t reader_window)
    : id_(next_id()),
      end_(end),
      reader_window_(reader_window),
      cursor_(begin),
      ranges_at_(std::make_shared<const RangesAt>(std::move(ranges_at))) {
}

ReadPlan::~ReadPlan() {
  for (FollowerNode* node = followers_.load(); node != nullptr;) {
    delete std::exchange(node, node->next);
  }
}

void ReadPlan::advance(uint64_t cursor) {
  uint64_t known = cursor_.load();
  while (known < cursor) {
    if (cursor_.compare_exchange_weak(known, cursor)) {
      tell();
      return;
    }
  }
}

std::vector<PlannedRange> ReadPlan::ranges(uint64_t first, uint64_t count) const {
  std::shared_ptr<const RangesAt> ranges_at;
  {
    std::lock_guard lock(mutex_);
    ranges_at = ranges_at_;
  }
  std::vector<PlannedRange> ranges;
  const uint64_t last = first + std::min(count, end_ - std::min(first, end_));
  for (uint64_t position = first; ranges_at && position < last; ++position) {
    (*ranges_at)(position, &ranges);
  }
  return ranges;
}

void ReadPlan::follow(Follower follower) {
  auto* const node = new FollowerNode{std::move(follower), followers_.load()};
  while (!followers_.compare_exchange_weak(node->next, node)) {
  }
}

void ReadPlan::retract() {
  std::shared_ptr<const RangesAt> forgotten;
  {
    std::lock_guard lock(mutex_);
    forgotten = std::move(ranges_at_);
  }
  if (!is_retracted_.exchange(true)) {
    tell();
  }
}

void ReadPlan::tell() const {
  for (const FollowerNode* node = followers_.load(); node != nullptr; node = node->next) {
    node->follower(*this);
  }
}

}  // namespace forebay::storage
