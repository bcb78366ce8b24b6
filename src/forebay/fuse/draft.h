// A file that is being written: what its bytes are, and what of them the store has already.
//
// Object stores take an object from front to back. So the end of a file is kept in memory, where it may be
// changed, and what lies before it has been sent and may not. A file that is small enough is kept whole.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/fuse/parts_under_way.h"
#include "forebay/storage/object_store.h"

namespace forebay::fuse {

struct DraftOptions {
  /// What is there already, and is the beginning of the file; nothing: the file is empty. It is read once
  /// something is written behind it.
  std::optional<storage::ObjectStat> base;
  bool if_absent = false;  // already_exists if somebody else stores the object before it is stored here
  size_t part_bytes = size_t{8} << 20;
};

/// Thread safe; calls wait for each other. Up to two parts are kept, and up to four are on their way.
class Draft {
 public:
  Draft(storage::ObjectAddress address, DraftOptions options);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  /// A gap before `offset` becomes zeros, if it is no longer than a part. `unimplemented` for what was sent
  /// already; errors of the store are those of all later calls. Without an offset: at the end.
  Status write(std::optional<uint64_t> offset, Bytes bytes, const storage::CallContext& context);
  /// Cuts the file, or adds zeros, up to a part of them. To 0: it begins anew.
  Status resize(uint64_t size, const storage::CallContext& context);
  /// Bytes of the file, fewer behind its end. `unimplemented` for what was sent and is not stored yet.
  Result<std::vector<std::byte>> read(uint64_t offset, uint64_t size, const storage::CallContext& context);
  /// Makes the object what the file is now; nothing to do where it is that. What is written later goes into
  /// another version of it, for which a large file has to be read back.
  Status store(const storage::CallContext& context);
  /// Nobody will find it by its name: it is stored no more.
  void discard();
  /// The object has another name now. Nothing may be unsaved.
  void move_to(storage::ObjectAddress address);

  /// These never wait.
  uint64_t size() const { return size_.load(); }
  bool is_unsaved() const { return is_unsaved_.load(); }
  /// Whether the last attempt to store it failed; nothing has been written since.
  bool has_failed() const { return has_failed_.load(); }
  /// Whether what was there before is given up for what is written now.
  bool is_replacing() const { return is_replacing_.load(); }

  /// What the store has; nothing if it never had it.
  std::optional<storage::ObjectStat> stored() const;

 private:
  Status load(const storage::CallContext& context) FOREBAY_REQUIRES(mutex_);
  Status prepare(uint64_t offset, const storage::CallContext& context) FOREBAY_REQUIRES(mutex_);
  Status append_base(const storage::CallContext& context) FOREBAY_REQUIRES(mutex_);
  Status send_full_parts(const storage::CallContext& context) FOREBAY_REQUIRES(mutex_);
  Status send(size_t bytes, const storage::CallContext& context) FOREBAY_REQUIRES(mutex_);
  Result<storage::ObjectStat> store_whole(const storage::CallContext& context) FOREBAY_REQUIRES(mutex_);
  Status open_writer() FOREBAY_REQUIRES(mutex_);
  Result<storage::ObjectStat> commit(const storage::CallContext& context) FOREBAY_REQUIRES(mutex_);
  void note_stored(storage::ObjectStat stat) FOREBAY_REQUIRES(mutex_);
  void begin_anew() FOREBAY_REQUIRES(mutex_);
  void note_change() FOREBAY_REQUIRES(mutex_);
  storage::WriteOptions write_options() const FOREBAY_REQUIRES(mutex_);
  bool give_up_condition(const Status& status) FOREBAY_REQUIRES(mutex_);
  Status cannot_change(uint64_t offset) const FOREBAY_REQUIRES(mutex_);

  const size_t part_bytes_;
  mutable Mutex mutex_;
  storage::ObjectAddress address_ FOREBAY_GUARDED_BY(mutex_);
  bool if_absent_ FOREBAY_GUARDED_BY(mutex_);
  bool is_discarded_ FOREBAY_GUARDED_BY(mutex_) = false;
  Status failure_ FOREBAY_GUARDED_BY(mutex_);  // of what was sent: there will be no object
  // The file is all of `base_` as long as that is not loaded; else what was sent, and then `tail_`.
  std::optional<storage::ObjectStat> base_ FOREBAY_GUARDED_BY(mutex_);
  std::string replaced_version_ FOREBAY_GUARDED_BY(mutex_);  // which the object may have; empty: any
  std::unique_ptr<storage::ObjectWriter> writer_ FOREBAY_GUARDED_BY(mutex_);
  PartsUnderWay parts_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t sent_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::vector<std::byte> tail_ FOREBAY_GUARDED_BY(mutex_);
  std::atomic<uint64_t> size_;
  std::atomic<bool> is_unsaved_;
  std::atomic<bool> has_failed_ = false;
  std::atomic<bool> is_replacing_ = false;
  mutable Mutex stored_mutex_;
  std::optional<storage::ObjectStat> stored_ FOREBAY_GUARDED_BY(stored_mutex_);
};

}  // namespace forebay::fuse
