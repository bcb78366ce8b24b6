// /dev/fuse: requests are read from it, one at a time, and answers written to it.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/fuse/files/backing_files.h"
#include "forebay/fuse/protocol/protocol.h"
#include "forebay/fuse/protocol/replies.h"
#include "forebay/fuse/state/kept_state.h"

namespace forebay::fuse {

/// Thread safe.
class Device final : public Replies, public BackingKernel {
 public:
  /// `kept` hears of each request that was answered; null: nobody does.
  explicit Device(FileDescriptor descriptor, std::shared_ptr<KeptState> kept = nullptr)
      : descriptor_(std::move(descriptor)), kept_(std::move(kept)) {}

  /// Waits for the next request; nothing where it was taken back meanwhile. not_found once the mount has
  /// gone.
  Result<Bytes> receive(MutableBytes into);
  /// What cannot be read from its place is answered as EIO.
  bool send(uint64_t unique, int error, std::span<const Bytes> parts) override;
  int descriptor() const { return descriptor_.get(); }
  /// Tells the kernel what it has not asked; false if it does not understand.
  bool notify(Notification what);
  /// Only root may: permission_denied.
  Result<uint32_t> open_backing(const FileDescriptor& file) override;
  void close_backing(uint32_t number) override;

 private:
  bool write_answer(uint64_t unique, int error, std::span<const Bytes> parts);

  const FileDescriptor descriptor_;
  const std::shared_ptr<KeptState> kept_;
};

}  // namespace forebay::fuse
