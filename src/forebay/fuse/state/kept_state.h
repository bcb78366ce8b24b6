// What the server of a mount keeps for the next one, should it be killed: its log, and what of it belongs to
// no table.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/fuse/state/state_log.h"
#include "forebay/fuse/state/state_records.h"

namespace forebay::fuse {

/// Thread safe.
class KeptState {
 public:
  /// A file that a mount's servers keep their state in, one after the other.
  static Result<FileDescriptor> make_file(const MountFacts& mount);

  struct Opened;
  /// By this process from now on. data_loss if what was kept is incomplete or not understood.
  static Result<Opened> open(FileDescriptor file);

  const MountFacts& mount() const { return mount_; }
  StateLog& log() { return *log_; }

  void agree(const Agreement& agreement);
  /// Nothing before the kernel was answered.
  std::optional<Agreement> agreement() const;
  /// Who started the mount knows of it.
  void announce();
  bool is_announced() const;

  /// A request that has to be answered was taken, or has been answered. Where the kernel sends again what a
  /// killed server has taken, only what it has sent again is noted.
  void begin(uint64_t unique);
  void end(uint64_t unique);
  /// What was begun, by this server or those before.
  std::vector<uint64_t> under_way() const;
  /// The highest number of a request that was begun.
  uint64_t highest_begun() const;
  /// Nothing was begun.
  void forget_under_way();

  /// Writes the log anew: what is kept here, and what `put_tables` puts. The tables must not change
  /// meanwhile.
  void rewrite(const std::function<void(const StateLog::PutRecord& put)>& put_tables);

 private:
  KeptState(std::unique_ptr<StateLog> log, const RestoredState& state);
  bool is_noted(uint64_t unique) const;
  void forget_requests() FOREBAY_REQUIRES(mutex_);

  const std::unique_ptr<StateLog> log_;
  const MountFacts mount_;
  std::atomic<bool> notes_all_ = true;  // requests
  mutable Mutex mutex_;
  std::optional<Agreement> agreement_ FOREBAY_GUARDED_BY(mutex_);
  bool is_announced_ FOREBAY_GUARDED_BY(mutex_);
  std::set<uint64_t> under_way_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t highest_begun_ FOREBAY_GUARDED_BY(mutex_);
};

struct KeptState::Opened {
  std::shared_ptr<KeptState> state;
  RestoredState restored;
};

}  // namespace forebay::fuse
