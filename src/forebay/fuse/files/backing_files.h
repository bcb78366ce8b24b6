// Files that the kernel serves itself, from a file of the host that holds the same bytes (FUSE passthrough):
// those that the cache has whole. No read of them comes here.
//
// While a file is open, all who open it are served in one way, as the kernel demands: by the backing file, if
// there was one when the first of them opened it, or else by this program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "absl/functional/function_ref.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/read_bytes.h"

namespace forebay::fuse {

/// What the kernel is told of backing files.
class BackingKernel {
 public:
  virtual ~BackingKernel() = default;
  /// The kernel's number of the file, which it keeps open until close_backing(), and longer for who has
  /// opened it.
  virtual Result<uint32_t> open_backing(const FileDescriptor& file) = 0;
  virtual void close_backing(uint32_t number) = 0;
};

/// Thread safe. Must outlive its uses.
class BackingFiles {
 public:
  /// Where the content of a node lies as a whole; without a file if nowhere. It is kept for as long as the
  /// node is open.
  using FindFile = absl::FunctionRef<Result<storage::ReadBytes>()>;
  class Use;

  /// The kernel has agreed: `kernel` is asked until end(). Before, every file is served by this program.
  void begin(BackingKernel* kernel);
  void end();

  /// A node is opened. While another thread looks for its file, this one waits.
  std::unique_ptr<Use> open(uint64_t node, FindFile find_file);

  /// A node that was open when another process was killed, and how the kernel serves it: 0 by this program.
  /// What it has opened then it keeps open.
  std::unique_ptr<Use> restore(uint64_t node, uint32_t backing);

  /// How many times a file was opened to be served by the kernel.
  uint64_t passed_through() const { return passed_through_.load(std::memory_order_relaxed); }
  /// How many nodes are open.
  size_t size() const;

 private:
  struct Served {
    Mutex mutex;
    bool is_decided FOREBAY_GUARDED_BY(mutex) = false;
    uint32_t backing FOREBAY_GUARDED_BY(mutex) = 0;  // 0: by this program
    storage::ReadBytes lease FOREBAY_GUARDED_BY(mutex);
    size_t uses = 0;  // guarded by the other one
  };

  std::shared_ptr<Served> enter(uint64_t node);
  void decide(Served& served, FindFile find_file) FOREBAY_REQUIRES(served.mutex);
  void refused(const Status& why);
  void close(uint64_t node);

  mutable Mutex mutex_;
  BackingKernel* kernel_ FOREBAY_GUARDED_BY(mutex_) = nullptr;
  bool was_refused_ FOREBAY_GUARDED_BY(mutex_) = false;  // then it is not asked again
  std::unordered_map<uint64_t, std::shared_ptr<Served>> served_ FOREBAY_GUARDED_BY(mutex_);  // by node
  std::atomic<uint64_t> passed_through_{0};
};

/// One open of a node, until it is released.
class BackingFiles::Use {
 public:
  Use(BackingFiles& files, uint64_t node) : files_(files), node_(node), served_(files.enter(node)) {}
  ~Use() { files_.close(node_); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  /// The kernel's number of the file that it serves; 0 if it asks this program.
  uint32_t backing() const { return backing_; }

 private:
  friend class BackingFiles;

  BackingFiles& files_;
  const uint64_t node_;
  const std::shared_ptr<Served> served_;
  uint32_t backing_ = 0;
};

}  // namespace forebay::fuse
