#include "forebay/fuse/session/ring_queue.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/base/log/log.h"
#include "forebay/memory/copy.h"

namespace forebay::fuse {
namespace {

// In front of the payload, so that header, argument and payload lie as they do in a message of /dev/fuse.
constexpr size_t kPayloadAt = 4096;
static_assert(sizeof(RingHeaders) + sizeof(InHeader) + kRingArgumentBytes <= kPayloadAt);

void stay_on_cpu(uint16_t cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  ::pthread_setaffinity_np(::pthread_self(), sizeof(cpus), &cpus);  // else it is slower, no more
}

}  // namespace

RingEntry::RingEntry(RingQueue& queue, size_t payload_bytes) : queue_(queue), payload_bytes_(payload_bytes) {
  // Pages that no request has filled cost nothing.
  void* const memory = ::mmap(nullptr, kPayloadAt + payload_bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  FOREBAY_CHECK(memory != MAP_FAILED);
  memory_ = static_cast<std::byte*>(memory);
  parts_[0] = {memory_, sizeof(RingHeaders)};
  parts_[1] = {memory_ + kPayloadAt, payload_bytes_};
}

RingEntry::~RingEntry() {
  ::munmap(memory_, kPayloadAt + payload_bytes_);
}

bool RingEntry::assemble() {
  RingHeaders headers{};
  std::memcpy(&headers, memory_, sizeof(headers));
  InHeader header{};
  std::memcpy(&header, headers.in_out, sizeof(header));
  commit_ = headers.entry.commit_id;
  is_answered_ = false;
  const size_t payload_bytes = headers.entry.payload_bytes;
  const size_t argument_bytes = header.bytes - sizeof(header) - payload_bytes;
  if (header.bytes < sizeof(header) + payload_bytes || payload_bytes > payload_bytes_ ||
      argument_bytes > kRingArgumentBytes) {
    return false;
  }
  std::byte* const argument = memory_ + kPayloadAt - argument_bytes;
  std::copy_n(std::as_bytes(std::span(headers.argument)).begin(), argument_bytes, argument);
  std::memcpy(argument - sizeof(header), &header, sizeof(header));
  message_ = Bytes(argument - sizeof(header), header.bytes);
  return true;
}

bool RingEntry::send(uint64_t unique, int error, std::span<const Bytes> parts) {
  if (std::exchange(is_answered_, true)) {
    return false;
  }
  size_t bytes = 0;
  for (const Bytes part : parts) {
    if (part.size() > payload_bytes_ - bytes) {
      log_warning("FUSE over io_uring: an answer has no room in {} bytes", payload_bytes_);
      error = EIO;
      bytes = 0;
      break;
    }
    memory::copy(memory_ + kPayloadAt + bytes, part.data(), part.size());
    bytes += part.size();
  }
  auto* const headers = reinterpret_cast<RingHeaders*>(memory_);
  const OutHeader header = {
      .bytes = static_cast<uint32_t>(sizeof(OutHeader) + bytes), .error = -error, .unique = unique};
  std::memcpy(headers->in_out, &header, sizeof(header));
  headers->entry.payload_bytes = static_cast<uint32_t>(bytes);
  queue_.commit(*this);
  return true;
}

RingQueue::RingQueue(int device, const RingQueueOptions& options, Take take)
    : device_(device), options_(options), take_(std::move(take)), bell_(::eventfd(0, EFD_CLOEXEC)) {
}

Result<std::unique_ptr<RingQueue>> RingQueue::make(int device, const RingQueueOptions& options, Take take) {
  std::unique_ptr<RingQueue> queue(new RingQueue(device, options, std::move(take)));
  queue->thread_ = std::thread([raw = queue.get()] { raw->work(); });
  queue->began_.wait(1);
  if (const int began = queue->began_.load(); began != 0) {
    return errno_status(-began, "FUSE over io_uring");
  }
  return queue;
}

RingQueue::~RingQueue() {
  stop();
  if (began_ == 0) {
    io_uring_queue_exit(&ring_);
  }
}

void RingQueue::begin() {
  may_begin_ = true;
  may_begin_.notify_all();
}

void RingQueue::stop() {
  is_stopped_ = true;
  begin();
  ring_bell();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void RingQueue::ring_bell() const {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(bell_.get(), &one, sizeof(one));
}

/// The ring belongs to its thread, which alone submits to it.
bool RingQueue::open() {
  io_uring_params parameters{};
  parameters.flags = IORING_SETUP_SQE128 | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN;
  for (size_t i = 0; i < options_.entries; ++i) {
    entries_.push_back(std::make_unique<RingEntry>(*this, options_.payload_bytes));
  }
  const int opened =
      io_uring_queue_init_params(static_cast<unsigned>(2 * options_.entries + 2), &ring_, &parameters);
  began_ = opened;
  began_.notify_all();
  return opened == 0;
}

void RingQueue::prepare(RingEntry& entry, uint32_t command) {
  io_uring_sqe* const slot = io_uring_get_sqe(&ring_);
  FOREBAY_CHECK(slot != nullptr);  // there are more than entries
  std::memset(slot, 0, 2 * sizeof(*slot));
  slot->opcode = IORING_OP_URING_CMD;
  slot->fd = device_;
  slot->cmd_op = command;
  slot->addr = reinterpret_cast<uint64_t>(entry.parts_);
  slot->len = 2;
  slot->user_data = reinterpret_cast<uint64_t>(&entry);
  const RingCommand detail = {.commit_id = entry.commit_, .queue = options_.queue};
  std::memcpy(slot->cmd, &detail, sizeof(detail));
}

void RingQueue::register_entries() {
  for (const std::unique_ptr<RingEntry>& each : entries_) {
    prepare(*each, kRingRegister);
    ++alive_;
  }
}

void RingQueue::wait_for_bell() {
  io_uring_sqe* const slot = io_uring_get_sqe(&ring_);
  FOREBAY_CHECK(slot != nullptr);
  std::memset(slot, 0, 2 * sizeof(*slot));
  io_uring_prep_read(slot, bell_.get(), &rings_, sizeof(rings_), 0);
  slot->user_data = 0;
}

void RingQueue::work() {
  stay_on_cpu(options_.queue);
  if (!open()) {
    return;
  }
  may_begin_.wait(false);
  if (!is_stopped_) {
    register_entries();
    wait_for_bell();
    serve();
  }
}

void RingQueue::serve() {
  constexpr std::chrono::milliseconds kUntilAgain(1);
  while (alive_ > 0 && !is_stopped_) {
    const int submitted = io_uring_submit_and_wait(&ring_, 1);
    if (submitted == -EAGAIN || submitted == -EBUSY || submitted == -ENOMEM) {
      std::this_thread::sleep_for(kUntilAgain);
    } else if (submitted < 0 && submitted != -EINTR) {
      options_.failed(errno_status(-submitted, "FUSE over io_uring"));
      return;
    }
    io_uring_cqe* done = nullptr;
    while (io_uring_peek_cqe(&ring_, &done) == 0) {
      const io_uring_cqe copied = *done;
      io_uring_cqe_seen(&ring_, done);
      handle(copied);
    }
    commit_answered();
  }
  if (!is_stopped_ && !has_mount_gone()) {
    options_.failed(unavailable("FUSE over io_uring: the kernel takes nothing of a queue back"));
  }
}

/// By what the kernel says of its device.
bool RingQueue::has_mount_gone() const {
  pollfd device = {.fd = device_, .events = 0, .revents = 0};
  return ::poll(&device, 1, 0) > 0 && (device.revents & POLLERR) != 0;
}

void RingQueue::handle(const io_uring_cqe& done) {
  if (done.user_data == 0) {
    if (!is_stopped_) {
      wait_for_bell();
    }
    return;
  }
  auto& entry = *reinterpret_cast<RingEntry*>(done.user_data);
  if (done.res < 0) {  // the mount has gone, or the kernel takes no such entry
    --alive_;
    return;
  }
  if (!entry.assemble()) {
    InHeader header{};
    std::memcpy(&header, entry.memory_, sizeof(header));
    entry.send(header.unique, EINVAL, {});
    return;
  }
  take_(entry);
}

void RingQueue::commit(RingEntry& entry) {
  {
    const MutexLock lock(mutex_);
    answered_.push_back(&entry);
  }
  if (std::this_thread::get_id() != thread_.get_id()) {
    ring_bell();
  }
}

void RingQueue::commit_answered() {
  std::vector<RingEntry*> answered;
  {
    const MutexLock lock(mutex_);
    answered.swap(answered_);
  }
  for (RingEntry* const each : answered) {
    prepare(*each, kRingCommitAndFetch);
  }
}

}  // namespace forebay::fuse
