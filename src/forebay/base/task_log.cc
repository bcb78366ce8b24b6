#include "forebay/base/task_log.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace forebay {
namespace {

constexpr size_t kMostLabels = 1 << 16;

/// Of a length and an end, where names and sites mostly differ: taken for every task.
size_t quick_hash(std::string_view text) {
  uint32_t end = 0;
  if (text.size() >= sizeof(end)) {
    std::memcpy(&end, text.data() + text.size() - sizeof(end), sizeof(end));
  } else {
    for (const char c : text) {
      end = end * 256 + static_cast<unsigned char>(c);
    }
  }
  constexpr uint64_t kMix = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio
  return ((text.size() << 32 | end) * kMix) >> 40;
}

}  // namespace

TaskLog::TaskLog(size_t most_tasks) : tasks_(most_tasks), edges_(2 * most_tasks) {
  labels_.push_back(std::make_shared<TaskLabel>(
      TaskLabel{.name = "(one of many names)", .lane = {}, .site = {}, .queue = {}}));
}

void TaskLog::add(uint64_t id, const Times& ticks, const Names& names, const End& end) {
  tasks_.add({.id = id,
              .ticks = ticks,
              .label = label_of(names),
              .thread = end.thread & 0x7fffffff,
              .is_asynchronous = end.is_asynchronous,
              .kibibytes = end.kibibytes});
}

void TaskLog::add_edge(uint64_t task, uint64_t before) {
  const uint64_t distance = task - before;
  if (distance <= UINT32_MAX) {
    edges_.add({.task = static_cast<uint32_t>(task), .distance = static_cast<uint32_t>(distance)});
  }
}

// Programs push from few places. So the number of a name is mostly found where it was found last.
uint32_t TaskLog::label_of(const Names& names) {
  const size_t hash = quick_hash(names.name) * 31 + names.lane_id + quick_hash(names.site);
  KnownLabel& known = known_[hash % kKnown];
  const bool is_same = known.lane_id == names.lane_id && known.name == names.name &&
                       known.site == names.site && known.queue == names.queue && known.number != 0;
  if (!is_same) [[unlikely]] {
    known.number = find_label(names);
    known.lane_id = names.lane_id;
    known.name = names.name;
    known.site = names.site;
    known.queue = names.queue;
  }
  return known.number;
}

uint32_t TaskLog::find_label(const Names& names) {
  std::string key = std::to_string(names.lane_id) + "," + std::to_string(names.name.size()) + ",";
  key.append(names.name).append(names.site).append(1, '\0').append(names.queue);
  const auto known = numbers_.find(key);
  if (known != numbers_.end()) {
    return known->second;
  }
  const std::lock_guard lock(mutex_);
  if (labels_.size() >= kMostLabels) {
    return 0;
  }
  const auto number = static_cast<uint32_t>(labels_.size());
  labels_.push_back(std::make_shared<TaskLabel>(TaskLabel{
      std::string(names.name), std::string(names.lane), std::string(names.site), std::string(names.queue)}));
  numbers_.emplace(std::move(key), number);
  return number;
}

void TaskLog::read(uint32_t engine, const TickScale& scale, std::vector<TraceTask>& tasks) const {
  const size_t first = tasks.size();
  std::unordered_map<uint32_t, size_t> places;
  {
    std::vector<Record> records;
    tasks_.read([&](const Record& record) { records.push_back(record); });
    const std::lock_guard lock(mutex_);  // their labels are there by now
    tasks.reserve(first + records.size());
    for (const Record& record : records) {
      places[static_cast<uint32_t>(record.id)] = tasks.size();
      tasks.push_back({.engine = engine,
                       .id = record.id,
                       .label = labels_[record.label],
                       .push_ns = scale.ns_of(record.ticks.push),
                       .ready_ns = scale.ns_of(record.ticks.ready),
                       .begin_ns = scale.ns_of(record.ticks.begin),
                       .issued_ns = scale.ns_of(record.ticks.issued),
                       .end_ns = scale.ns_of(record.ticks.end),
                       .bytes = uint64_t{record.kibibytes} << 10,
                       .thread = record.thread,
                       .is_asynchronous = record.is_asynchronous != 0,
                       .after = {}});
    }
  }
  edges_.read([&](const Edge& edge) {
    const auto found = places.find(edge.task);
    if (found == places.end()) {
      return;  // it has not ended yet
    }
    TraceTask& task = tasks[found->second];
    task.after.push_back(task.id - edge.distance);
  });
  for (size_t i = first; i < tasks.size(); ++i) {  // two variables may lead to the same task
    std::vector<uint64_t>& after = tasks[i].after;
    std::ranges::sort(after);
    after.erase(std::unique(after.begin(), after.end()), after.end());
  }
}

void TaskLog::clear() {
  tasks_.clear();
  edges_.clear();
}

}  // namespace forebay
