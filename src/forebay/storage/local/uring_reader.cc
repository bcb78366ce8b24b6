#include "forebay/storage/local/uring_reader.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace forebay::storage {

UringReader::Ring::Ring(unsigned queue_depth, UringSubmit submit) : submit_(submit) {
  if (io_uring_queue_init(queue_depth, &ring_, IORING_SETUP_CLAMP) != 0) {
    return;
  }
  event_ = ::eventfd(0, EFD_CLOEXEC);
  if (event_ < 0 || io_uring_register_eventfd(&ring_, event_) != 0) {
    io_uring_queue_exit(&ring_);
    return;
  }
  owner_ = getpid();
}

UringReader::Ring::~Ring() {
  if (is_open() && !is_forked_copy()) {
    io_uring_queue_exit(&ring_);
  }
  if (event_ >= 0) {
    ::close(event_);
  }
}

bool UringReader::Ring::is_forked_copy() const {
  return getpid() != owner_;
}

bool UringReader::Ring::submit(int descriptor, void* destination, uint32_t bytes, uint64_t offset,
                               Completion&& done) {
  if (is_forked_copy()) {
    return false;
  }
  auto operation = std::make_unique<Operation>();
  operation->done = std::move(done);
  if (!push(operation.get(), descriptor, destination, bytes, offset)) {
    done = std::move(operation->done);
    return false;
  }
  operation.release();
  return true;
}

bool UringReader::Ring::push(Operation* operation, int descriptor, void* destination, uint32_t bytes,
                             uint64_t offset) {
  const MutexLock lock(submit_mutex_);
  // Apart from no-op entries, never more entries in flight than places for completions: the kernel never runs
  // out of them.
  const unsigned places = ring_.cq.ring_entries - ring_.sq.ring_entries;
  if (in_flight_.load(std::memory_order_relaxed) >= static_cast<int64_t>(places)) {
    return false;
  }
  io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
  if (entry == nullptr) {
    return false;
  }
  io_uring_prep_read(entry, descriptor, destination, bytes, offset);
  io_uring_sqe_set_data(entry, operation);
  in_flight_.fetch_add(1, std::memory_order_relaxed);
  operation->is_published.store(true, std::memory_order_release);  // from here on the reaper owns it
  return hand_over(entry);
}

// The kernel takes entries in order, so a refused one is still the queue's last. It cannot be withdrawn; it
// becomes a no-op that goes along with the next read.
bool UringReader::Ring::hand_over(io_uring_sqe* entry) {
  while (io_uring_sq_ready(&ring_) > 0) {
    if (submit_(&ring_) <= 0) {
      io_uring_prep_nop(entry);
      io_uring_sqe_set_data(entry, nullptr);
      in_flight_.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
  }
  return true;
}

void UringReader::Ring::stop() {
  is_stopping_.store(true);
  const uint64_t one = 1;
  while (::write(event_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
}

void UringReader::Ring::wait_for_event() const {
  uint64_t events = 0;
  while (::read(event_, &events, sizeof(events)) < 0 && errno == EINTR) {
  }
}

void UringReader::Ring::reap() {
  answer_all();
  while (!is_stopping_.load() || in_flight_.load(std::memory_order_relaxed) != 0) {
    wait_for_event();
    answer_all();
  }
}

void UringReader::Ring::answer_all() {
  io_uring_cqe* next = nullptr;
  while (io_uring_peek_cqe(&ring_, &next) == 0) {
    const io_uring_cqe completion = *next;
    io_uring_cqe_seen(&ring_, next);
    answer(completion);
  }
}

void UringReader::Ring::answer(const io_uring_cqe& completion) {
  const std::unique_ptr<Operation> operation(static_cast<Operation*>(io_uring_cqe_get_data(&completion)));
  if (!operation) {
    return;  // a refused entry, now a no-op
  }
  operation->is_published.load(std::memory_order_acquire);
  operation->done(completion.res);
  // Destroying it may drop the reader's last owner, which counts on this read being over.
  operation->done = {};
  in_flight_.fetch_sub(1,
                       std::memory_order_relaxed);  // after the callback, which may have submitted more
}

std::unique_ptr<UringReader> UringReader::create(unsigned queue_depth, UringSubmit submit) {
  auto ring = std::make_shared<Ring>(queue_depth, submit);
  if (!ring->is_open()) {
    return nullptr;
  }
  try {
    return std::unique_ptr<UringReader>(new UringReader(std::move(ring)));
  } catch (const std::system_error&) {
    return nullptr;  // no thread could be started
  }
}

UringReader::UringReader(std::shared_ptr<Ring> ring)
    : ring_(std::move(ring)), reaper_([ring = ring_] { ring->reap(); }) {
}

UringReader::~UringReader() {
  if (ring_->is_forked_copy()) {
    reaper_.detach();  // there is no such thread in this process
    return;
  }
  ring_->stop();
  if (reaper_.get_id() == std::this_thread::get_id()) {
    reaper_.detach();
  } else {
    reaper_.join();
  }
}

bool UringReader::submit(int descriptor, void* destination, uint32_t bytes, uint64_t offset,
                         Completion&& done) {
  return ring_->submit(descriptor, destination, bytes, offset, std::move(done));
}

}  // namespace forebay::storage
