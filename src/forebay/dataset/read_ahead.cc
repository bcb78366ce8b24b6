#include "forebay/dataset/read_ahead.h"

#include <unistd.h>

#include <limits>
#include <utility>

#include "forebay/storage/object_store.h"

namespace forebay::dataset {

ReadAhead::ReadAhead() : owner_(::getpid()) {
}

// Made by another constructor, so that what was sent is taken back should this one throw.
ReadAhead::ReadAhead(std::shared_ptr<const Source> source, const Order& order, uint64_t first,
                     uint64_t window)
    : ReadAhead() {
  for (const std::shared_ptr<storage::ObjectStore>& store : source->stores()) {
    const auto ranges_at = [source, order, store = store.get()](uint64_t k,
                                                                std::vector<storage::PlannedRange>* ranges) {
      std::vector<PlannedRead> reads;
      source->plan(static_cast<int64_t>(order.at(k).index), &reads);
      for (PlannedRead& read : reads) {
        if (read.store == store) {
          ranges->push_back(std::move(read.range));
        }
      }
    };
    plans_.push_back(
        std::make_shared<storage::ReadPlan>(first, std::numeric_limits<uint64_t>::max(), ranges_at, window));
    store->advise(plans_.back());
  }
}

ReadAhead::~ReadAhead() {
  if (::getpid() != owner_) {
    return;  // another thread of the parent may have held a lock of the plans
  }
  for (const std::shared_ptr<storage::ReadPlan>& plan : plans_) {
    plan->retract();
  }
}

void ReadAhead::advance(uint64_t k) {
  for (const std::shared_ptr<storage::ReadPlan>& plan : plans_) {
    plan->advance(k);
  }
}

}  // namespace forebay::dataset
