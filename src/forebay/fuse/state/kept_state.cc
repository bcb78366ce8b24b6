#include "forebay/fuse/state/kept_state.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "forebay/fuse/protocol/protocol.h"

namespace forebay::fuse {
namespace {

bool sends_again(const std::optional<Agreement>& agreement) {
  return agreement && (agreement->flags & kHasResend) != 0;
}

}  // namespace

Result<FileDescriptor> KeptState::make_file(const MountFacts& mount) {
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor file, StateLog::make_file());
  FileDescriptor same(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
  if (!same.is_valid()) {
    return errno_status(errno, "the state of a mount");
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<StateLog> log,
                           StateLog::open(std::move(same), [](std::string_view) { return int64_t{0}; }));
  const std::string record = record_of(mount);
  log->append(record, StateLog::bytes_of(record));
  return file;
}

Result<KeptState::Opened> KeptState::open(FileDescriptor file) {
  RestoredState restored;
  FOREBAY_ASSIGN_OR_RETURN(
      std::unique_ptr<StateLog> log,
      StateLog::open(std::move(file), [&](std::string_view record) { return restored.take(record); }));
  if (!restored.mount) {
    return data_loss("the state of a mount: says nothing of the mount");
  }
  std::shared_ptr<KeptState> state(new KeptState(std::move(log), restored));
  return Opened{std::move(state), std::move(restored)};
}

KeptState::KeptState(std::unique_ptr<StateLog> log, const RestoredState& state)
    : log_(std::move(log)),
      mount_(*state.mount),
      notes_all_(!sends_again(state.agreement)),
      agreement_(state.agreement),
      is_announced_(state.is_announced),
      under_way_(state.under_way),
      highest_begun_(state.highest_begun) {
}

void KeptState::agree(const Agreement& agreement) {
  const MutexLock lock(mutex_);
  const std::string record = record_of(agreement);
  log_->append(record, agreement_ ? 0 : StateLog::bytes_of(record));
  agreement_ = agreement;
  notes_all_ = !sends_again(agreement_);
  if (!notes_all_) {
    forget_requests();
  }
}

/// The kernel knows itself what was not answered.
void KeptState::forget_requests() {
  for (const uint64_t unique : under_way_) {
    const std::string record = answered_record(unique);
    log_->append(record, -StateLog::bytes_of(record));
  }
  under_way_.clear();
}

std::optional<Agreement> KeptState::agreement() const {
  const MutexLock lock(mutex_);
  return agreement_;
}

void KeptState::announce() {
  const MutexLock lock(mutex_);
  const std::string record = announced_record();
  log_->append(record, is_announced_ ? 0 : StateLog::bytes_of(record));
  is_announced_ = true;
}

bool KeptState::is_announced() const {
  const MutexLock lock(mutex_);
  return is_announced_;
}

bool KeptState::is_noted(uint64_t unique) const {
  return notes_all_ || (unique & kSentAgain) != 0;
}

void KeptState::forget_under_way() {
  const MutexLock lock(mutex_);
  forget_requests();
}

void KeptState::begin(uint64_t unique) {
  if (!is_noted(unique)) {
    return;
  }
  const MutexLock lock(mutex_);
  highest_begun_ = std::max(highest_begun_, unique);
  if (under_way_.insert(unique).second) {
    const std::string record = taken_record(unique);
    log_->append(record, StateLog::bytes_of(record));
  }
}

void KeptState::end(uint64_t unique) {
  if (!is_noted(unique)) {
    return;
  }
  const MutexLock lock(mutex_);
  if (under_way_.erase(unique) > 0) {
    const std::string record = answered_record(unique);
    log_->append(record, -StateLog::bytes_of(record));
  }
}

std::vector<uint64_t> KeptState::under_way() const {
  const MutexLock lock(mutex_);
  return {under_way_.begin(), under_way_.end()};
}

uint64_t KeptState::highest_begun() const {
  const MutexLock lock(mutex_);
  return highest_begun_;
}

void KeptState::rewrite(const std::function<void(const StateLog::PutRecord& put)>& put_tables) {
  const MutexLock lock(mutex_);
  log_->rewrite([&](const StateLog::PutRecord& put) FOREBAY_REQUIRES(mutex_) {
    put(record_of(mount_));
    if (agreement_) {
      put(record_of(*agreement_));
    }
    if (is_announced_) {
      put(announced_record());
    }
    put(taken_record(highest_begun_));
    put(answered_record(highest_begun_));
    for (const uint64_t unique : under_way_) {
      put(taken_record(unique));
    }
    put_tables(put);
  });
}

}  // namespace forebay::fuse
