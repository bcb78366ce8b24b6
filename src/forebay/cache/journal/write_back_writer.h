// An object that is written to the journal, or through it to the store where the journal has no room.
#pragma once

#include <memory>
#include <string>

#include "forebay/cache/journal/write_back.h"

namespace forebay::cache {

/// Whatever keeps an object from the journal, a limit, a full or a failing disk, at its first byte or its
/// last: what the journal has of it already goes to the store, and the rest behind it.
class WriteBackWriter final : public storage::ObjectWriter {
 public:
  /// The object, and where it goes.
  struct Place {
    std::shared_ptr<storage::ObjectStore> inner;
    std::shared_ptr<storage::ObjectStore> upstream;
    std::shared_ptr<WriteBack> journal;
    WriteBackUse use;
    std::string key;
    std::string uri;
  };

  WriteBackWriter(Place place, storage::WriteOptions options, bool is_journalled);
  ~WriteBackWriter() override;

  storage::PartLimits limits() const override { return {.best_bytes = uint64_t{8} << 20}; }
  void append(Bytes part, const storage::CallContext& context, storage::StatusCallback done) override;
  void commit(const storage::CallContext& context, storage::StatCallback done) override;

 private:
  class Write;

  const std::shared_ptr<Write> write_;
};

}  // namespace forebay::cache
