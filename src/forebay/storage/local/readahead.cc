#include "forebay/storage/local/readahead.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <tuple>
#include <utility>

#include "forebay/storage/local/local_file.h"

namespace forebay::storage {
namespace {

constexpr uint64_t kPositionsAhead = 256;

}  // namespace

Readahead::Readahead(PathOf path_of) : owner_(::getpid()), state_(std::make_shared<State>()) {
  state_->path_of = std::move(path_of);
}

Readahead::~Readahead() {
  state_->is_stopping = true;
  state_->wake();
  if (!thread_.joinable()) {
    return;
  }
  if (::getpid() != owner_ || thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();  // the thread is not in this process, or will end by itself
  } else {
    thread_.join();
  }
}

void Readahead::note_miss() {
  state_->misses.fetch_add(1, std::memory_order_relaxed);
  if (state_->has_plans.load(std::memory_order_relaxed)) {
    start_thread();
  }
}

void Readahead::start_thread() {
  if (::getpid() != owner_) {
    return;
  }
  std::call_once(once_, [this] {
    try {
      thread_ = std::thread([state = state_] { state->run(); });
    } catch (const std::system_error&) {
      // No thread available; a plan is only a hint.
    }
  });
}

void Readahead::follow(std::shared_ptr<ReadPlan> plan) {
  if (::getpid() != owner_) {
    return;
  }
  // Does nothing while the page cache answers everything; takes no lock, which a fork could have left locked.
  plan->follow([held = std::weak_ptr<State>(state_)](const ReadPlan&) {
    const std::shared_ptr<State> state = held.lock();
    if (state && state->misses.load() != state->seen_misses.load()) {
      state->wake();
    }
  });
  MutexLock lock(state_->mutex);
  std::erase_if(state_->followed, [](const Followed& each) { return each.plan->is_retracted(); });
  state_->followed.push_back({.plan = std::move(plan)});
  state_->has_plans = true;
}

void Readahead::State::wake() {
  wakes.fetch_add(1);
  wakes.notify_one();
}

void Readahead::State::run() {
  uint32_t seen = 0;
  while (!is_stopping) {
    wakes.wait(seen);
    seen = wakes.load();
    seen_misses = misses.load();
    ask_for(next_ranges());
  }
}

std::vector<PlannedRange> Readahead::State::next_ranges() {
  std::vector<PlannedRange> ranges;
  MutexLock lock(mutex);
  std::erase_if(followed, [](const Followed& each) { return each.plan->is_retracted(); });
  for (Followed& each : followed) {
    const uint64_t behind_reader = each.plan->cursor() + each.plan->reader_window();
    const uint64_t first = std::max(behind_reader, each.asked_for);
    const uint64_t last = behind_reader + kPositionsAhead;
    if (first < last) {
      std::vector<PlannedRange> next = each.plan->ranges(first, last - first);
      std::move(next.begin(), next.end(), std::back_inserter(ranges));
      each.asked_for = last;
    }
  }
  return ranges;
}

void Readahead::State::ask_for(std::vector<PlannedRange> ranges) const {
  // By file, so that a shard is opened once for all of its samples.
  std::ranges::sort(ranges, {},
                    [](const PlannedRange& range) { return std::tie(range.key, range.offset_bytes); });
  std::string_view opened;
  Result<OpenFile> file = not_found("none yet");
  for (const PlannedRange& range : ranges) {
    if (is_stopping) {
      return;
    }
    if (range.key != opened) {
      opened = range.key;
      const std::optional<std::string> path = path_of(range.key);
      file = path ? open_file(*path, *path) : not_found("{}", range.key);
    }
    if (file.ok()) {
      ::posix_fadvise(file->descriptor.get(), static_cast<off_t>(range.offset_bytes),
                      static_cast<off_t>(range.length_bytes), POSIX_FADV_WILLNEED);
    }
  }
}

}  // namespace forebay::storage
