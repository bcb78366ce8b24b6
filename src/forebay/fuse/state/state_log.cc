#include "forebay/fuse/state/state_log.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/base/crc32c.h"
#include "forebay/base/log/log.h"

namespace forebay::fuse {
namespace {

constexpr int64_t kHeaderBytes = 4096;
constexpr int64_t kSlots = 2;
constexpr int64_t kGapBytes = 64;  // zeros between what was and what is written anew
constexpr int64_t kLeastGarbageBytes = 256 << 10;
constexpr size_t kWriteBytes = 1 << 20;
constexpr uint64_t kLostUntilNextTry = 1024;
constexpr const char* kName = "the state of a mount";

struct Slot {
  uint64_t generation;
  int64_t begin;
  uint32_t is_broken;
  uint32_t crc;
};
static_assert(sizeof(Slot) == 24);

struct Frame {
  uint32_t bytes;  // of the content; 0 where there are no more
  uint32_t crc;
};
static_assert(sizeof(Frame) == 8);

/// What a record's checksum begins with.
struct Place {
  uint64_t generation;
  int64_t offset;
  uint64_t bytes;
};

template <class Value>
Bytes raw(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}

Bytes raw_text(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

uint32_t crc_of(const Slot& slot) {
  return crc32c(raw(slot).first(offsetof(Slot, crc)));
}

uint32_t crc_of(const Place& place, std::string_view content) {
  return crc32c(raw_text(content), crc32c(raw(place)));
}

void append_framed(std::string& to, std::string_view record, uint64_t generation, int64_t offset) {
  const Frame frame = {static_cast<uint32_t>(record.size()),
                       crc_of({generation, offset, record.size()}, record)};
  to.append(reinterpret_cast<const char*>(&frame), sizeof(frame));
  to += record;
}

/// The errno; 0 when all is written.
int write_all_at(int file, std::string_view bytes, int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    const size_t done = written < 0 ? 0 : static_cast<size_t>(written);
    bytes.remove_prefix(done);
    offset += static_cast<int64_t>(done);
  }
  return 0;
}

/// The slot that counts, if there is one.
std::optional<Slot> current_slot(int file) {
  std::optional<Slot> current;
  for (int64_t i = 0; i < kSlots; ++i) {
    Slot slot{};
    const bool is_read = ::pread(file, &slot, sizeof(slot), i * int64_t{sizeof(slot)}) == sizeof(slot);
    if (is_read && slot.generation != 0 && slot.begin >= kHeaderBytes && slot.crc == crc_of(slot) &&
        (!current || slot.generation > current->generation)) {
      current = slot;
    }
  }
  return current;
}

/// The content of the record at `offset`; nothing where none is whole.
std::string_view record_at(std::string_view file, uint64_t generation, int64_t offset) {
  const std::string_view rest = file.substr(std::min(static_cast<size_t>(offset), file.size()));
  Frame frame{};
  if (rest.size() < sizeof(frame)) {
    return {};
  }
  std::memcpy(&frame, rest.data(), sizeof(frame));
  if (frame.bytes > rest.size() - sizeof(frame)) {
    return {};
  }
  const std::string_view content = rest.substr(sizeof(frame), frame.bytes);
  return frame.crc == crc_of({generation, offset, frame.bytes}, content) ? content : std::string_view();
}

/// A file as it is in memory.
class MappedState {
 public:
  explicit MappedState(int file) {
    struct stat status {};
    if (::fstat(file, &status) == 0 && status.st_size > 0) {
      bytes_ = static_cast<size_t>(status.st_size);
      at_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file, 0);
    }
  }
  ~MappedState() {
    if (at_ != MAP_FAILED) {
      ::munmap(at_, bytes_);
    }
  }
  MappedState(const MappedState&) = delete;
  MappedState& operator=(const MappedState&) = delete;

  std::string_view text() const {
    return at_ == MAP_FAILED ? std::string_view() : std::string_view(static_cast<const char*>(at_), bytes_);
  }

 private:
  void* at_ = MAP_FAILED;
  size_t bytes_ = 0;
};

}  // namespace

/// Where records are written anew.
struct StateLog::Region {
  uint64_t generation = 0;
  int64_t begin = 0;
  int64_t limit = 0;  // what must not be reached
};

StateLog::StateLog(FileDescriptor file, uint64_t generation, int64_t begin)
    : file_(std::move(file)), generation_(generation), begin_(begin), end_(begin) {
}

Result<FileDescriptor> StateLog::make_file() {
  FileDescriptor file(::memfd_create("forebay-fuse", MFD_CLOEXEC));
  if (!file.is_valid()) {
    return errno_status(errno, kName);
  }
  StateLog log(std::move(file), 0, kHeaderBytes);
  const MutexLock lock(log.mutex_);
  FOREBAY_RETURN_IF_ERROR(log.publish(1, kHeaderBytes, false));
  FileDescriptor made(::fcntl(log.file_.get(), F_DUPFD_CLOEXEC, 0));
  return made.is_valid() ? Result<FileDescriptor>(std::move(made)) : errno_status(errno, kName);
}

Result<std::unique_ptr<StateLog>> StateLog::open(FileDescriptor file, const TakeRecord& take) {
  const std::optional<Slot> slot = current_slot(file.get());
  if (!slot) {
    return data_loss("{}: not one that Forebay has written", kName);
  }
  if (slot->is_broken != 0) {
    return data_loss("{}: incomplete, since there was no memory for it", kName);
  }
  std::unique_ptr<StateLog> log(new StateLog(std::move(file), slot->generation, slot->begin));
  FOREBAY_RETURN_IF_ERROR(log->replay(take));
  return log;
}

Status StateLog::replay(const TakeRecord& take) {
  const MutexLock lock(mutex_);
  {
    const MappedState file(file_.get());
    for (;;) {
      const std::string_view record = record_at(file.text(), generation_, end_);
      if (record.empty()) {
        break;
      }
      FOREBAY_ASSIGN_OR_RETURN(const int64_t live_bytes, take(record));
      live_bytes_ += live_bytes;
      end_ += bytes_of(record);
    }
  }
  adopt(begin_, end_);
  look_whether_due();
  return ok_status();
}

int64_t StateLog::bytes_of(std::string_view record) {
  return static_cast<int64_t>(sizeof(Frame) + record.size());
}

void StateLog::append(std::string_view record, int64_t live_bytes) {
  FOREBAY_CHECK(!record.empty() && record.size() <= std::numeric_limits<uint32_t>::max());
  const MutexLock lock(mutex_);
  live_bytes_ += live_bytes;
  if (lost_records_ > 0) {
    lose_record(0);
    return;
  }
  framed_.clear();
  append_framed(framed_, record, generation_, end_);
  if (const int error = write_all_at(file_.get(), framed_, end_); error != 0) {
    lose_record(error);
    return;
  }
  end_ += static_cast<int64_t>(framed_.size());
  look_whether_due();
}

/// From now on the log says that it is not whole, until all is written anew.
void StateLog::lose_record(int error) {
  if (lost_records_ == 0) {
    log_warning("{}; while that is so, the mount ends with its process",
                message(errno_status(error, "what a mount has to know after a kill")));
    publish(generation_ + 1, begin_, true).IgnoreError();  // the page is there
  }
  if (lost_records_++ % kLostUntilNextTry == 0) {
    is_due_ = true;
  }
}

void StateLog::look_whether_due() {
  const int64_t garbage = end_ - begin_ - live_bytes_;
  is_due_.store(garbage > std::max(live_bytes_, kLeastGarbageBytes), std::memory_order_relaxed);
}

/// Makes records that begin there the log, by one write.
Status StateLog::publish(uint64_t generation, int64_t begin, bool is_broken) {
  Slot slot = {generation, begin, is_broken ? uint32_t{1} : 0, 0};
  slot.crc = crc_of(slot);
  const auto at = static_cast<int64_t>(generation % kSlots * sizeof(slot));
  const std::string_view bytes(reinterpret_cast<const char*>(&slot), sizeof(slot));
  if (const int error = write_all_at(file_.get(), bytes, at); error != 0) {
    return errno_status(error, kName);
  }
  generation_ = generation;
  return ok_status();
}

/// Where the records end. out_of_range where there is no room for them.
Result<int64_t> StateLog::write_region(const Region& region,
                                       const std::function<void(const PutRecord&)>& put_all) {
  std::string chunk;
  int64_t at = region.begin;
  Status status;
  const auto flush = [&] {
    const auto bytes = static_cast<int64_t>(chunk.size());
    if (status.ok() && at + bytes > region.limit) {
      status = out_of_range("{}: larger than it was", kName);
    }
    if (status.ok()) {
      const int error = write_all_at(file_.get(), chunk, at);
      status = error == 0 ? ok_status() : errno_status(error, kName);
    }
    at += bytes;
    chunk.clear();
  };
  put_all([&](std::string_view record) {
    append_framed(chunk, record, region.generation, at + static_cast<int64_t>(chunk.size()));
    if (chunk.size() >= kWriteBytes) {
      flush();
    }
  });
  flush();
  return status.ok() ? Result<int64_t>(at) : status;
}

// Before the former records if there is room, so that the file's size stays bounded, too; else behind them.
void StateLog::rewrite(const std::function<void(const PutRecord& put)>& put_all) {
  const MutexLock lock(mutex_);
  const Region front = {generation_ + 1, kHeaderBytes, begin_ - kGapBytes};
  const Region behind = {generation_ + 1, (end_ + kGapBytes + kHeaderBytes - 1) / kHeaderBytes * kHeaderBytes,
                         std::numeric_limits<int64_t>::max()};
  Result<int64_t> end = out_of_range("{}: no room before it", kName);
  int64_t begin = front.begin;
  if (live_bytes_ <= front.limit - front.begin) {
    end = write_region(front, put_all);
  }
  if (end.status().code() == StatusCode::kOutOfRange) {
    begin = behind.begin;
    end = write_region(behind, put_all);
  }
  if (!end.ok() || !publish(generation_ + 1, begin, false).ok()) {
    is_due_ = false;  // after more records it is tried again
    return;
  }
  lost_records_ = 0;
  live_bytes_ = *end - begin;
  adopt(begin, *end);
  look_whether_due();
}

/// The log is there from now on, and nothing else is in the file.
void StateLog::adopt(int64_t begin, int64_t end) {
  begin_ = begin;
  end_ = end;
  [[maybe_unused]] const int cut = ::ftruncate(file_.get(), std::max(end, kHeaderBytes));
  if (begin > kHeaderBytes) {
    ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, kHeaderBytes, begin - kHeaderBytes);
  }
}

int64_t StateLog::bytes() const {
  constexpr int64_t kStatBlockBytes = 512;
  struct stat status {};
  return ::fstat(file_.get(), &status) == 0
             ? std::max<int64_t>(status.st_blocks * kStatBlockBytes - kHeaderBytes, 0)
             : 0;
}

}  // namespace forebay::fuse
