#include "forebay/cuda/queues/repeated_work.h"

#include <algorithm>
#include <utility>

#include "forebay/memory/device_driver.h"
#include "forebay/memory/last_use.h"

namespace forebay::cuda {
namespace {

// How many keys are remembered, unless more graphs are wanted: work that recurs only after more other keys
// never becomes a graph.
constexpr size_t kMaxKeys = 64;

// Later launches repay the cost of a capture: four repay one (an assumption; benchmarks/repeated_step
// measures the cost of the second, captured step). A run without a graph repays a little. So work whose keys
// change so fast that no graph is reused is captured once in 64 runs, and work that has become regular is
// tried again.
constexpr int64_t kCaptureCosts = 64;
constexpr int64_t kLaunchPays = 16;
constexpr int64_t kPlainPays = 1;
constexpr int64_t kMaxOwed = 16 * kCaptureCosts;

}  // namespace

Result<std::unique_ptr<RepeatedWork>> RepeatedWork::create(const RepeatedWorkOptions& options,
                                                           std::shared_ptr<const void> device) {
  if (options.queue.queue == options.capture_queue || options.most_graphs == 0) {
    return invalid_argument("repeated work needs a queue to be captured on beside queue {}, and a graph",
                            options.queue.queue);
  }
  return std::unique_ptr<RepeatedWork>(new RepeatedWork(options, std::move(device)));
}

RepeatedWork::RepeatedWork(const RepeatedWorkOptions& options, std::shared_ptr<const void> device)
    : options_(options), device_(std::move(device)), has_graphs_(memory::has_graphs(options.queue.driver)) {
}

RepeatedWork::~RepeatedWork() {
  for (Entry& entry : entries_) {
    retire(entry);
  }
  if (!retired_.empty() && !memory::wait_until_over(retired_.back().last_use)) {
    memory::keep_until_over({retired_.back().last_use},
                            [device = device_, retired = std::move(retired_)]() mutable { retired.clear(); });
  }
}

Status RepeatedWork::run(uint64_t key, Put put, std::shared_ptr<const void> owners) {
  release_passed();
  if (!has_graphs_) {
    return run_plainly(put);
  }
  const bool came_before = bring_to_front(key);
  Entry& entry = entries_.front();
  if (try_launch(entry)) {
    return ok_status();
  }
  if (!came_before || entry.stays_plain || owed_ + kCaptureCosts > kMaxOwed) {
    return run_plainly(put);
  }
  return run_captured(entry, put, std::move(owners));
}

/// Moves the entry with that key to the front, adding it if it is new; returns whether it existed.
bool RepeatedWork::bring_to_front(uint64_t key) {
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found != entries_.end()) {
    std::rotate(entries_.begin(), found, found + 1);
    return true;
  }
  if (entries_.size() >= std::max(kMaxKeys, 4 * options_.most_graphs)) {
    retire(entries_.back());
    entries_.pop_back();
  }
  entries_.emplace(entries_.begin())->key = key;
  return false;
}

Status RepeatedWork::run_plainly(Put put) {
  ++counts_.plain;
  owed_ = std::max<int64_t>(owed_ - kPlainPays, 0);
  return put(options_.queue);
}

bool RepeatedWork::try_launch(Entry& entry) {
  if (!entry.graph) {
    return false;
  }
  if (!entry.graph->launch(options_.queue.queue).ok()) {
    note_failure(entry);
    return false;
  }
  ++counts_.launched;
  owed_ = std::max<int64_t>(owed_ - kLaunchPays, 0);
  return true;
}

Status RepeatedWork::run_captured(Entry& entry, Put put, std::shared_ptr<const void> owners) {
  owed_ += kCaptureCosts;
  const memory::Queue queue{options_.queue.driver, options_.capture_queue};
  Result<memory::Capture> capture = memory::Capture::begin(queue);
  if (!capture.ok()) {
    note_failure(entry);
    return run_plainly(put);
  }
  const Status status = put(queue);
  const Result<memory::CapturedWork> work = capture->end();
  if (work.ok() && !status.ok()) {
    return status;
  }
  if (!work.ok()) {  // an error of `put` may then be due to the capture
    note_failure(entry);
    return run_plainly(put);
  }
  if (work->pieces() < options_.fewest_pieces) {
    entry.stays_plain = true;
    return run_plainly(put);
  }
  if (!make_graph(entry, *work)) {
    note_failure(entry);
    return run_plainly(put);
  }
  entry.owners = std::move(owners);
  return try_launch(entry) ? ok_status() : run_plainly(put);
}

bool RepeatedWork::make_graph(Entry& entry, const memory::CapturedWork& work) {
  const auto graphs = std::ranges::count_if(entries_, [](const Entry& one) { return one.graph.has_value(); });
  if (static_cast<size_t>(graphs) >= options_.most_graphs && update_oldest(entry, work)) {
    ++counts_.updated;
    return true;
  }
  Result<memory::DeviceGraph> made = memory::DeviceGraph::make(work);
  if (!made.ok()) {
    return false;
  }
  entry.graph = *std::move(made);
  ++counts_.made;
  return true;
}

/// Gives the least recently used graph to the entry, or drops it.
bool RepeatedWork::update_oldest(Entry& entry, const memory::CapturedWork& work) {
  Entry& oldest = *std::find_if(entries_.rbegin(), entries_.rend(),
                                [](const Entry& one) { return one.graph.has_value(); });
  const Result<bool> updated = oldest.graph->update(work);
  const bool is_updated = updated.ok() && *updated;
  if (is_updated) {
    entry.graph = std::exchange(oldest.graph, std::nullopt);
  }
  retire(oldest);
  return is_updated;
}

void RepeatedWork::note_failure(Entry& entry) {
  ++counts_.failed;
  entry.stays_plain = true;
  retire(entry);
}

/// Moves the entry's graph to the retired ones, since the device may still be using it.
void RepeatedWork::retire(Entry& entry) {
  if (!entry.graph && entry.owners == nullptr) {
    return;
  }
  retired_.push_back({.graph = std::exchange(entry.graph, std::nullopt),
                      .owners = std::exchange(entry.owners, nullptr),
                      .last_use = memory::end_of_queue(options_.queue.driver, options_.queue.queue)});
}

void RepeatedWork::release_passed() {
  const auto end = std::ranges::find_if_not(
      retired_, [](const Retired& retired) { return memory::is_over(retired.last_use); });
  retired_.erase(retired_.begin(), end);
}

}  // namespace forebay::cuda
