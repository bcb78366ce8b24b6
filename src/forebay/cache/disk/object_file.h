// The files of one large object (object_format.h): its content in a sparse one, and beside it what is there.
#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/cache/disk/entry_file.h"
#include "forebay/cache/disk/object_format.h"

namespace forebay::cache {

/// Behind the name of the content file: the record file's.
inline constexpr std::string_view kRecordFileSuffix = ".records";

/// What the record file of an earlier run says: the header, and the chunks that records name.
struct ObjectContents {
  struct Chunk {
    uint64_t number = 0;
    uint32_t expires_s = 0;
  };

  ObjectHeader header;
  std::vector<Chunk> chunks;  // in order
  bool may_punch = false;
};
/// data_loss if they are no such files. `may_punch`: gives the space of chunks that no record names back,
/// unless somebody may have the content open who was given it.
Result<ObjectContents> read_object_files(const File& records, File& content, bool may_punch);

class ObjectFile final : public EntryFile {
 public:
  /// A new one, made with its first chunk, or, with `exists`, one of an earlier run. `path` is the content's.
  ObjectFile(std::shared_ptr<FileSystem> files, std::string path, uint32_t directory,
             const ObjectHeader& header, bool exists);

  std::string records_path() const { return path() + std::string(kRecordFileSuffix); }
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
  /// The content file, for others: all chunks are here, sound, and leased. It is noted on disk before, so
  /// that who owns the directory next knows it, too.
  Result<FileDescriptor> hand_out(const ObjectText& object);
  /// Whether somebody may look at chunks that nobody has leased: whoever was given the file, and has it open
  /// or mapped. Only the whole file may go then, which stays there for them.
  bool may_be_looked_at();

  // The cache changes these with its lock held.

  /// A chunk's record will be written. Returns what its file will take more for that, by whole blocks.
  uint64_t charge_record(uint64_t start_bytes);
  /// What the record file of an earlier run takes.
  void charge_records(const std::vector<Extent>& taken);
  uint64_t record_bytes() const { return record_blocks_.size() * kFileBlockBytes; }

  uint64_t live_chunks = 0;
  int holders = 0;             // views with the file: its entries are no victims
  bool is_going = false;       // as a whole: nothing is added any more
  std::set<uint64_t> leaving;  // starts of chunks that go: not to be written before they are punched

 private:
  Result<std::shared_ptr<const Mapping>> map() const override;
  Result<std::unique_ptr<File>> open_records(bool for_writing) const {
    return files().open(records_path(), for_writing);
  }
  Status create(const ObjectText& object);
  Status remove_both();
  Status clear_record(uint64_t chunk);
  std::string header_for(const ObjectText& object, bool was_handed_out) const;

  const ObjectHeader header_;
  std::set<uint64_t> record_blocks_;  // that the record file takes, by offset
  std::atomic<bool> may_be_looked_at_;
  Mutex file_mutex_;
  bool exists_ FOREBAY_GUARDED_BY(file_mutex_);
  bool is_marked_ FOREBAY_GUARDED_BY(file_mutex_);  // as handed out, on disk
};

}  // namespace forebay::cache
