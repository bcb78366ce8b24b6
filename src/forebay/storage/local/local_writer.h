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
  static Result<std::unique_ptr<LocalWriter>> create(std::string path, std::string key, WriteOptions options,
                                                     bool sync);
  ~LocalWriter() override;

  PartLimits limits() const override { return {.in_flight = 16}; }
  void append(Bytes part, const CallContext& context, StatusCallback done) override;
  void commit(const CallContext& context, StatCallback done) override;

  /// All of another file, by the kernel where it can.
  Status append_file(const OpenFile& file);
  Result<ObjectStat> commit_file();

 private:
  LocalWriter() = default;
  Status check_version() const;
  Status move_into_place();

  std::string path_;
  std::string key_;
  std::string temporary_;  // empty once it is in place or gone
  WriteOptions options_;
  bool sync_ = false;
  Descriptor descriptor_;
};

}  // namespace forebay::storage
