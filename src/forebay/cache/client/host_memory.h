// What a daemon shares with this process, as the process maps it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/messages/host_messages.h"
#include "forebay/storage/read_bytes.h"

namespace forebay::cache {

/// Thread safe.
class HostMemory {
 public:
  /// `forgotten` is called with each range that this process maps no more, or does not know: the daemon sends
  /// its file once more with the next bytes in it.
  explicit HostMemory(std::function<void(uint64_t range)> forgotten) : forgotten_(std::move(forgotten)) {}

  /// Views keep `tokens`, by which this daemon (kept_leases.h) and later ones (OwnedDirectory::reader()) know
  /// that somebody looks at bytes. This object keeps them, too, until forget_all().
  void hold(std::vector<FileDescriptor> tokens);

  /// A view of bytes that the daemon named. `release` is called when its owner goes, or here after an error,
  /// which is cache_trouble(). `files` are those that came with the message: the file of a range comes once,
  /// with the first bytes in it.
  Result<storage::ReadBytes> view_of(HostBytes bytes, std::vector<FileDescriptor> files,
                                     std::function<void()> release);
  /// Keeps the file that came with bytes which nobody wants any more.
  void keep_file(const HostBytes& bytes, std::vector<FileDescriptor> files);

  /// The daemon has removed the file of a range. Views of it stay.
  void forget(uint64_t range);
  void forget_all();

 private:
  class Mapped;
  class View;

  Result<std::shared_ptr<const Mapped>> mapped(const HostBytes& bytes, std::vector<FileDescriptor> files);
  Result<std::shared_ptr<const Mapped>> mapped_for_now(const HostBytes& bytes,
                                                       const std::vector<FileDescriptor>& files);
  /// Unmaps what nobody looks at. A process may have only so many mappings.
  void unmap_unused();

  const std::function<void(uint64_t range)> forgotten_;

  Mutex mutex_;
  std::shared_ptr<const std::vector<FileDescriptor>> tokens_ FOREBAY_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, std::shared_ptr<const Mapped>> mapped_ FOREBAY_GUARDED_BY(mutex_);  // by range
};

}  // namespace forebay::cache
