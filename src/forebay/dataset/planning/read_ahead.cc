#include "forebay/dataset/planning/read_ahead.h"

#include <unistd.h>

#include <limits>
#include <utility>

#include "forebay/dataset/planning/planned_samples.h"
#include "forebay/storage/object_store.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kEndless = std::numeric_limits<uint64_t>::max();

std::shared_ptr<storage::ReadPlan> make_plan(const std::shared_ptr<const Source>& source, const Order& order,
                                             const storage::ObjectStore* store, uint64_t first,
                                             uint64_t window) {
  if (auto indexed = std::dynamic_pointer_cast<const IndexedSource>(source)) {
    auto items = std::make_shared<const PlannedSamples>(std::move(indexed), order, store);
    return std::make_shared<storage::ReadPlan>(first, kEndless, std::move(items), window);
  }
  const auto ranges_at = [source, order, store](uint64_t k, std::vector<storage::PlannedRange>* ranges) {
    planned_ranges(*source, store, order.at(k).index, ranges);
  };
  return std::make_shared<storage::ReadPlan>(first, kEndless, ranges_at, window);
}

}  // namespace

ReadAhead::ReadAhead() : owner_(::getpid()) {
}

// Made by another constructor, so that what was sent is taken back should this one throw.
ReadAhead::ReadAhead(std::shared_ptr<const Source> source, const Order& order, uint64_t first,
                     uint64_t window)
    : ReadAhead() {
  for (const std::shared_ptr<storage::ObjectStore>& store : source->stores()) {
    plans_.push_back(make_plan(source, order, store.get(), first, window));
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
