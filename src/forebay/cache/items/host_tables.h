// The tables of data sets that processes have handed to the daemon: one for all who read the same data set.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/disk/disk_worker.h"
#include "forebay/cache/drafts/room_beside.h"
#include "forebay/cache/items/item_table.h"

namespace forebay::cache {

/// A plan that waits for its table. Called on any thread, without a lock.
class TableUser {
 public:
  virtual ~TableUser() = default;
  /// Asks the process for the table. Nothing else happens until it is brought, or given up.
  virtual void ask() = 0;
  virtual void use(std::shared_ptr<const ItemTable> table) = 0;
};

/// Thread safe. One process is asked for a table at a time: the first, and should it end or not be able to
/// give it, the next that waits. A table is kept for as long as a plan uses it.
class HostTables {
 public:
  /// Of all tables, wherever they lie; no more are taken beyond it.
  static constexpr uint64_t kMaxBytes = uint64_t{4} << 30;

  /// `room`: where tables may lie as files without a name, which the kernel drops from memory when it is
  /// short; without a directory, they stay in shared memory.
  explicit HostTables(std::shared_ptr<RoomBeside> room) : state_(std::make_shared<State>(std::move(room))) {}

  /// `user` gets the table with this number now, or once it has come. It goes away when it is no longer
  /// owned.
  void want(uint64_t number, const std::shared_ptr<TableUser>& user);
  /// What ask() asked for: sealed memory that begins with the table. It is checked on a thread of its own.
  void bring(uint64_t number, const std::shared_ptr<TableUser>& user, FileDescriptor memory, uint64_t bytes);
  /// The user that was asked will not bring the table, or no longer wants it.
  void give_up(uint64_t number, const std::shared_ptr<TableUser>& user);

 private:
  struct Known {
    std::weak_ptr<const ItemTable> table;
    std::weak_ptr<TableUser> asked;                // who is to bring it
    std::deque<std::weak_ptr<TableUser>> waiting;  // the others
  };
  /// Outlives this object where a table is just being checked.
  struct State {
    explicit State(std::shared_ptr<RoomBeside> beside) : room(std::move(beside)) {}

    void take(uint64_t number, const std::shared_ptr<TableUser>& user, FileDescriptor memory, uint64_t bytes);
    void pass_on(uint64_t number, const std::shared_ptr<TableUser>& user);
    bool has_room(uint64_t bytes) FOREBAY_REQUIRES(mutex);

    const std::shared_ptr<RoomBeside> room;
    Mutex mutex;
    std::unordered_map<uint64_t, Known> tables FOREBAY_GUARDED_BY(mutex);
  };

  const std::shared_ptr<State> state_;
  DiskWorker worker_;
};

/// Moves a table from shared memory to a file without a name in the room's directory and opens it there;
/// where that cannot be, or there is no room, it stays in memory. invalid_argument if the memory is not
/// sealed, data_loss if it is no table.
Result<std::shared_ptr<const ItemTable>> open_table(FileDescriptor memory, uint64_t bytes,
                                                    const std::shared_ptr<RoomBeside>& room);

}  // namespace forebay::cache
