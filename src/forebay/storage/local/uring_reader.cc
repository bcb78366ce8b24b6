#include "forebay/storage/local/uring_reader.h"

#include <unistd.h>

#include <utility>

namespace forebay::storage {

std::unique_ptr<UringReader> UringReader::create(unsigned queue_depth) {
  std::unique_ptr<UringReader> reader(new UringReader());
  if (io_uring_queue_init(queue_depth, &reader->ring_, IORING_SETUP_CLAMP) != 0) {
    return nullptr;
  }
  reader->owner_ = getpid();
  reader->reaper_ = std::thread([raw = reader.get()] { raw->reap(); });
  return reader;
}

UringReader::~UringReader() {
  if (owner_ == 0) {
    return;
  }
  if (getpid() != owner_) {
    reaper_.detach();  // no such thread in this process
    return;
  }
  auto* stop = new Operation();
  while (!push(stop, -1, nullptr, 0, 0)) {
    std::this_thread::yield();
  }
  reaper_.join();
  io_uring_queue_exit(&ring_);
}

bool UringReader::submit(int descriptor, void* destination, uint32_t bytes, uint64_t offset,
                         Completion&& done) {
  if (getpid() != owner_) {
    return false;
  }
  auto operation = std::make_unique<Operation>();
  operation->done = std::move(done);
  in_flight_.fetch_add(1, std::memory_order_relaxed);
  if (!push(operation.get(), descriptor, destination, bytes, offset)) {
    in_flight_.fetch_sub(1, std::memory_order_relaxed);
    done = std::move(operation->done);
    return false;
  }
  operation.release();
  return true;
}

bool UringReader::push(Operation* operation, int descriptor, void* destination, uint32_t bytes,
                       uint64_t offset) {
  std::lock_guard lock(submit_mutex_);
  io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
  if (entry == nullptr) {
    return false;
  }
  if (operation->done) {
    io_uring_prep_read(entry, descriptor, destination, bytes, offset);
  } else {
    io_uring_prep_nop(entry);  // the stop mark
  }
  io_uring_sqe_set_data(entry, operation);
  operation->is_published.store(true, std::memory_order_release);  // from here on it is the reaper's
  while (true) {
    const int submitted = io_uring_submit(&ring_);
    if (submitted >= 1) {
      return true;
    }
    // The entry is queued and cannot be taken back; the kernel is short of memory or of completion slots for
    // a moment, which the reaper frees.
    std::this_thread::yield();
  }
}

void UringReader::reap() {
  bool is_stopping = false;
  while (!is_stopping || in_flight_.load(std::memory_order_relaxed) != 0) {
    io_uring_cqe* completion = nullptr;
    if (io_uring_wait_cqe(&ring_, &completion) != 0) {
      continue;  // interrupted
    }
    std::unique_ptr<Operation> operation(static_cast<Operation*>(io_uring_cqe_get_data(completion)));
    const int32_t result = completion->res;
    io_uring_cqe_seen(&ring_, completion);
    operation->is_published.load(std::memory_order_acquire);
    if (!operation->done) {
      is_stopping = true;
      continue;
    }
    operation->done(result);
    in_flight_.fetch_sub(1,
                         std::memory_order_relaxed);  // after the callback, which may have submitted the rest
  }
}

}  // namespace forebay::storage
