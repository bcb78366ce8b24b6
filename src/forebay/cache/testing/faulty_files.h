// A file system of the host that fails, fills up, loses what was not synced, or ends the process, as a test
// says.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/files/file_system.h"

namespace forebay::cache {

/// When a change is made: before anything of it is on disk, with half of it, or after it.
enum class ChangePhase { kBefore, kHalf, kAfter };

/// Thread safe.
class FaultyFiles final : public FileSystem, public std::enable_shared_from_this<FaultyFiles> {
 public:
  /// Called in each phase of each change; an error makes the change fail there.
  using Hook = std::function<Status(WritePoint point, ChangePhase phase)>;
  void set_hook(Hook hook);
  /// Called before each read, which fails with its error.
  void set_read_hook(std::function<Status()> hook);
  /// Reads fail with `error` from now on; an OK status ends that.
  void fail_reads(Status error);
  /// No file can be opened for writing from now on, as on a disk that is mounted for reading only.
  void refuse_writing(Status error);

  /// The disk has so much free space from now on.
  void set_free_bytes(uint64_t bytes);

  /// A change as a disk sees it.
  struct Change {
    enum class Kind { kCreate, kWrite, kPunch, kRemove, kSync, kRename, kSyncDirectory };
    Kind kind;
    std::string path;
    uint64_t offset_bytes = 0;  // of a write or a hole
    uint64_t size_bytes = 0;    // of a new file or a hole
    std::string bytes;          // of a write; the new path of what is renamed
  };
  /// All changes from now on are kept for changes().
  void keep_changes();
  std::vector<Change> changes() const;

  Status make_directory(const std::string& path) override { return host_->make_directory(path); }
  Result<std::unique_ptr<OwnedDirectory>> own(const std::string& path) override { return host_->own(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return host_->list(path); }
  Result<uint64_t> free_bytes(const std::string& path) const override;
  Result<std::unique_ptr<File>> open(const std::string& path, bool for_writing) const override;
  Result<std::unique_ptr<File>> create(WritePoint point, const std::string& path,
                                       uint64_t size_bytes) override;
  Status remove(WritePoint point, const std::string& path) override;
  Status rename(WritePoint point, const std::string& from, const std::string& to) override;
  Status sync_directory(WritePoint point, const std::string& path) override;

  // For its files.
  Status change(WritePoint point, Change change, const std::function<Status()>& half,
                const std::function<Status()>& whole);
  Status before_read() const;

 private:
  const std::shared_ptr<FileSystem> host_ = host_files();
  mutable Mutex mutex_;
  Hook hook_ FOREBAY_GUARDED_BY(mutex_);
  std::function<Status()> read_hook_ FOREBAY_GUARDED_BY(mutex_) = ok_status;
  Status writing_error_ FOREBAY_GUARDED_BY(mutex_);
  std::optional<uint64_t> free_bytes_ FOREBAY_GUARDED_BY(mutex_);
  bool keeps_changes_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::vector<Change> changes_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::cache
