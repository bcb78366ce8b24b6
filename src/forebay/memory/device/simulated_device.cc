#include "forebay/memory/device/simulated_device.h"

#include <sys/mman.h>

#include <cerrno>

#include "forebay/base/caught.h"
#include "forebay/base/check.h"
#include "forebay/base/round_up.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/last_use.h"

namespace forebay::memory {
namespace {

constexpr size_t kPage = 4096;

}  // namespace

/// A resource over the device's memory.
class SimulatedResource final : public MemoryResource {
 public:
  explicit SimulatedResource(std::shared_ptr<SimulatedDevice> device) : device_(std::move(device)) {}
  Result<void*> allocate(size_t bytes) override { return device_->allocate(bytes); }
  void deallocate(void* pointer, size_t, Fence last_use) noexcept override {
    if (last_use.driver == device_->driver()) {
      device_->deallocate(pointer, last_use);
      return;
    }
    give_back_after(last_use, [device = device_, pointer] { device->deallocate(pointer, Fence{}); });
  }
  MemoryKind kind() const override { return MemoryKind::kSimulated; }
  std::string_view name() const override { return "simulated"; }

 private:
  std::shared_ptr<SimulatedDevice> device_;
};

SimulatedDevice::SimulatedDevice(const SimulatedDeviceOptions& options)
    : eager_(options.eager),
      memory_bytes_(round_up(options.memory_bytes, kPage)),
      queue_count_(options.queues),
      random_(options.seed),
      queues_(options.queues) {
}

Result<std::shared_ptr<SimulatedDevice>> SimulatedDevice::create(const SimulatedDeviceOptions& options) {
  if (options.queues == 0 || options.memory_bytes == 0) {
    return invalid_argument("a simulated device needs at least one queue and some memory");
  }
  std::shared_ptr<SimulatedDevice> device(new SimulatedDevice(options));
  void* memory =
      mmap(nullptr, device->memory_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return errno_status(errno, "memory of a simulated device");
  }
  device->memory_ = static_cast<std::byte*>(memory);
  device->add_all_memory();
  device->table_ = make_table(device.get());
  FOREBAY_ASSIGN_OR_RETURN(device->driver_id_, register_driver(device->table_));
  return device;
}

SimulatedDevice::~SimulatedDevice() {
  unregister_driver(driver_id_);
  {
    const MutexLock lock(mutex_);  // who asked before has the answer
  }
  if (memory_ != nullptr) {
    munmap(memory_, memory_bytes_);
  }
}

std::shared_ptr<MemoryResource> SimulatedDevice::resource() {
  return std::make_shared<SimulatedResource>(shared_from_this());
}

Status SimulatedDevice::check_queue(uint32_t queue) const {
  return queue < queue_count_ ? ok_status()
                              : invalid_argument("queue {} of a device with {}", queue, queue_count_);
}

Status SimulatedDevice::enqueue(uint32_t queue, Piece piece) {
  FOREBAY_RETURN_IF_ERROR(check_queue(queue));
  const MutexLock lock(mutex_);
  if (has_stopped_) {
    return failed_precondition("the simulated device has stopped");
  }
  if (std::optional<Capturing>& capturing = queues_[queue].capturing) {
    capturing->pieces.push_back(std::make_shared<Work>(std::move(piece.work)));
    return ok_status();
  }
  queues_[queue].pieces.push_back(std::move(piece));
  ++queues_[queue].submitted;
  run_some_locked();
  return ok_status();
}

Status SimulatedDevice::submit(uint32_t queue, Work work) {
  return enqueue(queue, {.work = std::move(work)});
}

Status SimulatedDevice::reset_queue(uint32_t queue) {
  FOREBAY_RETURN_IF_ERROR(check_queue(queue));
  const MutexLock lock(mutex_);
  queues_[queue].error = ok_status();
  return ok_status();
}

Status SimulatedDevice::set_held(uint32_t queue, bool is_held) {
  FOREBAY_RETURN_IF_ERROR(check_queue(queue));
  const MutexLock lock(mutex_);
  queues_[queue].is_held = is_held;
  return ok_status();
}

Status SimulatedDevice::hold(uint32_t queue) {
  return set_held(queue, true);
}

Status SimulatedDevice::resume(uint32_t queue) {
  return set_held(queue, false);
}

Result<Fence> SimulatedDevice::record(uint32_t queue) {
  FOREBAY_RETURN_IF_ERROR(check_queue(queue));
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(refuse_call(DriverCall::kRecord, queue));
  return Fence{.driver = driver_id_, .queue = queue, .sequence = queues_[queue].submitted};
}

Status SimulatedDevice::wait(uint32_t queue, uint64_t sequence) {
  FOREBAY_RETURN_IF_ERROR(check_queue(queue));
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(refuse_call(DriverCall::kWait, queue));
  FOREBAY_RETURN_IF_ERROR(refuse_in_capture_of_thread());
  if (sequence == kEndOfQueue) {
    sequence = queues_[queue].submitted;
  }
  if (sequence > queues_[queue].submitted) {
    return invalid_argument("queue {} was never given point {}", queue, sequence);
  }
  while (queues_[queue].passed < sequence) {
    if (!step_locked()) {  // fences only point backwards, so something could run unless it is held
      return failed_precondition("queue {} waits for a queue that is held", queue);
    }
  }
  return queues_[queue].error;
}

Status SimulatedDevice::wait_on_queue(uint32_t queue, uint32_t other_queue, uint64_t sequence) {
  FOREBAY_RETURN_IF_ERROR(check_queue(other_queue));
  {
    const MutexLock lock(mutex_);
    FOREBAY_RETURN_IF_ERROR(refuse_call(DriverCall::kWaitOnQueue, queue));
    if (sequence > queues_[other_queue].submitted) {
      return invalid_argument("queue {} was never given point {}", other_queue, sequence);
    }
  }
  return enqueue(queue, {.other_queue = other_queue, .after = sequence});
}

Result<bool> SimulatedDevice::has_passed(uint32_t queue, uint64_t sequence) {
  FOREBAY_RETURN_IF_ERROR(check_queue(queue));
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(refuse_call(DriverCall::kQuery, queue));
  FOREBAY_RETURN_IF_ERROR(refuse_in_capture_of_thread());
  run_some_locked();
  return has_passed_locked(queues_[queue], sequence);
}

bool SimulatedDevice::has_passed_locked(const Queue& queue, uint64_t sequence) {
  return queue.passed >= (sequence == kEndOfQueue ? queue.submitted : sequence);
}

void SimulatedDevice::fail_calls(DriverCall call, Status error) {
  const MutexLock lock(mutex_);
  call_failures_[static_cast<size_t>(call)] = std::move(error);
}

void SimulatedDevice::stop() {
  // Destroyed outside the lock, because work may own objects that call the device.
  std::vector<std::deque<Piece>> dropped;
  const MutexLock lock(mutex_);
  has_stopped_ = true;
  for (Queue& queue : queues_) {
    dropped.push_back(std::exchange(queue.pieces, {}));
    queue.passed = queue.submitted;
  }
}

Status SimulatedDevice::refuse_call(DriverCall call, uint32_t queue) {
  if (has_stopped_) {
    return failed_precondition("the simulated device has stopped");
  }
  FOREBAY_RETURN_IF_ERROR(call_failures_[static_cast<size_t>(call)]);
  return refuse_in_capture(queue);
}

bool SimulatedDevice::is_runnable(const Queue& queue) const {
  return !queue.is_held && !queue.pieces.empty() &&
         queues_[queue.pieces.front().other_queue].passed >= queue.pieces.front().after;
}

bool SimulatedDevice::step() {
  const MutexLock lock(mutex_);
  return step_locked();
}

bool SimulatedDevice::step_locked() {
  std::vector<Queue*> runnable;
  for (Queue& queue : queues_) {
    if (is_runnable(queue)) {
      runnable.push_back(&queue);
    }
  }
  if (runnable.empty()) {
    return false;
  }
  Queue& queue = *runnable[random_() % runnable.size()];
  Piece piece = std::move(queue.pieces.front());
  queue.pieces.pop_front();
  if (piece.work && queue.error.ok()) {
    queue.error = run_piece(piece.work);
  }
  ++queue.passed;
  return true;
}

void SimulatedDevice::run_some_locked() {
  if (!eager_) {
    return;
  }
  for (uint64_t pieces = random_() % 3; pieces > 0 && step_locked(); --pieces) {
  }
}

Status SimulatedDevice::run_piece(Work& work) {
  FOREBAY_CHECK(mprotect(memory_, memory_bytes_, PROT_READ | PROT_WRITE) == 0);
  Status status = caught(work);
  FOREBAY_CHECK(mprotect(memory_, memory_bytes_, PROT_NONE) == 0);
  return status;
}

Status SimulatedDevice::synchronize() {
  const MutexLock lock(mutex_);
  while (step_locked()) {
  }
  for (const Queue& queue : queues_) {
    FOREBAY_RETURN_IF_ERROR(queue.error);
  }
  return ok_status();
}

void SimulatedDevice::reseed(uint64_t seed) {
  const MutexLock lock(mutex_);
  random_.seed(seed);
}

size_t SimulatedDevice::pending() const {
  const MutexLock lock(mutex_);
  size_t count = 0;
  for (const Queue& queue : queues_) {
    count += queue.pieces.size();
  }
  return count;
}

size_t SimulatedDevice::bytes_in_use() const {
  const MutexLock lock(mutex_);
  return bytes_in_use_;
}

}  // namespace forebay::memory
