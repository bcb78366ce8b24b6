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

ReadPlan::ReadPlan(uint64_t begin, uint64_t end, Content content, uint64_t reader_window)
    : id_(next_id()),
      end_(end),
      reader_window_(reader_window),
      cursor_(begin),
      content_(std::make_shared<const Content>(std::move(content))) {
}

ReadPlan::ReadPlan(uint64_t begin, uint64_t end, RangesAt ranges_at, uint64_t reader_window)
    : ReadPlan(begin, end, Content{.ranges_at = std::move(ranges_at)}, reader_window) {
}

ReadPlan::ReadPlan(uint64_t begin, uint64_t end, std::shared_ptr<const PlannedItems> items,
                   uint64_t reader_window)
    : ReadPlan(begin, end,
               Content{.ranges_at =
                           [items = items.get()](uint64_t position, std::vector<PlannedRange>* ranges) {
                             items->ranges_of(items->item_at(position), ranges);
                           },
                       .items = items},
               reader_window) {
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

std::shared_ptr<const ReadPlan::Content> ReadPlan::content() const {
  MutexLock lock(mutex_);
  return content_;
}

std::shared_ptr<const PlannedItems> ReadPlan::items() const {
  const std::shared_ptr<const Content> now = content();
  return now ? now->items : nullptr;
}

std::vector<PlannedRange> ReadPlan::ranges(uint64_t first, uint64_t count) const {
  const std::shared_ptr<const Content> now = content();
  std::vector<PlannedRange> ranges;
  const uint64_t last = first + std::min(count, end_ - std::min(first, end_));
  for (uint64_t position = first; now && position < last; ++position) {
    now->ranges_at(position, &ranges);
  }
  return ranges;
}

void ReadPlan::follow(Follower follower) {
  auto* const node = new FollowerNode{std::move(follower), followers_.load()};
  while (!followers_.compare_exchange_weak(node->next, node)) {
  }
}

void ReadPlan::retract() {
  std::shared_ptr<const Content> forgotten;
  {
    MutexLock lock(mutex_);
    forgotten = std::move(content_);
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
