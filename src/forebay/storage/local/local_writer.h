// Writes a file under a temporary name and moves it into place when it is complete.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/local/local_file.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Thread compatible. A version condition is checked right before the move; between processes that is only a
/// check, not a lock. `if_absent` is atomic: the move itself fails.
class LocalWriter final : public ObjectWriter {
 public:
  /// Creates the directories above `path`.
  static Result<std::unique_ptr<LocalWriter>> create(std::string path, std::string key, WriteOptions options,
                                                     bool sync);
  ~LocalWriter() override;

  PartLimits limits() const override { return {.in_flight = 16}; }
  void append(Bytes part, const CallContext& context, StatusCallback done) override;
  void commit(const CallContext& context, StatCallback done) override;

  /// Appends all of another file, copied by the kernel if possible. Looks at the context now and then.
  Status append_file(const OpenFile& file, const CallContext& context);
  Result<ObjectStat> commit_file();

 private:
  LocalWriter() = default;
  Status check_version() const;
  Status move_into_place();

  std::string path_;
  std::string key_;
  std::string temporary_;  // empty once the file is in place or removed
  WriteOptions options_;
  bool sync_ = false;
  FileDescriptor descriptor_;
};

}  // namespace forebay::storage
