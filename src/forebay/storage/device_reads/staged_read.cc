#include "forebay/storage/device_reads/staged_read.h"

#include <algorithm>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device_driver.h"

namespace forebay::storage {

Status StagedRead::start() {
  FOREBAY_RETURN_IF_ERROR(push_first());
  start_reads();
  return ok_status();
}

// All copies follow the first task on its queue. Later users of the place wait for the open task.
Status StagedRead::push_first() {
  vacant_ = place_.engine->new_variable();
  const engine::Variable writes[] = {place_.content, vacant_};
  FOREBAY_RETURN_IF_ERROR(
      place_.engine->push(place_.lane, {.name = "order a read", .writes = writes, .executor = place_.copies},
                          [self = shared_from_this()] { return self->wait_for_earlier_users(); }));
  FOREBAY_ASSIGN_OR_RETURN(
      engine::Completion done,
      place_.engine->push_open(place_.lane, {.name = "read to a device", .writes = {&place_.content, 1}}));
  const MutexLock lock(mutex_);
  done_ = std::move(done);
  return ok_status();
}

// The engine orders the queue behind its own tasks; the buffer's fences stand for users it does not know.
Status StagedRead::wait_for_earlier_users() const {
  const auto [driver, queue] = place_.queue;
  FOREBAY_RETURN_IF_ERROR(memory::wait_on_queue(driver, queue, place_.buffer->last_write()));
  for (const Fence& reader : place_.buffer->readers()) {
    FOREBAY_RETURN_IF_ERROR(memory::wait_on_queue(driver, queue, reader));
  }
  return ok_status();
}

// Only one thread loops. A store may answer inside read(), and a push may run tasks, so this may be entered
// again from within.
void StagedRead::start_reads() {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(has_starter_, true)) {
      return;
    }
  }
  while (std::optional<ReadRequest> chunk = next_chunk()) {
    store_.read(*chunk, {}, [self = shared_from_this(), chunk = *chunk](Result<ReadBytes> bytes) {
      self->take(chunk, std::move(bytes));
    });
  }
}

// An empty range still takes one read: the store must say whether the object exists and which version it has.
bool StagedRead::wants_more() const {
  return status_.ok() && (!is_started_ || started_bytes_ < request_.length_bytes);
}

std::optional<ReadRequest> StagedRead::next_chunk() {
  const MutexLock lock(mutex_);
  if (!wants_more() || under_way_ >= options_.chunks_in_flight) {
    has_starter_ = false;
    return std::nullopt;
  }
  ReadRequest chunk = request_;
  if (!chunk.resource) {
    chunk.resource = memory::host_pool();  // honours fences, which a store's own memory need not
  }
  chunk.offset_bytes += started_bytes_;
  chunk.length_bytes = std::min<uint64_t>(options_.chunk_bytes, request_.length_bytes - started_bytes_);
  started_bytes_ += chunk.length_bytes;
  is_started_ = true;
  ++under_way_;
  return chunk;
}

// Runs on a thread of the store or inside start_reads().
void StagedRead::take(const ReadRequest& chunk, Result<ReadBytes> bytes) {
  const uint64_t offset_bytes = chunk.offset_bytes - request_.offset_bytes;
  Status status = bytes.status();
  if (status.ok() && bytes->size_bytes() != chunk.length_bytes) {
    status = data_loss("the store gave {} bytes of {}", bytes->size_bytes(), chunk.length_bytes);
  }
  if (status.ok() && chunk.length_bytes > 0) {
    memory::BufferRef arrived = std::exchange(bytes->buffer, nullptr);
    *bytes = {};
    status = caught([&] { return push_copy(offset_bytes, std::move(arrived)); });
    if (status.ok()) {
      return;
    }
  }
  end_chunk(offset_bytes, status);
}

// From here on only the two tasks own the chunk.
Status StagedRead::push_copy(uint64_t offset_bytes, memory::BufferRef chunk) {
  const engine::Variable copied = place_.engine->new_variable();
  FOREBAY_RETURN_IF_ERROR(place_.engine->push(
      place_.lane,
      {.name = "copy to the device",
       .reads = {&vacant_, 1},
       .writes = {&copied, 1},
       .executor = place_.copies},
      [self = shared_from_this(), offset_bytes, chunk] { return self->copy(offset_bytes, *chunk); }));
  return place_.engine->push(
      place_.lane, {.name = "after a copy", .reads = {&copied, 1}, .run_on_error = true},
      [self = shared_from_this(), offset_bytes, chunk = std::move(chunk), copied]() mutable {
        chunk.reset();
        self->end_chunk(offset_bytes, self->place_.engine->error_of(copied));
        return ok_status();
      });
}

// The fences protect the memory if it is freed before the queue has passed the copy, because the queue
// failed.
Status StagedRead::copy(uint64_t offset_bytes, memory::Buffer& chunk) const {
  std::byte* const destination =
      static_cast<std::byte*>(place_.buffer->data()) + place_.offset_bytes + offset_bytes;
  FOREBAY_ASSIGN_OR_RETURN(const Fence copied,
                           memory::copy_async(place_.queue.driver, place_.queue.queue, destination,
                                              chunk.data(), chunk.size_bytes()));
  chunk.add_reader(copied);
  place_.buffer->set_last_write(copied);  // behind all earlier users, which the queue waits for
  return ok_status();
}

void StagedRead::end_chunk(uint64_t offset_bytes, const Status& status) {
  engine::Completion done;
  Status end;
  {
    const MutexLock lock(mutex_);
    --under_way_;
    if (status_.ok()) {
      status_ = with_place(done_.is_cancelled() ? cancelled("the read was cancelled") : status, offset_bytes);
    }
    if (under_way_ == 0 && !wants_more()) {
      done = std::move(done_);
      end = status_;
    }
  }
  if (done) {
    done.complete(std::move(end));
  } else {
    start_reads();
  }
}

Status StagedRead::with_place(const Status& status, uint64_t offset_bytes) const {
  return status.ok()
             ? status
             : annotate(status, fmt::format("{} at {}, on the way to a device", store_.uri_of(request_.key),
                                            request_.offset_bytes + offset_bytes));
}

}  // namespace forebay::storage
