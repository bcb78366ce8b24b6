// /dev/fuse: requests are read from it, one at a time, and answers written to it.
#pragma once

#include <cstddef>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/fuse/backing_files.h"
#include "forebay/fuse/replies.h"

namespace forebay::fuse {

/// Thread safe.
class Device final : public Replies, public BackingKernel {
 public:
  explicit Device(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

  /// Waits for the next request; nothing where it was taken back meanwhile. not_found once the mount has
  /// gone.
  Result<Bytes> receive(MutableBytes into);
  /// What cannot be read from its place is answered as EIO.
  bool send(uint64_t unique, int error, std::span<const Bytes> parts) override;
  /// Only root may: permission_denied.
  Result<uint32_t> open_backing(const FileDescriptor& file) override;
  void close_backing(uint32_t number) override;

 private:
  const FileDescriptor descriptor_;
};

}  // namespace forebay::fuse
