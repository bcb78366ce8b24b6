// A file being written beside its place, and moved there when it is whole.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/local/local_file.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Thread compatible. A version condition is checked right before the move; between processes it is a check,
/// not a lock. `if_absent` is one: the move itself fails.
class LocalWriter final : public ObjectWriter {
 public:
  /// Makes the directories above `path`.
  static Result<std::unique_ptr<ObjectWriter>> create(std::string path, std::string key, WriteOptions options,
                                                      bool sync);
  ~LocalWriter() override;

  void append(Bytes part, StatusCallback done) override;
  void commit(StatCallback done) override;

 private:
  LocalWriter() = default;
  Status check_version() const;
  Status move_into_place();
  Result<ObjectStat> commit_file();

  std::string path_;
  std::string key_;
  std::string temporary_;  // empty once it is in place or gone
  WriteOptions options_;
  bool sync_ = false;
  Descriptor descriptor_;
};

}  // namespace forebay::storage
