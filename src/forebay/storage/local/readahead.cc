#include "forebay/storage/local/readahead.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <system_error>
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

void Readahead::follow(std::shared_ptr<ReadPlan> plan) {
  if (::getpid() != owner_) {
    return;
  }
  try {
    std::call_once(once_, [this] { thread_ = std::thread([state = state_] { state->run(); }); });
  } catch (const std::system_error&) {
    return;  // no thread available; a plan is only a hint
  }
  // Does nothing while the page cache answers everything; takes no lock, which a fork could have left locked.
  plan->follow([held = std::weak_ptr<State>(state_)](const ReadPlan&) {
    const std::shared_ptr<State> state = held.lock();
    if (state && state->misses.load() != state->seen_misses.load()) {
      state->wake();
    }
  });
  std::lock_guard lock(state_->mutex);
  std::erase_if(state_->followed, [](const Followed& each) { return each.plan->is_retracted(); });
  state_->followed.push_back({.plan = std::move(plan)});
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
    ask_ahead();
  }
}

void Readahead::State::ask_ahead() {
  std::vector<PlannedRange> ranges;
  {
    std::lock_guard lock(mutex);
    std::erase_if(followed, [](const Followed& each) { return each.plan->is_retracted(); });
    for (Followed& each : followed) {
      const uint64_t first = std::max(each.plan->cursor(), each.asked_for);
      const uint64_t last = each.plan->cursor() + kPositionsAhead;
      if (first < last) {
        std::vector<PlannedRange> next = each.plan->ranges(first, last - first);
        std::move(next.begin(), next.end(), std::back_inserter(ranges));
        each.asked_for = last;
      }
    }
  }
  for (const PlannedRange& range : ranges) {
    if (is_stopping) {
      return;
    }
    ask_for(range);
  }
}

void Readahead::State::ask_for(const PlannedRange& range) const {
  const std::optional<std::string> path = path_of(range.key);
  const Result<OpenFile> file = path ? open_file(*path, *path) : not_found("{}", range.key);
  if (file.ok()) {
    ::posix_fadvise(file->descriptor.get(), static_cast<off_t>(range.offset_bytes),
                    static_cast<off_t>(range.length_bytes), POSIX_FADV_WILLNEED);
  }
}

}  // namespace forebay::storage
