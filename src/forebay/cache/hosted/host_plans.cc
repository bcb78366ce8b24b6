#include "forebay/cache/hosted/host_plans.h"

#include <algorithm>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/store/cache_store.h"

namespace forebay::cache {
namespace {

using storage::PlannedRange;
using storage::ReadPlan;

// From outside; far beyond what anybody reads, and far from where sums overflow.
constexpr uint64_t kMaxPosition = uint64_t{1} << 62;
constexpr uint64_t kMaxReaderWindow = uint64_t{1} << 32;

/// The ranges of a window by position, which are in order.
std::vector<std::pair<uint64_t, PlannedRange>> ranges_in(const PlanWindow& window, const HostedNames& names) {
  std::vector<std::pair<uint64_t, PlannedRange>> ranges;
  for (const WindowRange& range : window.ranges) {
    if (std::optional<std::string> key = names.key_of(range.uri)) {
      ranges.emplace_back(window.first + range.place, PlannedRange{.key = *std::move(key),
                                                                   .offset_bytes = range.offset_bytes,
                                                                   .length_bytes = range.length_bytes,
                                                                   .version = range.version,
                                                                   .is_to_end = range.is_to_end});
    }
  }
  return ranges;
}

Status check_window(const PlanWindow& window, uint32_t most_positions) {
  uint32_t last_place = 0;
  for (const WindowRange& range : window.ranges) {
    if (range.place < last_place || range.place >= window.count ||
        range.length_bytes > storage::kToEnd - range.offset_bytes) {
      return invalid_argument("a range that is not of its window");
    }
    last_place = range.place;
  }
  if (window.count == 0 || window.count > most_positions || window.first > kMaxPosition) {
    return invalid_argument("a window of {} positions from {}", window.count, window.first);
  }
  return ok_status();
}

}  // namespace

HostPlan::HostPlan(uint64_t number, FollowPlan plan, std::shared_ptr<const HostStores> stores,
                   CachedAddress any_object, std::shared_ptr<const HostedNames> names,
                   net::LocalConnectionRef connection)
    : number_(number),
      plan_(std::move(plan)),
      stores_(std::move(stores)),
      any_object_(std::move(any_object)),
      names_(std::move(names)),
      connection_(std::move(connection)),
      cursor_(plan_.begin) {
}

// A window of a plan begins anywhere, so the positions that its reader itself has under way are said to have
// been read.
uint64_t HostPlan::reached(uint64_t cursor) const {
  return has_table() ? cursor : cursor + plan_.reader_window;
}

void HostPlan::ask() {
  connection_->send(bytes_of(encode_header(HostMessage::kWantTable, number_))).IgnoreError();
}

void HostPlan::use(std::shared_ptr<const ItemTable> table) {
  if (table->num_items() != plan_.order.num_items) {
    log_warning("a plan of {} items is not followed: its data set has {}", plan_.order.num_items,
                table->num_items());
    return;
  }
  auto order = stores_->order_of(plan_.order,
                                 plan_.order.shard_first ? table->stored_shards() : std::vector<uint64_t>());
  if (!order.ok()) {
    log_warning("the cache does not follow a plan: {}", message(order.status()));
    return;
  }
  storage::PlanDescription description = plan_.order;
  description.data_set = plan_.table;
  auto items = std::make_shared<const HostedItems>(description, *std::move(order), std::move(table),
                                                   std::string(prefix_of(plan_.uri)), names_);
  follow(std::make_shared<ReadPlan>(plan_.begin, plan_.end, std::move(items), plan_.reader_window));
}

// What is given to the cache while it is being retracted is forgotten at once.
void HostPlan::follow(const std::shared_ptr<ReadPlan>& plan) {
  uint64_t cursor = 0;
  {
    const MutexLock lock(mutex_);
    if (has_ended_) {
      return;
    }
    followed_.push_back(plan);
    cursor = cursor_;
  }
  plan->advance(reached(cursor));
  any_object_.store->advise(plan);
}

Status HostPlan::take_window(const PlanWindow& window) {
  FOREBAY_RETURN_IF_ERROR(check_window(window, kMaxPositions));
  {
    const MutexLock lock(mutex_);
    if (has_table() || followed_.size() >= kMaxWindows) {
      return invalid_argument("a window of a plan that wants none");
    }
  }
  const auto ranges_at = [ranges = ranges_in(window, *names_)](uint64_t position,
                                                               std::vector<PlannedRange>* wanted) {
    auto range = std::ranges::lower_bound(ranges, position, {}, [](const auto& each) { return each.first; });
    for (; range != ranges.end() && range->first == position; ++range) {
      wanted->push_back(range->second);
    }
  };
  follow(std::make_shared<ReadPlan>(window.first, window.first + window.count, ranges_at));
  return ok_status();
}

/// The windows that end before a position.
std::vector<std::shared_ptr<ReadPlan>> HostPlan::take_read(uint64_t before) {
  std::vector<std::shared_ptr<ReadPlan>> over;
  while (!has_table() && !followed_.empty() && followed_.front()->end() <= before) {
    over.push_back(std::move(followed_.front()));
    followed_.pop_front();
  }
  return over;
}

void HostPlan::advance(uint64_t cursor) {
  std::vector<std::shared_ptr<ReadPlan>> over;
  std::deque<std::shared_ptr<ReadPlan>> followed;
  {
    const MutexLock lock(mutex_);
    cursor_ = std::max(cursor_, cursor);
    cursor = cursor_;
    over = take_read(reached(cursor));
    followed = followed_;
  }
  for (const std::shared_ptr<ReadPlan>& plan : followed) {
    plan->advance(reached(cursor));
  }
  for (const std::shared_ptr<ReadPlan>& plan : over) {
    plan->retract();
  }
}

void HostPlan::end() {
  std::deque<std::shared_ptr<ReadPlan>> followed;
  {
    const MutexLock lock(mutex_);
    has_ended_ = true;
    followed.swap(followed_);
  }
  for (const std::shared_ptr<ReadPlan>& plan : followed) {
    plan->retract();
  }
}

Result<std::shared_ptr<HostPlan>> HostPlans::make(uint64_t number, FollowPlan plan,
                                                  const OpenStore& settings) {
  if (plans_.size() >= kMaxPlans || plans_.contains(number)) {
    return resource_exhausted("a process with {} plans", plans_.size());
  }
  if (plan.begin > plan.end || plan.begin > kMaxPosition || plan.reader_window > kMaxReaderWindow) {
    return invalid_argument("a plan from {} to {}", plan.begin, plan.end);
  }
  if (plan.table != 0) {
    storage::PlanDescription order = plan.order;
    order.shard_first = false;  // for which the table is needed
    FOREBAY_RETURN_IF_ERROR(stores_->order_of(order, {}).status());
  }
  FOREBAY_ASSIGN_OR_RETURN(CachedAddress object, stores_->find(plan.uri, settings));
  auto names = std::make_shared<const HostedNames>(plan.uri, object.key, object.upstream, stores_->opener(),
                                                   settings.use);
  return std::make_shared<HostPlan>(number, std::move(plan), stores_, std::move(object), std::move(names),
                                    connection_);
}

void HostPlans::take_plan(uint64_t number, FollowPlan plan, const OpenStore& settings) {
  const Result<std::shared_ptr<HostPlan>> made = make(number, std::move(plan), settings);
  if (!made.ok()) {
    log_warning("the cache does not follow a plan: {}", message(made.status()));
    return;
  }
  plans_.emplace(number, *made);
  if ((*made)->table() != 0) {
    stores_->tables().want((*made)->table(), *made);
  }
}

std::shared_ptr<HostPlan> HostPlans::find(uint64_t number) const {
  const auto found = plans_.find(number);
  return found == plans_.end() ? nullptr : found->second;
}

void HostPlans::take_table(uint64_t number, const PlanTable& table, std::vector<FileDescriptor> files) {
  const std::shared_ptr<HostPlan> plan = find(number);
  if (!plan) {
    return;
  }
  if (files.empty() || table.bytes == 0) {
    stores_->tables().give_up(plan->table(), plan);
  } else {
    stores_->tables().bring(plan->table(), plan, std::move(files.front()), table.bytes);
  }
}

Status HostPlans::take_window(uint64_t number, const PlanWindow& window) {
  const std::shared_ptr<HostPlan> plan = find(number);
  return plan ? plan->take_window(window) : ok_status();
}

void HostPlans::take_cursor(uint64_t number, uint64_t cursor) {
  const std::shared_ptr<HostPlan> plan = find(number);
  if (plan && cursor <= kMaxPosition) {
    plan->advance(cursor);
  }
}

void HostPlans::drop(const std::shared_ptr<HostPlan>& plan) {
  plan->end();
  if (plan->table() != 0) {
    stores_->tables().give_up(plan->table(), plan);
  }
}

void HostPlans::take_end(uint64_t number) {
  if (const std::shared_ptr<HostPlan> plan = find(number)) {
    plans_.erase(number);
    drop(plan);
  }
}

void HostPlans::end() {
  for (const auto& [number, plan] : std::exchange(plans_, {})) {
    drop(plan);
  }
}

}  // namespace forebay::cache
