// Bytes in memory as a file, for readers of the cache's formats.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "forebay/cache/files/file_system.h"

namespace forebay::cache {

/// Holes are written as zeros, and all of it counts as data. Cannot be mapped. Thread compatible.
class BytesFile final : public File {
 public:
  explicit BytesFile(Bytes bytes) : bytes_(bytes.begin(), bytes.end()) {}

  Result<uint64_t> size_bytes() const override { return bytes_.size(); }
  Status read(uint64_t offset_bytes, MutableBytes destination) const override {
    return MemoryByteSource(bytes_).read(offset_bytes, destination);
  }
  Result<std::vector<Extent>> data_extents() const override {
    return std::vector<Extent>{{0, bytes_.size()}};
  }
  Result<FileDescriptor> descriptor() const override {
    return unimplemented("bytes in memory have no descriptor");
  }
  bool may_be_open_elsewhere() const override { return false; }
  Result<std::shared_ptr<const Mapping>> map(uint64_t, uint64_t) const override {
    return unimplemented("bytes in memory are not mapped");
  }
  Status write(WritePoint, uint64_t, std::span<const Bytes>) override {
    return unimplemented("bytes in memory are not written to");
  }
  Status punch(WritePoint, Extent extent) override {
    if (extent.begin_bytes >= extent.end_bytes || extent.begin_bytes >= bytes_.size()) {
      return out_of_range("a hole from {} to {}", extent.begin_bytes, extent.end_bytes);
    }
    const uint64_t end = std::min<uint64_t>(extent.end_bytes, bytes_.size());
    std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(extent.begin_bytes),
              bytes_.begin() + static_cast<std::ptrdiff_t>(end), std::byte{0});
    return ok_status();
  }
  Status sync(WritePoint) override { return ok_status(); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace forebay::cache
