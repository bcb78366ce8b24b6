// Shared memory without a name, which travels between a model's process and ours as a file descriptor.
#pragma once

#include <cstdint>

#include "forebay/base/byte_source.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"

namespace forebay::serving {

/// A memfd and its mapping. It is sealed against shrinking, so that what is mapped here stays there, whatever
/// the other process does. Movable; empty after a move.
class SharedSlab {
 public:
  SharedSlab() = default;
  /// At least `bytes`, writable here and nowhere else. The pages are taken at once: too few are
  /// resource_exhausted now, not a SIGBUS later.
  static Result<SharedSlab> create(uint64_t bytes);
  /// What another process has made, for reading. invalid_argument where it is not of exactly `bytes`, or
  /// could still shrink: the other process is not trusted.
  static Result<SharedSlab> open(FileDescriptor file, uint64_t bytes);

  SharedSlab(SharedSlab&& other) noexcept;
  SharedSlab& operator=(SharedSlab&& other) noexcept;
  ~SharedSlab();

  /// Only of one that was created here.
  int file() const { return file_.get(); }
  uint64_t size_bytes() const { return size_bytes_; }
  Bytes bytes() const { return {data_, size_bytes_}; }
  /// Only of one that was created here.
  MutableBytes mutable_bytes() const { return {data_, size_bytes_}; }

 private:
  SharedSlab(FileDescriptor file, void* data, uint64_t bytes);

  FileDescriptor file_;
  std::byte* data_ = nullptr;
  uint64_t size_bytes_ = 0;
};

/// Where tensors begin in slabs: multiples of so many bytes, as SIMD loads like them.
inline constexpr uint64_t kSlabAlignment = 64;

/// The size of the slab that SharedSlab::create(bytes) makes.
uint64_t slab_bytes_of(uint64_t bytes);

}  // namespace forebay::serving
