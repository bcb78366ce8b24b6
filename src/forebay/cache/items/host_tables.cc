#include "forebay/cache/items/host_tables.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "forebay/base/log/log.h"
#include "forebay/cache/messages/shared_memory.h"

namespace forebay::cache {
namespace {

/// A file without a name, mapped, with its room, for as long as somebody owns this.
class MappedCopy {
 public:
  MappedCopy(void* address, uint64_t bytes, std::unique_ptr<ReservedRoom> reserved)
      : bytes_(static_cast<const std::byte*>(address), bytes), reserved_(std::move(reserved)) {}
  ~MappedCopy() { munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }
  MappedCopy(const MappedCopy&) = delete;
  MappedCopy& operator=(const MappedCopy&) = delete;

  Bytes bytes() const { return bytes_; }

 private:
  const Bytes bytes_;
  const std::unique_ptr<ReservedRoom> reserved_;
};

bool copy_all(int from, int to, uint64_t bytes) {
  off_t offset = 0;
  while (static_cast<uint64_t>(offset) < bytes) {
    if (sendfile(to, from, &offset, bytes - static_cast<uint64_t>(offset)) <= 0) {
      return false;
    }
  }
  return true;
}

/// Null if there is no room, or the directory's file system cannot do it.
std::shared_ptr<const MappedCopy> copy_to_file(int memory, uint64_t bytes,
                                               const std::shared_ptr<RoomBeside>& room) {
  auto reserved = std::make_unique<ReservedRoom>(room);
  if (room->directory().empty() || !reserved->add(bytes)) {
    return nullptr;
  }
  const FileDescriptor file(open(room->directory().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  // Space is taken first: a page of a mapping that has none would end the process.
  if (!file.is_valid() || posix_fallocate(file.get(), 0, static_cast<off_t>(bytes)) != 0 ||
      !copy_all(memory, file.get(), bytes)) {
    return nullptr;
  }
  void* const address = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  return address == MAP_FAILED ? nullptr
                               : std::make_shared<const MappedCopy>(address, bytes, std::move(reserved));
}

}  // namespace

Result<std::shared_ptr<const ItemTable>> open_table(FileDescriptor memory, uint64_t bytes,
                                                    const std::shared_ptr<RoomBeside>& room) {
  const int number = memory.get();
  FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes sealed, open_sealed(std::move(memory), bytes));
  if (const std::shared_ptr<const MappedCopy> copy = copy_to_file(number, bytes, room)) {
    return ItemTable::open(copy->bytes(), copy);
  }
  return ItemTable::open(sealed.bytes, sealed.owner);
}

void HostTables::want(uint64_t number, const std::shared_ptr<TableUser>& user) {
  std::shared_ptr<const ItemTable> table;
  {
    const MutexLock lock(state_->mutex);
    std::erase_if(state_->tables, [](const auto& each) {
      return each.second.table.expired() && each.second.asked.expired() && each.second.waiting.empty();
    });
    Known& known = state_->tables[number];
    table = known.table.lock();
    if (!table && !known.asked.expired()) {
      known.waiting.push_back(user);
      return;
    }
    if (!table) {
      known.asked = user;
    }
  }
  if (table) {
    user->use(std::move(table));
  } else {
    user->ask();
  }
}

void HostTables::bring(uint64_t number, const std::shared_ptr<TableUser>& user, FileDescriptor memory,
                       uint64_t bytes) {
  {
    const MutexLock lock(state_->mutex);
    const auto known = state_->tables.find(number);
    if (known == state_->tables.end() || known->second.asked.lock() != user) {
      return;  // nobody asked for it
    }
  }
  worker_.add(
      [state = std::weak_ptr<State>(state_), number, user = std::weak_ptr<TableUser>(user),
       memory = std::move(memory), bytes]() mutable {
        const std::shared_ptr<State> alive = state.lock();
        const std::shared_ptr<TableUser> brought = user.lock();
        if (alive && brought) {
          alive->take(number, brought, std::move(memory), bytes);
        }
      },
      0);
}

bool HostTables::State::has_room(uint64_t bytes) {
  uint64_t all = bytes;
  for (const auto& [number, known] : tables) {
    const std::shared_ptr<const ItemTable> table = known.table.lock();
    all += table ? table->bytes() : 0;
  }
  return bytes <= kMaxBytes && all <= kMaxBytes;
}

void HostTables::State::take(uint64_t number, const std::shared_ptr<TableUser>& user, FileDescriptor memory,
                             uint64_t bytes) {
  bool is_taken = false;
  {
    const MutexLock lock(mutex);
    is_taken = has_room(bytes);
  }
  Result<std::shared_ptr<const ItemTable>> table =
      is_taken ? open_table(std::move(memory), bytes, room)
               : resource_exhausted("the tables of data sets take more than {} bytes", kMaxBytes);
  if (!table.ok()) {
    log_warning("the cache does not follow a plan: {}", message(table.status()));
    pass_on(number, user);
    return;
  }
  std::deque<std::weak_ptr<TableUser>> waiting;
  {
    const MutexLock lock(mutex);
    Known& known = tables[number];
    known.table = *table;
    waiting.swap(known.waiting);
    if (known.asked.lock() != user) {
      waiting.push_back(known.asked);  // asked since, because this user gave up
    }
    known.asked.reset();
  }
  user->use(*table);
  for (const std::weak_ptr<TableUser>& each : waiting) {
    if (const std::shared_ptr<TableUser> alive = each.lock()) {
      alive->use(*table);
    }
  }
}

void HostTables::give_up(uint64_t number, const std::shared_ptr<TableUser>& user) {
  state_->pass_on(number, user);
}

void HostTables::State::pass_on(uint64_t number, const std::shared_ptr<TableUser>& user) {
  std::shared_ptr<TableUser> next;
  {
    const MutexLock lock(mutex);
    const auto found = tables.find(number);
    if (found == tables.end() || found->second.asked.lock() != user) {
      return;
    }
    Known& known = found->second;
    known.asked.reset();
    while (!next && !known.waiting.empty()) {
      next = known.waiting.front().lock();
      known.waiting.pop_front();
    }
    known.asked = next;
  }
  if (next) {
    next->ask();
  }
}

}  // namespace forebay::cache
