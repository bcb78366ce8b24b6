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
#include <utility>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/fuse/writing/parts_under_way.h"
#include "forebay/fuse/writing/store_under_way.h"
#include "forebay/fuse/writing/waits.h"
#include "forebay/fuse/writing/write_memory.h"
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
///
/// A call that is not wanted any more (cancelled, deadline_exceeded) ends, and what was begun for it goes on:
/// a later call finds it done, or waits for it.
class Draft {
 public:
  Draft(storage::ObjectAddress address, std::shared_ptr<WriteMemory> memory, DraftOptions options);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  /// A gap before `offset` becomes zeros, if it is no longer than a part. `unimplemented` for what was sent
  /// already, resource_exhausted where files that are being written take all of the memory for them; errors
  /// of the store are those of all later calls. Without an offset: at the end.
  Status write(std::optional<uint64_t> offset, Bytes bytes, const storage::CallContext& context);
  /// Cuts the file, or adds zeros, up to a part of them. To 0: it begins anew.
  Status resize(uint64_t size, const storage::CallContext& context);
  /// Bytes of the file, fewer behind its end. `unimplemented` for what was sent and is not stored yet.
  Result<std::vector<std::byte>> read(uint64_t offset, uint64_t size, const storage::CallContext& context);
  /// Makes the object what the file is now; nothing to do where it is that. What is written later goes into
  /// another version of it, for which a large file has to be read back.
  Status store(const storage::CallContext& context);

  /// Its turn, in which nothing else happens to it. Must not outlive it.
  class Held {
   public:
    Held(Draft& draft, Turns::Turn turn) : draft_(&draft), turn_(std::move(turn)) {}
    Status store(const storage::CallContext& context) { return draft_->store_held(context); }
    /// Nobody will find it by its name: it is stored no more.
    void discard() { draft_->is_discarded_ = true; }
    /// The object has another name now, and another version. Nothing may be unsaved.
    void move_to(storage::ObjectAddress address, storage::ObjectStat stat);

   private:
    Draft* draft_;
    Turns::Turn turn_;
  };
  Result<Held> hold(const storage::CallContext& context);

  /// These never wait.
  uint64_t size() const { return size_.load(); }
  bool is_unsaved() const { return is_unsaved_.load() && !is_discarded_.load(); }
  bool is_discarded() const { return is_discarded_.load(); }
  /// Whether the last attempt to store it failed; nothing has been written since.
  bool has_failed() const { return has_failed_.load(); }
  /// Whether what was there before is given up for what is written now.
  bool is_replacing() const { return is_replacing_.load(); }
  /// What the store has; nothing if it never had it.
  std::optional<storage::ObjectStat> stored() const;
  storage::ObjectAddress address() const;

 private:
  // All of these are called in a turn.
  Status write_held(std::optional<uint64_t> offset, Bytes bytes, const storage::CallContext& context);
  Status resize_held(uint64_t size, const storage::CallContext& context);
  Result<std::vector<std::byte>> read_held(uint64_t offset, uint64_t size,
                                           const storage::CallContext& context);
  Status store_held(const storage::CallContext& context);
  Status load(const storage::CallContext& context);
  Status load_all(const storage::CallContext& context);
  Status prepare(uint64_t offset, const storage::CallContext& context);
  Status grow(size_t bytes, const storage::CallContext& context);
  Status open_writer();
  Status send_full_parts(const storage::CallContext& context);
  Status note_taken(const storage::CallContext& context);
  Status wait_for_room(size_t most, const storage::CallContext& context);
  Status send(size_t bytes, const storage::CallContext& context);
  Status begin_to_store(const storage::CallContext& context);
  Status end_to_store(const storage::CallContext& context);
  void note_stored(storage::ObjectStat stat, bool was_sent);
  void begin_anew();
  void drop_what_was_sent();
  void note_change();
  storage::WriteOptions write_options() const {
    return {.if_absent = if_absent_, .if_version = replaced_version_};
  }
  bool give_up_condition(const Status& status);
  Status check_offset(uint64_t offset, uint64_t end) const;
  Status cannot_change(uint64_t offset) const;
  std::string uri() const { return address().uri(); }

  const size_t part_bytes_;
  const std::shared_ptr<WriteMemory> memory_;
  Turns turns_;
  // Changed in turns only.
  bool if_absent_;
  Status failure_;  // of what was sent: there will be no object
  // The file is all of `base_` as long as that is not loaded; else what was sent, and then `tail_`.
  std::optional<storage::ObjectStat> base_;
  std::string replaced_version_;  // which the object may have; empty: any
  std::unique_ptr<storage::ObjectWriter> writer_;
  PartsUnderWay parts_;
  uint64_t sent_bytes_ = 0;
  std::shared_ptr<std::vector<std::byte>> tail_ = std::make_shared<std::vector<std::byte>>();
  TakenMemory tail_memory_;
  std::shared_ptr<StoreUnderWay> storing_;  // null: none

  std::atomic<uint64_t> size_;
  std::atomic<bool> is_unsaved_;
  std::atomic<bool> is_discarded_ = false;
  std::atomic<bool> has_failed_ = false;
  std::atomic<bool> is_replacing_ = false;
  mutable Mutex mutex_;
  storage::ObjectAddress address_ FOREBAY_GUARDED_BY(mutex_);
  std::optional<storage::ObjectStat> stored_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::fuse
