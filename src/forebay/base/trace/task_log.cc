#include "forebay/base/trace/task_log.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <unordered_map>

namespace forebay {
namespace {

constexpr size_t kMaxLabels = 1 << 16;

std::atomic<uint64_t> next_log_id{1};

/// A label that its thread has looked up. Threads may look up labels until they end, so it needs no
/// destructor.
class KnownLabel {
 public:
  bool is_of(uint64_t log_id, const TaskLog::Names& names) const {
    return log_id_ == log_id && lane_id_ == names.lane_id && name_bytes_ == names.name.size() &&
           site_bytes_ == names.site.size() && queue_bytes_ == names.queue.size() &&
           is_at(names.name, text_) && is_at(names.site, text_ + name_bytes_) &&
           is_at(names.queue, text_ + name_bytes_ + site_bytes_);
  }
  uint32_t number() const { return number_; }

  /// Does nothing if the names are too long.
  void set(uint64_t log_id, const TaskLog::Names& names, uint32_t number) {
    if (names.name.size() + names.site.size() + names.queue.size() > sizeof(text_)) {
      return;
    }
    log_id_ = log_id;
    lane_id_ = names.lane_id;
    number_ = number;
    name_bytes_ = names.name.size();
    site_bytes_ = names.site.size();
    queue_bytes_ = names.queue.size();
    names.name.copy(text_, name_bytes_);
    names.site.copy(text_ + name_bytes_, site_bytes_);
    names.queue.copy(text_ + name_bytes_ + site_bytes_, queue_bytes_);
  }

 private:
  // Compares a few bytes; the library's function is optimised for many.
  static bool is_at(std::string_view text, const char* place) {
    size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
      if (word(text.data() + at) != word(place + at)) {
        return false;
      }
    }
    for (; at < text.size(); ++at) {
      if (text[at] != place[at]) {
        return false;
      }
    }
    return true;
  }
  static uint64_t word(const char* place) {
    uint64_t value;
    std::memcpy(&value, place, sizeof(value));
    return value;
  }

  uint64_t log_id_ = 0;  // 0: none
  uint64_t lane_id_ = 0;
  size_t name_bytes_ = 0;
  size_t site_bytes_ = 0;
  size_t queue_bytes_ = 0;
  uint32_t number_ = 0;
  char text_[208] = {};
};

constexpr size_t kKnown = 64;
constinit thread_local std::array<KnownLabel, kKnown> known_labels;

/// Hashes the length and the last bytes, where names and sites mostly differ; computed for every task.
size_t quick_hash(std::string_view text) {
  uint32_t end = 0;
  if (text.size() >= sizeof(end)) {
    std::memcpy(&end, text.data() + text.size() - sizeof(end), sizeof(end));
  } else {
    for (const char c : text) {
      end = end * 256 + static_cast<unsigned char>(c);
    }
  }
  constexpr uint64_t kMix = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
  return ((text.size() << 32 | end) * kMix) >> 40;
}

}  // namespace

TaskLog::TaskLog(size_t most_tasks)
    : log_id_(next_log_id.fetch_add(1)), tasks_(most_tasks), edges_(2 * most_tasks) {
  labels_.push_back(std::make_shared<TaskLabel>(
      TaskLabel{.name = "(one of many names)", .lane = {}, .site = {}, .queue = {}}));
}

void TaskLog::add_edge(uint64_t task, uint64_t before) {
  const uint64_t distance = task - before;
  if (distance <= UINT32_MAX) {
    edges_.add({.task = static_cast<uint32_t>(task), .distance = static_cast<uint32_t>(distance)});
  }
}

// Programs push from few places, so a name's number is usually where it was found last time.
uint32_t TaskLog::label_of(const Names& names) {
  const size_t hash = quick_hash(names.name) * 31 + names.lane_id + quick_hash(names.site);
  KnownLabel& known = known_labels[hash % kKnown];
  if (known.is_of(log_id_, names)) [[likely]] {
    return known.number();
  }
  const uint32_t number = find_label(names);
  known.set(log_id_, names, number);
  return number;
}

uint32_t TaskLog::find_label(const Names& names) {
  std::string key = std::to_string(names.lane_id) + "," + std::to_string(names.name.size()) + ",";
  key.append(names.name).append(names.site).append(1, '\0').append(names.queue);
  const MutexLock lock(mutex_);
  const auto known = numbers_.find(key);
  if (known != numbers_.end()) {
    return known->second;
  }
  if (labels_.size() >= kMaxLabels) {
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
    const MutexLock lock(mutex_);  // their labels exist by now
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
