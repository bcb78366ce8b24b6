// The sparse file of one large object (object_format.h).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "forebay/cache/disk/entry_file.h"
#include "forebay/cache/disk/object_format.h"

namespace forebay::cache {

/// The header of an object's file from an earlier run, and the chunks that its records name.
struct ObjectContents {
  struct Chunk {
    uint64_t number = 0;
    uint32_t expires_s = 0;
  };

  ObjectHeader header;
  std::vector<Chunk> chunks;  // in order
};
/// data_loss if it is no such file. `may_punch`: gives the space of chunks that no record names back.
Result<ObjectContents> read_object_file(File& file, bool may_punch);

class ObjectFile final : public EntryFile {
 public:
  /// A new one, made with its first chunk, or, with `exists`, one of an earlier run.
  ObjectFile(std::shared_ptr<FileSystem> files, std::string path, uint32_t directory,
             const ObjectHeader& header, bool exists);

  uint64_t size_bytes() const { return header_.size_bytes; }
  const ObjectId& object() const { return header_.object; }

  Extent content_of(const EntryRecord& entry) const override;
  uint64_t readable_behind(const EntryRecord& entry) const override;
  Status write(const EntryRecord& entry, const ObjectText& object, Bytes content) override;
  Result<bool> check(const EntryRecord& entry, const ObjectText& object) const override;
  Result<std::optional<ObjectNames>> names_of(const EntryRecord& entry) const override;
  Status remove() override;
  /// Clears a chunk's record, then gives its space back.
  Status punch(uint64_t start_bytes);

  // The cache changes these with its lock held.

  uint64_t live_chunks = 0;
  bool is_removed = false;     // nothing is added any more
  std::set<uint64_t> leaving;  // starts of chunks that go: not to be written before they are punched

 private:
  Status create(const ObjectText& object);

  ObjectHeader header_;
  Mutex file_mutex_;
  bool exists_ FOREBAY_GUARDED_BY(file_mutex_);
};

}  // namespace forebay::cache
