#include "forebay/fuse/writing/draft.h"

#include <algorithm>
#include <utility>

#include "forebay/storage/blocking.h"

namespace forebay::fuse {
namespace {

constexpr size_t kMaxPartsUnderWay = 4;

Result<std::vector<std::byte>> read_part_of(const storage::ObjectAddress& address,
                                            const storage::ObjectStat& stat, uint64_t offset, uint64_t length,
                                            const storage::CallContext& context) {
  std::vector<std::byte> bytes(length);
  if (length > 0) {
    FOREBAY_RETURN_IF_ERROR(storage::read_now(*address.store,
                                              {.key = address.key,
                                               .offset_bytes = offset,
                                               .length_bytes = length,
                                               .if_version = stat.version,
                                               .into = bytes,
                                               .object_bytes = stat.size_bytes},
                                              context)
                                .status());
  }
  return bytes;
}

}  // namespace

Draft::Draft(storage::ObjectAddress address, std::shared_ptr<WriteMemory> memory, DraftOptions options)
    : part_bytes_(options.part_bytes),
      memory_(std::move(memory)),
      if_absent_(options.if_absent),
      base_(std::move(options.base)),
      tail_memory_(memory_),
      size_(base_ ? base_->size_bytes : 0),
      is_unsaved_(!base_),
      address_(std::move(address)),
      stored_(base_) {
  parts_ = PartsUnderWay(uri());
}

storage::ObjectAddress Draft::address() const {
  const MutexLock lock(mutex_);
  return address_;
}

std::optional<storage::ObjectStat> Draft::stored() const {
  const MutexLock lock(mutex_);
  return stored_;
}

Result<Draft::Held> Draft::hold(const storage::CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(Turns::Turn turn, turns_.take(context, uri()));
  return Held(*this, std::move(turn));
}

Status Draft::write(std::optional<uint64_t> offset, Bytes bytes, const storage::CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(const Turns::Turn turn, turns_.take(context, uri()));
  return write_held(offset, bytes, context);
}

Status Draft::resize(uint64_t size, const storage::CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(const Turns::Turn turn, turns_.take(context, uri()));
  return resize_held(size, context);
}

Result<std::vector<std::byte>> Draft::read(uint64_t offset, uint64_t size,
                                           const storage::CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(const Turns::Turn turn, turns_.take(context, uri()));
  return read_held(offset, size, context);
}

Status Draft::store(const storage::CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(const Turns::Turn turn, turns_.take(context, uri()));
  return store_held(context);
}

Status Draft::cannot_change(uint64_t offset) const {
  return unimplemented(
      "{}: byte {} was sent to the store, which takes an object from front to back; only the last {} bytes "
      "of a file that is being written can be changed, or all of one that is no longer",
      uri(), offset, part_bytes_);
}

/// Of what is to be written into a file that ends at `end`.
Status Draft::check_offset(uint64_t offset, uint64_t end) const {
  return offset <= end || offset - end <= part_bytes_
             ? ok_status()
             : unimplemented("{}: a gap of {} bytes before byte {}; an object has none", uri(), offset - end,
                             offset);
}

void Draft::note_change() {
  is_unsaved_ = true;
  has_failed_ = false;
  size_ = sent_bytes_ + tail_->size();
}

void Draft::drop_what_was_sent() {
  writer_.reset();
  parts_ = PartsUnderWay(uri());
  failure_ = ok_status();
  sent_bytes_ = 0;
  tail_ = std::make_shared<std::vector<std::byte>>();
  tail_memory_.resize(0);
}

void Draft::begin_anew() {
  is_replacing_ = is_replacing_ || stored().has_value();
  drop_what_was_sent();
  base_.reset();
  replaced_version_.clear();  // whatever is there is replaced
  note_change();
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

/// Makes room at the end for so many bytes more, which are zeros. Where there is no memory for them, more of
/// the file is sent.
Status Draft::grow(size_t bytes, const storage::CallContext& context) {
  while (!tail_memory_.resize(tail_->size() + bytes)) {
    if (tail_->size() < part_bytes_) {
      return resource_exhausted("{}: files that are being written take {} MiB here, and may not take more",
                                uri(), memory_->most_bytes() >> 20);
    }
    FOREBAY_RETURN_IF_ERROR(send(part_bytes_, context));
    FOREBAY_RETURN_IF_ERROR(parts_.wait_for_room(1, context));
  }
  tail_->resize(tail_->size() + bytes);
  return ok_status();
}

/// Makes what is stored the beginning of what is written: kept if it is small, else sent once more.
Status Draft::load(const storage::CallContext& context) {
  replaced_version_ = base_->version;
  const Status status = load_all(context);
  if (status.ok()) {
    base_.reset();
  } else {
    drop_what_was_sent();  // nothing has changed: it may be tried again
  }
  return status;
}

Status Draft::load_all(const storage::CallContext& context) {
  while (sent_bytes_ + tail_->size() < base_->size_bytes) {
    const uint64_t begin = sent_bytes_ + tail_->size();
    const uint64_t length = std::min<uint64_t>(part_bytes_, base_->size_bytes - begin);
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes,
                             read_part_of(address(), *base_, begin, length, context));
    FOREBAY_RETURN_IF_ERROR(grow(bytes.size(), context));
    std::ranges::copy(bytes, tail_->end() - static_cast<std::ptrdiff_t>(bytes.size()));
    FOREBAY_RETURN_IF_ERROR(send_full_parts(context));
  }
  return ok_status();
}

/// Sees that what lies at `offset` can be changed.
Status Draft::prepare(uint64_t offset, const storage::CallContext& context) {
  FOREBAY_RETURN_IF_ERROR(end_to_store(context));
  FOREBAY_RETURN_IF_ERROR(failure_);
  FOREBAY_RETURN_IF_ERROR(check_offset(offset, size_.load()));
  if (base_) {
    if (offset < base_->size_bytes && base_->size_bytes > part_bytes_) {
      return cannot_change(offset);
    }
    FOREBAY_RETURN_IF_ERROR(load(context));
  }
  FOREBAY_RETURN_IF_ERROR(send_full_parts(context));
  return offset < sent_bytes_ ? cannot_change(offset) : ok_status();
}

Status Draft::open_writer() {
  const storage::ObjectAddress address = this->address();
  Result<std::unique_ptr<storage::ObjectWriter>> opened =
      address.store->open_writer(address.key, write_options());
  if (!opened.ok() && give_up_condition(opened.status())) {
    opened = address.store->open_writer(address.key, write_options());
  }
  FOREBAY_RETURN_IF_ERROR(opened.status());
  writer_ = *std::move(opened);
  return ok_status();
}

/// Until fewer parts than these are under way. A part that failed is the file's failure; that nobody waits
/// any more is not.
Status Draft::wait_for_room(size_t most, const storage::CallContext& context) {
  const Status room = parts_.wait_for_room(most, context);
  if (!room.ok()) {
    failure_ = storage::is_wanted(context) ? room : ok_status();
  }
  return room;
}

/// The first bytes of those that are kept go to the store. Nothing has happened if that is not wanted any
/// more while it waits for room.
Status Draft::send(size_t bytes, const storage::CallContext& context) {
  if (bytes == 0) {
    return ok_status();
  }
  if (!writer_) {
    FOREBAY_RETURN_IF_ERROR(open_writer());
  }
  const size_t most = std::clamp<size_t>(writer_->limits().in_flight, 1, kMaxPartsUnderWay);
  FOREBAY_RETURN_IF_ERROR(wait_for_room(most, context));
  const auto end = tail_->begin() + static_cast<std::ptrdiff_t>(bytes);
  KeptBytes part = {{tail_->begin(), end}, tail_memory_.split(bytes)};
  tail_->erase(tail_->begin(), end);
  sent_bytes_ += bytes;
  parts_.add(*writer_, std::move(part), context.deadline_ns);
  return ok_status();
}

/// Keeps one part, which may still be changed, and what does not fill another.
Status Draft::send_full_parts(const storage::CallContext& context) {
  while (tail_->size() >= 2 * part_bytes_) {
    FOREBAY_RETURN_IF_ERROR(send(part_bytes_, context));
  }
  return ok_status();
}

/// What was taken is taken, also if nobody waits any more until it is on its way: the next call sends it.
Status Draft::note_taken(const storage::CallContext& context) {
  note_change();
  const Status sent = send_full_parts(context);
  return sent.ok() || storage::is_wanted(context) ? sent : ok_status();
}

Status Draft::write_held(std::optional<uint64_t> offset, Bytes bytes, const storage::CallContext& context) {
  const uint64_t begin = offset.value_or(size_.load());
  FOREBAY_RETURN_IF_ERROR(prepare(begin, context));
  const uint64_t end = sent_bytes_ + tail_->size();
  const uint64_t new_end = begin + bytes.size();
  if (new_end > end) {
    FOREBAY_RETURN_IF_ERROR(grow(new_end - end, context));
  }
  if (begin < sent_bytes_) {  // there was no room for all
    tail_->resize(end - sent_bytes_);
    tail_memory_.resize(tail_->size());
    return cannot_change(begin);
  }
  std::ranges::copy(bytes, tail_->begin() + static_cast<std::ptrdiff_t>(begin - sent_bytes_));
  return note_taken(context);
}

Status Draft::resize_held(uint64_t size, const storage::CallContext& context) {
  FOREBAY_RETURN_IF_ERROR(end_to_store(context));
  if (size == 0) {
    begin_anew();
    return ok_status();
  }
  if (size == size_.load()) {
    return ok_status();
  }
  FOREBAY_RETURN_IF_ERROR(prepare(size, context));
  const uint64_t end = sent_bytes_ + tail_->size();
  if (size > end) {
    FOREBAY_RETURN_IF_ERROR(grow(size - end, context));
  } else {
    tail_->resize(size - sent_bytes_);
    tail_memory_.resize(tail_->size());
  }
  return note_taken(context);
}

Result<std::vector<std::byte>> Draft::read_held(uint64_t offset, uint64_t size,
                                                const storage::CallContext& context) {
  const uint64_t begin = std::min(offset, size_.load());
  const uint64_t length = std::min(size, size_.load() - begin);
  if (base_) {
    return read_part_of(address(), *base_, begin, length, context);
  }
  if (length > 0 && begin < sent_bytes_) {
    return unimplemented("{}: byte {} was sent to the store and can be read once the file is closed", uri(),
                         begin);
  }
  const auto first = tail_->begin() + static_cast<std::ptrdiff_t>(begin - std::min(begin, sent_bytes_));
  return std::vector<std::byte>(first, first + static_cast<std::ptrdiff_t>(length));
}

/// What was sent is an object now, and would have to be read to go on; what is kept whole stays.
void Draft::note_stored(storage::ObjectStat stat, bool was_sent) {
  if_absent_ = false;
  if (!replaced_version_.empty()) {
    replaced_version_ = stat.version;
  }
  if (was_sent) {
    drop_what_was_sent();
    base_ = stat;
  }
  is_unsaved_ = false;
  is_replacing_ = false;
  const MutexLock lock(mutex_);
  stat.key = address_.key;
  stored_ = std::move(stat);
}

Status Draft::begin_to_store(const storage::CallContext& context) {
  if (!writer_) {
    storing_ = StoreUnderWay::write(address(), tail_, write_options(), context.deadline_ns);
    return ok_status();
  }
  FOREBAY_RETURN_IF_ERROR(send(tail_->size(), context));
  FOREBAY_RETURN_IF_ERROR(wait_for_room(1, context));
  failure_ =
      internal_error("{}: what was sent could not be made an object", uri());  // should the next line throw
  storing_ = StoreUnderWay::commit(address(), std::move(writer_), context.deadline_ns);
  failure_ = ok_status();
  return ok_status();
}

/// Waits for what is on its way to be an object, if something is.
Status Draft::end_to_store(const storage::CallContext& context) {
  if (!storing_) {
    return ok_status();
  }
  std::optional<Result<storage::ObjectStat>> made;
  FOREBAY_RETURN_IF_ERROR(storing_->wait(context, &made));
  const bool was_sent = std::exchange(storing_, nullptr)->was_sent();
  has_failed_ = !made->ok();
  if (made->ok()) {
    note_stored(**std::move(made), was_sent);
  } else if (was_sent) {
    failure_ = made->status();
  }
  return made->status();
}

Status Draft::store_held(const storage::CallContext& context) {
  FOREBAY_RETURN_IF_ERROR(end_to_store(context));
  for (bool may_repeat = true; is_unsaved_ && !is_discarded_;) {
    FOREBAY_RETURN_IF_ERROR(failure_);
    FOREBAY_RETURN_IF_ERROR(begin_to_store(context));
    const Status stored = end_to_store(context);
    if (stored.ok() || !std::exchange(may_repeat, false) || !give_up_condition(stored)) {
      return stored;
    }
  }
  return ok_status();
}

void Draft::Held::move_to(storage::ObjectAddress address, storage::ObjectStat stat) {
  if (draft_->base_) {
    draft_->base_ = stat;
  }
  if (!draft_->replaced_version_.empty()) {
    draft_->replaced_version_ = stat.version;
  }
  const MutexLock lock(draft_->mutex_);
  draft_->stored_ = std::move(stat);
  draft_->address_ = std::move(address);
}

}  // namespace forebay::fuse
