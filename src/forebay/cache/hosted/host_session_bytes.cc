// What a process gets of the daemon's bytes, and gives back.
#include <utility>
#include <vector>

#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/files/shared_ranges.h"
#include "forebay/cache/hosted/host_session.h"
#include "forebay/cache/messages/cache_trouble.h"
#include "forebay/cache/messages/shared_memory.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"

namespace forebay::cache {

using storage::ReadBytes;

namespace {

/// Bytes that lie where no other process can look are copied to where one can.
Result<ReadBytes> shared_copy(const ReadBytes& bytes) {
  const size_t size = bytes.bytes.size() + storage::kDecoderPaddingBytes;  // new shared memory is zero
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer, memory::Buffer::allocate(size, shared_blocks()));
  memory::copy(buffer->data(), bytes.bytes.data(), bytes.bytes.size());
  ReadBytes copy = {.owner = buffer, .bytes = buffer->bytes().first(bytes.bytes.size())};
  copy.readable_behind = storage::kDecoderPaddingBytes;
  return copy;
}

}  // namespace

void HostSession::answer_read(uint64_t number, bool is_lease, Result<ReadBytes> read) {
  if (!read.ok()) {
    answer(number, encode_answer(number, read.status()));
    return;
  }
  count_read(read->size_bytes());
  HostBytes bytes = {.version = read->version, .length_bytes = read->size_bytes()};
  bytes.has_weak_version = read->has_weak_version;
  if (read->bytes.empty() || (!is_lease && read->bytes.size() <= kMaxInlineBytes)) {
    bytes.inline_bytes.assign(reinterpret_cast<const char*>(read->bytes.data()), read->bytes.size());
    answer(number, encode_answer(number, bytes));
    return;
  }
  std::optional<SharedPlace> place = shared_ranges().find(read->bytes);
  if (!place) {
    read = is_lease ? failed_precondition("not in memory that processes share") : shared_copy(*read);
    if (!read.ok()) {
      answer(number, encode_answer(number, cache_trouble(read.status())));
      return;
    }
    place = shared_ranges().find(read->bytes);
  }
  bytes.range = place->range;
  bytes.range_bytes = place->range_bytes;
  bytes.range_zeros = place->range_zeros;
  bytes.offset_bytes = place->offset_bytes;
  bytes.readable_behind = read->readable_behind;
  bytes.is_whole_file = read->file != nullptr;
  const MutexLock lock(mutex_);
  calls_.erase(number);
  if (!has_ended_ && ranges_->send(number, std::move(bytes), read->file.get())) {
    leases_.emplace(number, std::move(read->owner));
  }
}

void HostSession::count_read(uint64_t bytes) {
  stores_->activities().count_read(bytes);
  const MutexLock lock(mutex_);
  ++reads_;
  read_bytes_ += bytes;
}

void HostSession::take_release(uint64_t number) {
  std::shared_ptr<const void> released;  // let go without the lock
  const MutexLock lock(mutex_);
  const auto found = leases_.find(number);
  if (found != leases_.end()) {
    released = std::move(found->second);
    leases_.erase(found);
  }
}

}  // namespace forebay::cache
