#include "forebay/storage/staged_read.h"

#include <algorithm>
#include <utility>

#include "forebay/memory/copy.h"
#include "forebay/memory/device/device_driver.h"

namespace forebay::storage {

void ArrivedChunks::put(ArrivedChunk chunk) {
  std::lock_guard lock(mutex_);
  chunks_.push_back(std::move(chunk));
  arrived_.notify_one();  // under the lock, because the waiting thread owns this object
}

bool ArrivedChunks::is_empty() const {
  std::lock_guard lock(mutex_);
  return chunks_.empty();
}

ArrivedChunk ArrivedChunks::take() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return !chunks_.empty(); });
  ArrivedChunk chunk = std::move(chunks_.front());
  chunks_.pop_front();
  return chunk;
}

// Chunks that have arrived go to the device first, so it copies while the store reads on. A copy is waited
// for only when nothing else may start; later copies on the queue could not run before it anyway.
Result<Fence> StagedRead::run() {
  while (true) {
    if (!arrived_.is_empty()) {
      take_arrived();
    } else if (wants_more() && has_room()) {
      start_read();
    } else if (wants_more() && !copies_.empty()) {
      wait_for_oldest_copy();
    } else if (reading_ > 0) {
      take_arrived();
    } else {
      break;
    }
  }
  FOREBAY_RETURN_IF_ERROR(status_);
  return last_copy_;
}

// An empty range still takes one read: the store must say whether the object exists and which version it has.
bool StagedRead::wants_more() const {
  return status_.ok() && (!is_started_ || started_bytes_ < request_.length_bytes);
}

void StagedRead::start_read() {
  const uint64_t offset = started_bytes_;
  ReadRequest chunk = request_;
  if (!chunk.resource) {
    chunk.resource = memory::host_pool();  // honours fences, which a store's own memory need not
  }
  chunk.offset_bytes += offset;
  chunk.length_bytes = std::min<uint64_t>(options_.chunk_bytes, request_.length_bytes - offset);
  started_bytes_ += chunk.length_bytes;
  is_started_ = true;
  ++reading_;
  store_.read(std::move(chunk), {}, [this, offset](Result<ReadBytes> bytes) {
    arrived_.put({.offset_bytes = offset, .bytes = std::move(bytes)});
  });
}

void StagedRead::take_arrived() {
  const ArrivedChunk chunk = arrived_.take();
  --reading_;
  note(chunk.bytes.status(), chunk.offset_bytes);
  if (status_.ok() && chunk.bytes->size_bytes() > 0) {
    note(put_on_queue(chunk), chunk.offset_bytes);
  }
}

Status StagedRead::put_on_queue(const ArrivedChunk& chunk) {
  FOREBAY_RETURN_IF_ERROR(wait_for_former_users());
  std::byte* const destination =
      static_cast<std::byte*>(place_.buffer->data()) + place_.offset_bytes + chunk.offset_bytes;
  const memory::BufferRef& source = chunk.bytes->buffer;
  FOREBAY_ASSIGN_OR_RETURN(
      last_copy_, memory::copy_async(place_.queue.driver, place_.queue.queue, destination, source->data(),
                                     chunk.bytes->size_bytes()));
  source->add_reader(last_copy_);
  place_.buffer->set_last_write(last_copy_);  // behind all former users, which the queue waits for
  copies_.push_back({source, chunk.offset_bytes, last_copy_});
  return ok_status();
}

Status StagedRead::wait_for_former_users() {
  if (!is_first_copy_) {
    return ok_status();
  }
  const auto [driver, queue] = place_.queue;
  FOREBAY_RETURN_IF_ERROR(memory::wait_on_queue(driver, queue, place_.buffer->last_write()));
  for (const Fence& reader : place_.buffer->readers()) {
    FOREBAY_RETURN_IF_ERROR(memory::wait_on_queue(driver, queue, reader));
  }
  is_first_copy_ = false;
  return ok_status();
}

void StagedRead::wait_for_oldest_copy() {
  const Copy copy = std::move(copies_.front());
  copies_.pop_front();
  note(memory::wait(copy.done), copy.offset_bytes);
}

void StagedRead::note(const Status& status, uint64_t offset_bytes) {
  if (status_.ok() && !status.ok()) {
    status_ = annotate(status, fmt::format("{} at {}, on the way to a device", store_.uri_of(request_.key),
                                           request_.offset_bytes + offset_bytes));
  }
}

}  // namespace forebay::storage
