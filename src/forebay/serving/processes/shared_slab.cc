// Slabs of shared memory: made with memfd_create(2), sealed with fcntl(2), checked when they come from
// others.
#include "forebay/serving/processes/shared_slab.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "forebay/base/round_up.h"

namespace forebay::serving {
namespace {

constexpr uint64_t kSlabPage = 4096;
constexpr uint64_t kMaxSlabBytes = uint64_t{1} << 46;
constexpr int kSlabSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE;

Status slab_error(uint64_t bytes) {
  return annotate(errno_status(errno, "memfd"), fmt::format("{} bytes of shared memory for a model", bytes));
}

Status take_pages(int file, uint64_t bytes) {
  int result = 0;
  do {
    result = ::fallocate(file, 0, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  return result == 0 ? ok_status() : slab_error(bytes);
}

}  // namespace

uint64_t slab_bytes_of(uint64_t bytes) {
  return round_up(std::max<uint64_t>(bytes, 1), kSlabPage);
}

SharedSlab::SharedSlab(FileDescriptor file, void* data, uint64_t bytes)
    : file_(std::move(file)), data_(static_cast<std::byte*>(data)), size_bytes_(bytes) {
}

SharedSlab::SharedSlab(SharedSlab&& other) noexcept
    : file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {
}

SharedSlab& SharedSlab::operator=(SharedSlab&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

SharedSlab::~SharedSlab() {
  if (data_ != nullptr) {
    ::munmap(data_, size_bytes_);
  }
}

Result<SharedSlab> SharedSlab::create(uint64_t bytes) {
  if (bytes > kMaxSlabBytes) {
    return resource_exhausted("{} bytes of shared memory were asked for", bytes);
  }
  const uint64_t whole = slab_bytes_of(bytes);
  FileDescriptor file(::memfd_create("forebay-model", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.is_valid() || ::ftruncate(file.get(), static_cast<off_t>(whole)) != 0) {
    return slab_error(whole);
  }
  FOREBAY_RETURN_IF_ERROR(take_pages(file.get(), whole));
  void* const data = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) {
    return slab_error(whole);
  }
  SharedSlab slab(std::move(file), data, whole);
  if (::fcntl(slab.file(), F_ADD_SEALS, kSlabSeals) != 0) {
    return slab_error(whole);
  }
  return slab;
}

Result<SharedSlab> SharedSlab::open(FileDescriptor file, uint64_t bytes) {
  struct stat facts {};
  const int seals = ::fcntl(file.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return invalid_argument("shared memory came that is not sealed against shrinking");
  }
  if (::fstat(file.get(), &facts) != 0 || bytes == 0 || static_cast<uint64_t>(facts.st_size) != bytes) {
    return invalid_argument("shared memory of {} bytes came as one of {}", facts.st_size, bytes);
  }
  void* const data = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) {
    return slab_error(bytes);
  }
  return SharedSlab(FileDescriptor(), data, bytes);  // the mapping needs it no more
}

}  // namespace forebay::serving
