#include "forebay/cache/messages/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "fmt/format.h"
#include "forebay/base/round_up.h"
#include "forebay/base/system_error.h"
#include "forebay/cache/files/shared_ranges.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/last_use.h"
#include "forebay/memory/pool/pool.h"

namespace forebay::cache {
namespace {

constexpr size_t kPage = 4096;

class SharedBlocks final : public memory::MemoryResource {
 public:
  Result<void*> allocate(size_t bytes) override {
    const size_t whole = round_up(std::max<size_t>(bytes, 1), kPage);
    FileDescriptor file(memfd_create("forebay", MFD_CLOEXEC));
    if (!file.is_valid() || ftruncate(file.get(), static_cast<off_t>(whole)) != 0) {
      return errno_status(errno, "shared memory");
    }
    void* const address = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (address == MAP_FAILED) {
      return resource_exhausted("{} bytes of shared memory cannot be mapped", whole);
    }
    // Readers open it anew, for reading only.
    std::string path = fmt::format("/proc/self/fd/{}", file.get());
    const uint64_t range =
        shared_ranges().add({static_cast<std::byte*>(address), whole}, std::move(path), file.get());
    const MutexLock lock(mutex_);
    blocks_.emplace(address, Block{range, whole, std::move(file)});
    return address;
  }

  void deallocate(void* pointer, size_t, Fence last_use) noexcept override {
    memory::give_back_after(last_use, [this, pointer] { unmap(pointer); });
  }

  memory::MemoryKind kind() const override { return memory::MemoryKind::kHost; }
  std::string_view name() const override { return "shared blocks"; }

 private:
  struct Block {
    uint64_t range = 0;
    size_t bytes = 0;
    FileDescriptor file;
  };

  void unmap(void* pointer) {
    Block block;
    {
      const MutexLock lock(mutex_);
      const auto found = blocks_.find(pointer);
      block = std::move(found->second);
      blocks_.erase(found);
    }
    shared_ranges().remove(block.range);
    munmap(pointer, block.bytes);
  }

  Mutex mutex_;
  std::unordered_map<void*, Block> blocks_ FOREBAY_GUARDED_BY(mutex_);
};

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

/// Memory of another process, mapped for as long as it is used.
class Received {
 public:
  Received(FileDescriptor file, void* address, size_t bytes)
      : file_(std::move(file)),
        bytes_(static_cast<std::byte*>(address), bytes),
        range_(shared_ranges().add(bytes_, fmt::format("/proc/self/fd/{}", file_.get()), file_.get())) {}
  ~Received() {
    shared_ranges().remove(range_);
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  Received(const Received&) = delete;
  Received& operator=(const Received&) = delete;

  Bytes bytes() const { return bytes_; }

 private:
  const FileDescriptor file_;
  const Bytes bytes_;
  const uint64_t range_;
};

/// A pool of shared memory, and the host's behind it.
class SharedPool final : public CountedMemory {
 public:
  explicit SharedPool(std::shared_ptr<memory::Pool> pool) : pool_(std::move(pool)) {}

  Result<void*> allocate(size_t bytes) override {
    Result<void*> block = pool_->allocate(bytes);
    if (!block.ok()) {
      block = memory::host_pool()->allocate(bytes);
    }
    out_bytes_ += block.ok() ? bytes : 0;
    return block;
  }
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
    const bool is_shared = shared_ranges().find({static_cast<std::byte*>(pointer), 0}).has_value();
    memory::MemoryResource& owner = is_shared ? *pool_ : *memory::host_pool();
    owner.deallocate(pointer, bytes, last_use);
    out_bytes_ -= bytes;
  }
  uint64_t out_bytes() const override { return out_bytes_; }
  memory::MemoryKind kind() const override { return memory::MemoryKind::kHost; }
  std::string_view name() const override { return "shared memory"; }

 private:
  const std::shared_ptr<memory::Pool> pool_;
  std::atomic<uint64_t> out_bytes_{0};
};

}  // namespace

std::shared_ptr<memory::MemoryResource> shared_blocks() {
  static auto* const blocks = new std::shared_ptr<memory::MemoryResource>(std::make_shared<SharedBlocks>());
  return *blocks;  // never destroyed: buffers may outlive the process's statics
}

Result<FileDescriptor> sealed_copy(Bytes bytes) {
  const size_t whole = round_up(bytes.size() + storage::kDecoderPaddingBytes, kPage);
  FileDescriptor file(memfd_create("forebay", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.is_valid() || ftruncate(file.get(), static_cast<off_t>(whole)) != 0) {
    return errno_status(errno, "shared memory");
  }
  void* const address = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) {
    return resource_exhausted("{} bytes of shared memory cannot be mapped", whole);
  }
  memory::copy(address, bytes.data(), bytes.size());
  munmap(address, whole);
  if (fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) {
    return errno_status(errno, "shared memory");
  }
  return file;
}

Result<storage::ReadBytes> open_sealed(FileDescriptor memory, uint64_t bytes) {
  struct stat status {};
  const int seals = fcntl(memory.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals || fstat(memory.get(), &status) != 0) {
    return invalid_argument("memory that could still be changed");
  }
  const auto size = static_cast<uint64_t>(status.st_size);
  if (bytes == 0 || bytes > size) {
    return invalid_argument("{} bytes of {} in shared memory", bytes, size);
  }
  void* const address = mmap(nullptr, size, PROT_READ, MAP_SHARED, memory.get(), 0);
  if (address == MAP_FAILED) {
    return errno_status(errno, "shared memory");
  }
  auto received = std::make_shared<const Received>(std::move(memory), address, size);
  storage::ReadBytes view = {.owner = received, .bytes = received->bytes().first(bytes)};
  view.readable_behind = size - bytes;
  return view;
}

Result<std::shared_ptr<CountedMemory>> shared_memory(size_t maximum_bytes) {
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<memory::Pool> pool,
                           memory::Pool::create({.name = "shared memory",
                                                 .upstream = shared_blocks(),
                                                 .maximum_bytes = maximum_bytes,
                                                 .huge_pages = false}));
  return std::make_shared<SharedPool>(std::move(pool));
}

}  // namespace forebay::cache
