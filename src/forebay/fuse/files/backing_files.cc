#include "forebay/fuse/files/backing_files.h"

#include <cerrno>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/base/system_error.h"

namespace forebay::fuse {
namespace {

/// Whether an error says what there is too little of at the moment; the next file may be taken.
bool is_passing(const Status& error) {
  const int number = errno_of(error).value_or(0);
  return number == EMFILE || number == ENFILE || number == ENOMEM || number == ENOSPC || number == EINTR;
}

}  // namespace

void BackingFiles::begin(BackingKernel* kernel) {
  const MutexLock lock(mutex_);
  kernel_ = kernel;
}

// What programs still have open the kernel serves on; the cache knows that by itself.
void BackingFiles::end() {
  std::unordered_map<uint64_t, std::shared_ptr<Served>> served;
  {
    const MutexLock lock(mutex_);
    kernel_ = nullptr;
    served = served_;
  }
  for (const auto& [node, each] : served) {
    storage::ReadBytes dropped;  // without the lock
    const MutexLock lock(each->mutex);
    std::swap(dropped, each->lease);
  }
}

std::shared_ptr<BackingFiles::Served> BackingFiles::enter(uint64_t node) {
  const MutexLock lock(mutex_);
  std::shared_ptr<Served>& served = served_[node];
  if (!served) {
    served = std::make_shared<Served>();
  }
  ++served->uses;
  return served;
}

std::unique_ptr<BackingFiles::Use> BackingFiles::open(uint64_t node, FindFile find_file) {
  auto use = std::make_unique<Use>(*this, node);
  Served& served = *use->served_;
  const MutexLock lock(served.mutex);
  if (!served.is_decided) {
    decide(served, find_file);
    served.is_decided = true;
  }
  use->backing_ = served.backing;
  if (served.backing != 0) {
    passed_through_.fetch_add(1, std::memory_order_relaxed);
  }
  return use;
}

std::unique_ptr<BackingFiles::Use> BackingFiles::restore(uint64_t node, uint32_t backing) {
  auto use = std::make_unique<Use>(*this, node);
  Served& served = *use->served_;
  const MutexLock lock(served.mutex);
  served.is_decided = true;
  if (backing != 0) {  // others may have been opened before, past the kernel's pages
    served.backing = backing;
  }
  use->backing_ = served.backing;
  return use;
}

void BackingFiles::decide(Served& served, FindFile find_file) {
  {
    const MutexLock lock(mutex_);
    if (kernel_ == nullptr || was_refused_) {
      return;
    }
  }
  Result<storage::ReadBytes> found = find_file();
  if (!found.ok() || found->file == nullptr) {
    return;
  }
  Result<uint32_t> backing = unavailable("the mount has gone");
  {
    const MutexLock lock(mutex_);
    if (kernel_ != nullptr) {
      backing = kernel_->open_backing(*found->file);
    }
  }
  if (!backing.ok()) {
    refused(backing.status());
    return;
  }
  found->file.reset();  // the kernel has it open
  served.lease = *std::move(found);
  served.backing = *backing;
}

void BackingFiles::refused(const Status& why) {
  const MutexLock lock(mutex_);
  if (kernel_ != nullptr && !is_passing(why) && !std::exchange(was_refused_, true)) {
    log_warning(
        "forebay fuse: the kernel serves no file by itself, so all are read by way of this program: {}",
        message(why));
  }
}

void BackingFiles::close(uint64_t node) {
  std::shared_ptr<Served> ended;
  {
    const MutexLock lock(mutex_);
    const auto found = served_.find(node);
    if (--found->second->uses > 0) {
      return;
    }
    ended = std::move(found->second);
    served_.erase(found);
  }
  storage::ReadBytes dropped;  // after the kernel has closed the file
  const MutexLock lock(ended->mutex);
  std::swap(dropped, ended->lease);
  const MutexLock kernel_lock(mutex_);
  if (ended->backing != 0 && kernel_ != nullptr) {
    kernel_->close_backing(ended->backing);
  }
}

size_t BackingFiles::size() const {
  const MutexLock lock(mutex_);
  return served_.size();
}

}  // namespace forebay::fuse
