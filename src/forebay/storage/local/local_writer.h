// Writes a file under a temporary name and moves it into place when it is complete.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/local/disk.h"
#include "forebay/storage/local/local_file.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Thread compatible. A version condition is checked right before the move; between processes that is only a
/// check, not a lock. `if_absent` is atomic: the move itself fails.
///
/// With `sync`, an object that commit() has acknowledged survives the loss of power: its bytes, its name, and
/// the directories that the writer has made for it.
class LocalWriter final : public ObjectWriter {
 public:
  /// Creates the directories above `path`. `mode` of the new file, less the process's umask.
  static Result<std::unique_ptr<LocalWriter>> create(std::string path, std::string key, WriteOptions options,
                                                     bool sync, Disk& disk = host_disk(), mode_t mode = 0666);
  ~LocalWriter() override;

  PartLimits limits() const override { return {.in_flight = 16}; }
  void append(Bytes part, const CallContext& context, StatusCallback done) override;
  void commit(const CallContext& context, StatCallback done) override;

  /// Appends all of another file, copied by the kernel if possible. Looks at the context now and then.
  Status append_file(const OpenFile& file, const CallContext& context);
  Result<ObjectStat> commit_file();

 private:
  explicit LocalWriter(Disk& disk) : disk_(disk) {}
  Status copy_all(const OpenFile& file, const CallContext& context);
  Status check_version() const;
  Status move_into_place();
  Status sync_names() const;

  Disk& disk_;
  std::string path_;
  std::string key_;
  std::string top_folder_;  // of those whose names are to be made durable
  std::string temporary_;   // empty once the file is in place or removed
  WriteOptions options_;
  bool sync_ = false;
  FileDescriptor descriptor_;
  Status failure_;  // of an append
};

}  // namespace forebay::storage
