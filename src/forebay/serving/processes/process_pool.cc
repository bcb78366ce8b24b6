// The state that the processes of a model share.
#include "forebay/serving/processes/process_pool.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/base/sync/wait_until.h"
#include "forebay/base/units.h"

namespace forebay::serving {
namespace {

bool is_same_tensor(const TensorMetadata& a, const TensorMetadata& b) {
  return a.name == b.name && a.datatype == b.datatype && a.shape == b.shape;
}

bool are_same_tensors(const std::vector<TensorMetadata>& a, const std::vector<TensorMetadata>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same_tensor);
}

}  // namespace

ProcessPool::ProcessPool(ProcessModelOptions options)
    : options_(std::move(options)),
      who_(fmt::format("model '{}'", options_.name)),
      queue_(who_, options_.queue),
      is_down_(static_cast<size_t>(std::max(options_.instances, 0))) {
}

Result<std::shared_ptr<ProcessPool>> ProcessPool::create(ProcessModelOptions options) {
  constexpr int kMaxInstances = 1024;
  if (options.instances < 1 || options.instances > kMaxInstances) {
    return invalid_argument("model '{}': {} instances; 1 to {} are possible", options.name, options.instances,
                            kMaxInstances);
  }
  auto pool = std::make_shared<ProcessPool>(std::move(options));
  for (int i = 0; i < pool->options_.instances; ++i) {
    auto bell = std::make_unique<InstanceBell>();
    bell->wake = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!bell->wake.is_valid()) {
      return errno_status(errno, pool->who_);
    }
    pool->bells_.push_back(std::move(bell));
  }
  return pool;
}

void ProcessPool::wake_for_request(bool has_deadline) {
  for (const auto& bell : bells_) {
    if (bell->is_idle.exchange(false)) {
      ::eventfd_write(bell->wake.get(), 1);
      return;
    }
  }
  if (has_deadline) {
    ::eventfd_write(bells_.front()->wake.get(), 1);
  }
}

void ProcessPool::wake_all() {
  for (const auto& bell : bells_) {
    ::eventfd_write(bell->wake.get(), 1);
  }
}

Status ProcessPool::note_ready(size_t instance, const ReadyMessage& ready) {
  const MutexLock lock(mutex_);
  if (ready_count_ == 0) {
    metadata_ = {.name = options_.name,
                 .versions = {options_.version},
                 .platform = ready.platform,
                 .inputs = ready.inputs,
                 .outputs = ready.outputs,
                 .max_batch_size = ready.max_batch_size};
  } else if (!are_same_tensors(metadata_.inputs, ready.inputs) ||
             !are_same_tensors(metadata_.outputs, ready.outputs) ||
             metadata_.max_batch_size != ready.max_batch_size) {
    return failed_precondition(
        "its inputs and outputs are others than when it was loaded first; load it again");
  }
  ++ready_count_;
  is_down_[instance] = false;
  refusal_ = ok_status();
  if (end_.ok()) {
    queue_.open();
  }
  changed_.notify_all();
  return ok_status();
}

std::optional<int64_t> ProcessPool::note_failure(size_t instance, int in_row, const Status& why) {
  ++failure_count_;
  bool has_started = false;
  {
    const MutexLock lock(mutex_);
    has_started = has_started_;
  }
  // Of the first start who loads the model is told, and says so.
  log_line(has_started ? LogLevel::kWarning : LogLevel::kInfo, fmt::format("{}: {}", who_, message(why)));
  if (is_ending_) {
    return std::nullopt;
  }
  if (!has_started) {
    give_up(why);
    return std::nullopt;
  }
  if (in_row >= options_.most_failures) {
    note_down(instance, in_row, why);
  }
  return pause_after(in_row);
}

int64_t ProcessPool::pause_after(int in_row) const {
  constexpr int kMaxDoublings = 30;
  const int doublings = std::min(in_row - 1, kMaxDoublings);
  const int64_t most_ns = options_.longest_pause_ns;
  return options_.first_pause_ns > (most_ns >> doublings) ? most_ns : options_.first_pause_ns << doublings;
}

void ProcessPool::give_up(const Status& why) {
  const Status trouble = annotate(why, who_);
  {
    const MutexLock lock(mutex_);
    if (end_.ok()) {
      end_ = trouble;
    }
    queue_.close(trouble);
  }
  queue_.fail_all(trouble);
  is_ending_ = true;
  wake_all();
  note_progress();
}

bool ProcessPool::is_any_up() const {
  return std::find(is_down_.begin(), is_down_.end(), false) != is_down_.end();
}

void ProcessPool::note_down(size_t instance, int in_row, const Status& why) {
  Status refusal;
  {
    const MutexLock lock(mutex_);
    is_down_[instance] = true;
    if (is_any_up() || !end_.ok()) {
      return;
    }
    refusal = unavailable("{} has failed {} time{} in a row and is being started again. The last: {}", who_,
                          in_row, in_row == 1 ? "" : "s", message(why));
    refusal_ = refusal;
    queue_.close(refusal);
  }
  queue_.fail_all(refusal);
  note_progress();
}

void ProcessPool::note_progress() {
  const MutexLock lock(mutex_);
  changed_.notify_all();
}

Status ProcessPool::wait_until_started() {
  const std::stop_callback wake(options_.stop, [this] { note_progress(); });
  UniqueMutexLock lock(mutex_);
  const int64_t until_ns = steady_clock().now_ns() + options_.start_patience_ns;
  const bool is_over = wait_until(changed_, lock, until_ns, [this]() FOREBAY_REQUIRES(mutex_) {
    return !end_.ok() || ready_count_ == options_.instances || options_.stop.stop_requested();
  });
  if (end_.ok() && options_.stop.stop_requested()) {
    return cancelled("{} is not loaded, as nobody waits for it any more", who_);
  }
  if (!is_over) {
    return make_status(StatusCode::kDeadlineExceeded, "{} was not loaded within {} s", who_,
                       options_.start_patience_ns / kSecond);
  }
  has_started_ = end_.ok();
  return end_;
}

void ProcessPool::end(int64_t deadline_ns) {
  const Status reason = unavailable("{} is being unloaded", who_);
  {
    UniqueMutexLock lock(mutex_);
    queue_.close(reason);
    if (end_.ok()) {
      end_ = reason;
    }
    wait_until(changed_, lock, deadline_ns, [this] { return is_ending_ || queue_.is_idle(); });
  }
  queue_.fail_all(reason);
  is_ending_ = true;
  wake_all();
}

Status ProcessPool::status() const {
  const MutexLock lock(mutex_);
  return end_.ok() ? refusal_ : end_;
}

}  // namespace forebay::serving
