#include "forebay/base/task_log.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace forebay {
namespace {

constexpr size_t kMostLabels = 1 << 16;

}  // namespace

TaskLog::TaskLog(size_t most_tasks) : tasks_(most_tasks), edges_(2 * most_tasks) {
  labels_.push_back(std::make_shared<TaskLabel>(
      TaskLabel{.name = "(one of many names)", .lane = {}, .site = {}, .queue = {}}));
}

void TaskLog::add(uint64_t id, const Times& ticks, const Names& names, uint32_t thread,
                  bool is_asynchronous) {
  tasks_.add({.id = id,
              .ticks = ticks,
              .label = label_of(names),
              .thread = thread & 0x7fffffff,
              .is_asynchronous = is_asynchronous});
}

void TaskLog::add_edge(uint64_t task, uint64_t before) {
  const uint64_t distance = task - before;
  if (distance <= UINT32_MAX) {
    edges_.add({.task = static_cast<uint32_t>(task), .distance = static_cast<uint32_t>(distance)});
  }
}

// Programs push from few places. So the number of a name is mostly found where it was found last.
uint32_t TaskLog::label_of(const Names& names) {
  const size_t hash = std::hash<std::string_view>()(names.name) * 31 + names.lane_id +
                      (names.site.empty() ? 0 : std::hash<std::string_view>()(names.site));
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
