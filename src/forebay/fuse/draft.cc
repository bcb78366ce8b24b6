#include "forebay/fuse/draft.h"

#include <algorithm>
#include <utility>

#include "forebay/storage/blocking.h"

namespace forebay::fuse {
namespace {

constexpr size_t kMostPartsUnderWay = 4;

Result<std::vector<std::byte>> read_part_of(const storage::ObjectAddress& address,
                                            const storage::ObjectStat& stat, uint64_t offset, uint64_t length,
                                            const storage::CallContext& context) {
  std::vector<std::byte> bytes(length);
  if (length > 0) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                             storage::read_now(*address.store,
                                               {.key = address.key,
                                                .offset_bytes = offset,
                                                .length_bytes = length,
                                                .if_version = stat.version,
                                                .into = bytes,
                                                .object_bytes = stat.size_bytes},
                                               context));
  }
  return bytes;
}

}  // namespace

Draft::Draft(storage::ObjectAddress address, DraftOptions options)
    : part_bytes_(options.part_bytes),
      address_(std::move(address)),
      if_absent_(options.if_absent),
      base_(std::move(options.base)),
      size_(base_ ? base_->size_bytes : 0),
      is_unsaved_(!base_),
      stored_(base_) {
}

Status Draft::cannot_change(uint64_t offset) const {
  return unimplemented(
      "{}: byte {} was sent to the store, which takes an object from front to back; only the last {} bytes "
      "of a file that is being written can be changed, or all of one that is no longer",
      address_.uri(), offset, part_bytes_);
}

void Draft::note_change() {
  is_unsaved_ = true;
  has_failed_ = false;
  size_ = sent_bytes_ + tail_.size();
}

void Draft::begin_anew() {
  writer_.reset();
  parts_ = PartsUnderWay();
  failure_ = ok_status();
  is_replacing_ = is_replacing_ || stored().has_value();
  base_.reset();
  replaced_version_.clear();  // whatever is there is replaced
  sent_bytes_ = 0;
  tail_.clear();
  note_change();
}

storage::WriteOptions Draft::write_options() const {
  return {.if_absent = if_absent_, .if_version = replaced_version_};
}

/// Some stores cannot make a write depend on what is there. True if it may be tried without.
bool Draft::give_up_condition(const Status& status) {
  if (status.code() != StatusCode::kUnimplemented || (!if_absent_ && replaced_version_.empty())) {
    return false;
  }
  if_absent_ = false;
  replaced_version_.clear();
  return true;
}

/// Has the next bytes of the file's beginning follow on what was sent and what is kept.
Status Draft::append_base(const storage::CallContext& context) {
  const uint64_t begin = sent_bytes_ + tail_.size();
  const uint64_t length = std::min<uint64_t>(part_bytes_, base_->size_bytes - begin);
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes,
                           read_part_of(address_, *base_, begin, length, context));
  tail_.insert(tail_.end(), bytes.begin(), bytes.end());
  return send_full_parts(context);
}

/// Makes what is stored the beginning of what is written: kept if it is small, else sent once more.
Status Draft::load(const storage::CallContext& context) {
  replaced_version_ = base_->version;
  Status status;
  while (status.ok() && sent_bytes_ + tail_.size() < base_->size_bytes) {
    status = append_base(context);
  }
  if (status.ok()) {
    base_.reset();
    return status;
  }
  writer_.reset();  // nothing has changed: it may be tried again
  parts_ = PartsUnderWay();
  failure_ = ok_status();
  sent_bytes_ = 0;
  tail_.clear();
  return status;
}

/// Sees that what lies at `offset` can be changed.
Status Draft::prepare(uint64_t offset, const storage::CallContext& context) {
  FOREBAY_RETURN_IF_ERROR(failure_);
  if (base_) {
    if (offset < base_->size_bytes && base_->size_bytes > part_bytes_) {
      return cannot_change(offset);
    }
    FOREBAY_RETURN_IF_ERROR(load(context));
  }
  if (offset < sent_bytes_) {
    return cannot_change(offset);
  }
  const uint64_t end = sent_bytes_ + tail_.size();
  return offset <= end || offset - end <= part_bytes_
             ? ok_status()
             : unimplemented("{}: a gap of {} bytes before byte {}; an object has none", address_.uri(),
                             offset - end, offset);
}

Status Draft::open_writer() {
  Result<std::unique_ptr<storage::ObjectWriter>> opened =
      address_.store->open_writer(address_.key, write_options());
  if (!opened.ok() && give_up_condition(opened.status())) {
    opened = address_.store->open_writer(address_.key, write_options());
  }
  FOREBAY_RETURN_IF_ERROR(opened.status());
  writer_ = *std::move(opened);
  return ok_status();
}

Status Draft::send(size_t bytes, const storage::CallContext& context) {
  if (bytes == 0) {
    return ok_status();
  }
  if (!writer_) {
    FOREBAY_RETURN_IF_ERROR(open_writer());
  }
  const auto end = tail_.begin() + static_cast<std::ptrdiff_t>(bytes);
  const size_t most = std::clamp<size_t>(writer_->limits().in_flight, 1, kMostPartsUnderWay);
  failure_ = parts_.add(*writer_, {tail_.begin(), end}, most, context);
  FOREBAY_RETURN_IF_ERROR(failure_);
  tail_.erase(tail_.begin(), end);
  sent_bytes_ += bytes;
  return ok_status();
}

/// Keeps one part, which may still be changed, and what does not fill another.
Status Draft::send_full_parts(const storage::CallContext& context) {
  while (tail_.size() >= 2 * part_bytes_) {
    FOREBAY_RETURN_IF_ERROR(send(part_bytes_, context));
  }
  return ok_status();
}

Status Draft::write(std::optional<uint64_t> offset, Bytes bytes, const storage::CallContext& context) {
  const MutexLock lock(mutex_);
  const uint64_t begin = offset.value_or(size_.load());
  FOREBAY_RETURN_IF_ERROR(prepare(begin, context));
  const size_t at = begin - sent_bytes_;
  tail_.resize(std::max(tail_.size(), at + bytes.size()));
  std::ranges::copy(bytes, tail_.begin() + static_cast<std::ptrdiff_t>(at));
  note_change();
  return send_full_parts(context);
}

Status Draft::resize(uint64_t size, const storage::CallContext& context) {
  const MutexLock lock(mutex_);
  if (size == 0) {
    begin_anew();
    return ok_status();
  }
  if (size == size_.load()) {
    return ok_status();
  }
  FOREBAY_RETURN_IF_ERROR(prepare(size, context));
  tail_.resize(size - sent_bytes_);
  note_change();
  return send_full_parts(context);
}

Result<std::vector<std::byte>> Draft::read(uint64_t offset, uint64_t size,
                                           const storage::CallContext& context) {
  const MutexLock lock(mutex_);
  const uint64_t begin = std::min(offset, size_.load());
  const uint64_t length = std::min(size, size_.load() - begin);
  if (base_) {
    return read_part_of(address_, *base_, begin, length, context);
  }
  if (length > 0 && begin < sent_bytes_) {
    return unimplemented("{}: byte {} was sent to the store and can be read once the file is closed",
                         address_.uri(), begin);
  }
  const auto first = tail_.begin() + static_cast<std::ptrdiff_t>(begin - std::min(begin, sent_bytes_));
  return std::vector<std::byte>(first, first + static_cast<std::ptrdiff_t>(length));
}

Result<storage::ObjectStat> Draft::store_whole(const storage::CallContext& context) {
  Result<storage::ObjectStat> made =
      storage::write_now(*address_.store, address_.key, tail_, write_options(), context);
  if (!made.ok() && give_up_condition(made.status())) {
    made = storage::write_now(*address_.store, address_.key, tail_, write_options(), context);
  }
  return made;
}

Result<storage::ObjectStat> Draft::commit(const storage::CallContext& context) {
  FOREBAY_RETURN_IF_ERROR(send(tail_.size(), context));
  failure_ = parts_.finish();
  FOREBAY_RETURN_IF_ERROR(failure_);
  Result<storage::ObjectStat> made = storage::commit_now(*writer_, context);
  failure_ = made.status();
  return made;
}

/// What was sent is an object now, and would have to be read to go on; what is kept whole stays.
void Draft::note_stored(storage::ObjectStat stat) {
  stat.key = address_.key;
  if_absent_ = false;
  if (!replaced_version_.empty()) {
    replaced_version_ = stat.version;
  }
  if (writer_) {
    writer_.reset();
    sent_bytes_ = 0;
    tail_.clear();
    base_ = stat;
  }
  is_unsaved_ = false;
  is_replacing_ = false;
  const MutexLock lock(stored_mutex_);
  stored_ = std::move(stat);
}

Status Draft::store(const storage::CallContext& context) {
  const MutexLock lock(mutex_);
  if (!is_unsaved_ || is_discarded_) {
    return ok_status();
  }
  FOREBAY_RETURN_IF_ERROR(failure_);
  Result<storage::ObjectStat> made = writer_ ? commit(context) : store_whole(context);
  has_failed_ = !made.ok();
  FOREBAY_RETURN_IF_ERROR(made.status());
  note_stored(*std::move(made));
  return ok_status();
}

void Draft::discard() {
  const MutexLock lock(mutex_);
  is_discarded_ = true;
}

void Draft::move_to(storage::ObjectAddress address) {
  const MutexLock lock(mutex_);
  address_ = std::move(address);
  const MutexLock stored_lock(stored_mutex_);
  if (stored_) {
    stored_->key = address_.key;
  }
}

std::optional<storage::ObjectStat> Draft::stored() const {
  const MutexLock lock(stored_mutex_);
  return stored_;
}

}  // namespace forebay::fuse
