#include "forebay/cache/messages/gone_ranges.h"

#include <utility>

#include "forebay/base/caught.h"
#include "forebay/cache/files/shared_ranges.h"

namespace forebay::cache {

std::shared_ptr<GoneRanges> GoneRanges::watch(Timer& timer) {
  std::shared_ptr<GoneRanges> made(new GoneRanges(timer));
  made->number_ = shared_ranges().watch([self = made.get()] { self->tell_later(); });
  return made;
}

GoneRanges::~GoneRanges() {
  shared_ranges().unwatch(number_);
}

void GoneRanges::add(std::weak_ptr<RangeHolder> holder) {
  const MutexLock lock(mutex_);
  std::erase_if(holders_, [](const auto& each) { return each.expired(); });
  holders_.push_back(std::move(holder));
}

void GoneRanges::tell_later() {
  if (is_due_.exchange(true)) {
    return;
  }
  // Whoever removes a range may be a destructor. Where there is no memory to remember it, the next removal
  // does.
  const Status put_off = caught([this] {
    timer_.at(timer_.now_ns() + kDelayNs, [weak = weak_from_this()] {
      if (const std::shared_ptr<GoneRanges> alive = weak.lock()) {
        alive->tell();
      }
    });
    return ok_status();
  });
  if (!put_off.ok()) {
    is_due_.store(false);
  }
}

void GoneRanges::tell() {
  is_due_.store(false);
  std::vector<std::weak_ptr<RangeHolder>> holders;
  {
    const MutexLock lock(mutex_);
    holders = holders_;
  }
  for (const std::weak_ptr<RangeHolder>& each : holders) {
    if (const std::shared_ptr<RangeHolder> holder = each.lock()) {
      holder->forget_gone_ranges();
    }
  }
}

}  // namespace forebay::cache
