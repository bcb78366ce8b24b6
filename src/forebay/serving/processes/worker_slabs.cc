// Who may use a worker's slabs: the worker, or those that hold its outputs.
#include "forebay/serving/processes/worker_slabs.h"

#include <utility>

namespace forebay::serving {
namespace {

constexpr size_t kMaxSlabs = 1024;
/// With those that are known and of no use.
constexpr size_t kMaxNumbers = 2 * kMaxSlabs;
/// A descriptor and a mapping each: users who keep many outputs keep copies.
constexpr size_t kManySlabsInUse = 64;

}  // namespace

Status WorkerSlabs::add(uint64_t number, FileDescriptor file, uint64_t bytes) {
  const MutexLock lock(mutex_);
  if (number == 0 || slabs_.contains(number)) {
    return invalid_argument("a new slab has the number {}, which is taken", number);
  }
  if (slabs_.size() >= kMaxNumbers) {
    return invalid_argument("there are {} slabs already, and it makes more", slabs_.size());
  }
  if (slabs_.size() >= kMaxSlabs || bytes > most_bytes_ || mapped_bytes_ > most_bytes_ - bytes) {
    const size_t count = slabs_.size();
    return know_as_useless(
        number,
        resource_exhausted(
            "outputs need {} bytes of shared memory; {} of at most {} are taken, in {} of at most {} slabs. "
            "Users of earlier outputs may hold them",
            bytes, mapped_bytes_, most_bytes_, count, kMaxSlabs));
  }
  Result<SharedSlab> slab = SharedSlab::open(std::move(file), bytes);
  if (!slab.ok()) {
    return absl::IsInvalidArgument(slab.status()) ? slab.status() : know_as_useless(number, slab.status());
  }
  mapped_bytes_ += bytes;
  slabs_[number] = Slab{std::make_shared<SharedSlab>(*std::move(slab)), Owner::kWorker};
  return ok_status();
}

Status WorkerSlabs::know_as_useless(uint64_t number, Status why) {
  slabs_[number] = Slab{};
  freed_.push_back(number);
  return why;
}

Result<memory::BufferRef> WorkerSlabs::use(uint64_t number) {
  std::shared_ptr<SharedSlab> memory;
  {
    const MutexLock lock(mutex_);
    const auto found = slabs_.find(number);
    if (found == slabs_.end() || found->second.owner != Owner::kWorker) {
      return invalid_argument("the outputs lie in slab {}, which is {}", number,
                              found == slabs_.end() ? "unknown" : "in use");
    }
    memory = found->second.memory;
    if (memory == nullptr) {
      freed_.push_back(number);
      return resource_exhausted("the outputs lie in shared memory that is beyond the limit of {} bytes",
                                most_bytes_);
    }
    found->second.owner = Owner::kUsers;
    used_bytes_ += memory->size_bytes();
    ++used_count_;
  }
  const Bytes bytes = memory->bytes();
  return memory::Buffer::wrap_read_only(
      bytes.data(), bytes.size(), memory::MemoryKind::kHost,
      [slabs = shared_from_this(), memory, number] { slabs->give_back(number); });
}

void WorkerSlabs::give_back(uint64_t number) {
  const MutexLock lock(mutex_);
  Slab& slab = slabs_.at(number);
  slab.owner = Owner::kWorker;
  used_bytes_ -= slab.memory->size_bytes();
  --used_count_;
  freed_.push_back(number);
}

Status WorkerSlabs::drop(const std::vector<uint64_t>& numbers) {
  const MutexLock lock(mutex_);
  for (const uint64_t number : numbers) {
    const auto found = slabs_.find(number);
    if (found == slabs_.end() || found->second.owner != Owner::kWorker) {
      return invalid_argument("slab {} was given up, which is not free", number);
    }
    mapped_bytes_ -= found->second.memory == nullptr ? 0 : found->second.memory->size_bytes();
    slabs_.erase(found);
    std::erase(freed_, number);
  }
  return ok_status();
}

std::vector<uint64_t> WorkerSlabs::take_freed() {
  const MutexLock lock(mutex_);
  return std::exchange(freed_, {});
}

bool WorkerSlabs::is_scarce() const {
  const MutexLock lock(mutex_);
  return used_bytes_ > most_bytes_ / 2 || used_count_ > kManySlabsInUse;
}

}  // namespace forebay::serving
