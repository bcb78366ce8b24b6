// Which requests may join, which batch is next, and when there is something to do.
#include "forebay/serving/batching/batch_queue.h"

#include <algorithm>
#include <utility>

namespace forebay::serving {
namespace {

constexpr const char* kAloneKey = "alone";  // no key_of() is that

void add_text(std::string_view text, std::string* key) {
  *key += fmt::format("{}:{}", text.size(), text);
}

void add_parameter(const std::string& name, const Parameter& value, std::string* key) {
  add_text(name, key);
  add_text(std::visit([](const auto& each) { return fmt::format("{}", each); }, value), key);
  *key += fmt::format("/{}", value.index());
}

/// Whether it has rows, and as many of each input.
bool has_rows(const InferRequest& request) {
  return !request.inputs.empty() &&
         std::all_of(request.inputs.begin(), request.inputs.end(), [&](const NamedTensor& input) {
           return !input.shape.empty() && input.shape[0] > 0 && input.shape[0] == request.inputs[0].shape[0];
         });
}

/// What requests that join have in common. Inputs count whatever their order.
std::string key_of(const InferRequest& request) {
  std::vector<std::string> inputs;
  for (const NamedTensor& input : request.inputs) {
    std::string text;
    add_text(input.name, &text);
    text += name_of(input.datatype);
    for (size_t i = 1; i < input.shape.size(); ++i) {
      text += fmt::format(",{}", input.shape[i]);
    }
    inputs.push_back(std::move(text));
  }
  std::sort(inputs.begin(), inputs.end());
  std::string key = fmt::format("{};", request.epoch);
  for (const std::string& input : inputs) {
    add_text(input, &key);
  }
  for (const auto& [name, value] : request.parameters) {
    add_parameter(name, value, &key);
  }
  return key;
}

int64_t after(int64_t now_ns, int64_t wait_ns) {
  return wait_ns <= 0 || now_ns > kNoDeadlineNs - wait_ns ? kNoDeadlineNs : now_ns + wait_ns;
}

}  // namespace

uint64_t BatchQueue::priority_of(const InferRequest& request) const {
  if (options_.priority_levels == 0) {
    return 0;
  }
  const bool is_level = request.priority >= 1 && request.priority <= options_.priority_levels;
  return is_level ? request.priority : options_.default_priority;
}

const QueuePolicy& BatchQueue::policy_of(uint64_t priority) const {
  const auto own = options_.policies.find(priority);
  return own == options_.policies.end() ? options_.default_policy : own->second;
}

Status BatchQueue::add(WaitingRequestPtr* waiting) {
  const InferRequest& request = (*waiting)->request;
  const uint64_t priority = priority_of(request);
  const QueuePolicy& policy = policy_of(priority);
  const uint64_t bytes = held_bytes(request);
  const uint64_t most = policy.max_queue_size > 0 ? policy.max_queue_size : kDefaultMaxQueueSize;
  if (const auto at = waiting_of_level_.find(priority); at != waiting_of_level_.end() && at->second >= most) {
    return resource_exhausted(
        "{} requests wait already, as many as {} allows", at->second,
        policy.max_queue_size > 0 ? "max_queue_size" : "a queue without max_queue_size");
  }
  if (bytes > options_.max_queue_bytes || bytes_ > options_.max_queue_bytes - bytes) {
    return resource_exhausted(
        "requests of {} bytes wait already; with {} more they were above the limit of {}", bytes_, bytes,
        options_.max_queue_bytes);
  }
  const uint64_t number = next_number_++;
  const bool is_alone = options_.max_batch_size < 2 || request.key.has_value() || !has_rows(request);
  (*waiting)->rows = is_alone ? 1 : request.inputs[0].shape[0];
  const auto group = groups_.try_emplace(is_alone ? kAloneKey : key_of(request)).first;
  const int64_t overdue_ns = after((*waiting)->arrived_ns, policy.timeout_ns);
  Item item{group, Place(priority, false, number), request.deadline_ns, 0, bytes};
  item.refused_ns = policy.delays_overdue ? request.deadline_ns : std::min(request.deadline_ns, overdue_ns);
  item.overdue_ns = std::min(item.refused_ns, overdue_ns);
  if (item.overdue_ns != kNoDeadlineNs) {
    overdue_.emplace(item.overdue_ns, number);
  }
  bytes_ += bytes;
  ++waiting_of_level_[priority];
  group->second.is_alone = is_alone;
  group->second.rows += (*waiting)->rows;
  group->second.arrivals.emplace(number, (*waiting)->arrived_ns);
  group->second.waiting.emplace(item.place, std::move(*waiting));
  items_.emplace(number, item);
  return ok_status();
}

WaitingRequestPtr BatchQueue::take(uint64_t number) {
  const auto at = items_.find(number);
  const Item& item = at->second;
  Group& group = item.group->second;
  WaitingRequestPtr taken = std::move(group.waiting.extract(item.place).mapped());
  group.arrivals.erase(number);
  group.rows -= taken->rows;
  overdue_.erase({item.overdue_ns, number});
  bytes_ -= item.bytes;
  const auto level = waiting_of_level_.find(std::get<0>(item.place));
  if (--level->second == 0) {
    waiting_of_level_.erase(level);
  }
  if (group.waiting.empty()) {
    groups_.erase(item.group);
  }
  items_.erase(at);
  return taken;
}

const InferRequest& BatchQueue::request_of(uint64_t number) const {
  const Item& item = items_.at(number);
  return item.group->second.waiting.at(item.place)->request;
}

void BatchQueue::take_cancelled(std::vector<WaitingRequestPtr>* cancelled) {
  std::vector<uint64_t> numbers;
  for (const auto& [number, item] : items_) {
    if (request_of(number).cancel.stop_requested()) {
      numbers.push_back(number);
    }
  }
  for (const uint64_t number : numbers) {
    cancelled->push_back(take(number));
  }
}

void BatchQueue::delay(uint64_t number) {
  Item& item = items_.at(number);
  auto node = item.group->second.waiting.extract(item.place);
  std::get<1>(item.place) = true;
  node.key() = item.place;
  item.group->second.waiting.insert(std::move(node));
  item.overdue_ns = item.refused_ns;
  if (item.overdue_ns != kNoDeadlineNs) {
    overdue_.emplace(item.overdue_ns, number);
  }
}

std::vector<WaitingRequestPtr> BatchQueue::take_overdue(int64_t now_ns) {
  std::vector<WaitingRequestPtr> taken;
  while (!overdue_.empty() && overdue_.begin()->first <= now_ns) {
    const uint64_t number = overdue_.begin()->second;
    if (items_.at(number).refused_ns <= now_ns) {
      taken.push_back(take(number));
      continue;
    }
    overdue_.erase(overdue_.begin());
    delay(number);
  }
  return taken;
}

size_t BatchQueue::batch_size(const Group& group, bool must_run) const {
  if (group.is_alone) {
    return 1;
  }
  size_t count = 0;
  size_t preferred = 0;
  int64_t rows = 0;
  for (const auto& [place, waiting] : group.waiting) {
    if (count > 0 && rows + waiting->rows > options_.max_batch_size) {
      must_run = true;  // the next does not fit: waiting makes it no larger
      break;
    }
    rows += waiting->rows;
    ++count;
    const auto& sizes = options_.preferred_sizes;
    preferred = std::find(sizes.begin(), sizes.end(), rows) != sizes.end() ? count : preferred;
  }
  if (preferred > 0) {
    return preferred;
  }
  return must_run || rows >= options_.max_batch_size ? count : 0;
}

bool BatchQueue::is_ready(const Group& group, int64_t now_ns) const {
  return after(group.arrivals.begin()->second, options_.max_queue_delay_ns) <= now_ns ||
         options_.max_queue_delay_ns == 0;
}

std::vector<uint64_t> BatchQueue::next_batch(int64_t now_ns, bool at_once) const {
  const Group* best = nullptr;
  size_t best_size = 0;
  for (const auto& [key, group] : groups_) {
    if (best != nullptr && best->waiting.begin()->first < group.waiting.begin()->first) {
      continue;
    }
    if (const size_t size = batch_size(group, at_once || is_ready(group, now_ns)); size > 0) {
      best = &group;
      best_size = size;
    }
  }
  std::vector<uint64_t> numbers;
  if (best != nullptr) {
    for (auto at = best->waiting.begin(); numbers.size() < best_size; ++at) {
      numbers.push_back(std::get<2>(at->first));
    }
  }
  return numbers;
}

std::vector<WaitingRequestPtr> BatchQueue::take_batch(int64_t now_ns, bool at_once,
                                                      std::vector<WaitingRequestPtr>* cancelled) {
  const auto is_cancelled = [this](uint64_t number) { return request_of(number).cancel.stop_requested(); };
  std::vector<uint64_t> numbers = next_batch(now_ns, at_once);
  while (std::any_of(numbers.begin(), numbers.end(), is_cancelled)) {
    take_cancelled(cancelled);
    numbers = next_batch(now_ns, at_once);  // another batch, or none yet
  }
  std::vector<WaitingRequestPtr> batch;
  for (const uint64_t number : numbers) {
    batch.push_back(take(number));
  }
  return batch;
}

std::vector<WaitingRequestPtr> BatchQueue::take_all() {
  std::vector<WaitingRequestPtr> all;
  while (!items_.empty()) {
    all.push_back(take(items_.begin()->first));
  }
  return all;
}

int64_t BatchQueue::next_ready_ns() const {
  int64_t next_ns = kNoDeadlineNs;
  for (const auto& [key, group] : groups_) {
    const int64_t first_ns = group.arrivals.begin()->second;
    next_ns = std::min(next_ns, group.is_alone ? first_ns : after(first_ns, options_.max_queue_delay_ns));
  }
  return next_ns;
}

}  // namespace forebay::serving
