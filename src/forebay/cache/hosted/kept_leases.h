// Bytes that a process may still look at after its connection has ended: a message that it could not take, or
// too many that it did not, end a connection, and not the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/timer.h"

namespace forebay::cache {

/// A pipe into which nothing is written. A process keeps the end that it was given while it looks at bytes;
/// forked children have copies of it. The daemon's end tells when the last copy has gone.
struct ReaderToken {
  FileDescriptor of_daemon;
  FileDescriptor of_process;

  static Result<ReaderToken> make();
};
/// Whether no process has the other end any more.
bool has_no_reader(const FileDescriptor& of_daemon);

/// Thread safe; owned by a shared_ptr.
class KeptLeases : public std::enable_shared_from_this<KeptLeases> {
 public:
  using Leases = std::vector<std::shared_ptr<const void>>;
  /// How often it is asked whether processes still look.
  static constexpr int64_t kBetweenLooksNs = 100'000'000;

  explicit KeptLeases(Timer& timer = process_timer()) : timer_(timer) {}

  /// Keeps the leases until no process has the other end of `token`; lets them go at once if none has.
  void keep(FileDescriptor token, Leases leases);
  /// How many are kept.
  size_t size() const;

 private:
  struct Kept {
    FileDescriptor token;
    Leases leases;
  };

  void look_later();
  void look();

  Timer& timer_;
  mutable Mutex mutex_;
  std::vector<Kept> kept_ FOREBAY_GUARDED_BY(mutex_);
  bool is_looking_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::cache
