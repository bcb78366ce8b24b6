// One file of the journal: an object that was acknowledged and that its store does not have yet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/journal/journal_format.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Thread safe. Its file is open only while bytes are looked for, and may be removed while views of it live.
class JournalEntry {
 public:
  JournalEntry(JournalFacts facts, std::shared_ptr<FileSystem> files, std::string path)
      : facts_(std::move(facts)), files_(std::move(files)), path_(std::move(path)) {}

  const JournalFacts& facts() const { return facts_; }
  uint64_t id() const { return facts_.header.id; }
  uint64_t size_bytes() const { return facts_.footer.content_bytes; }
  const std::string& uri() const { return facts_.header.uri; }
  const std::string& path() const { return path_; }

  /// What names these bytes until the store has given them a version of its own.
  std::string version() const { return version_of_journal(id()); }
  static std::string version_of_journal(uint64_t id);
  storage::ObjectStat stat(std::string key) const;

  /// A view of a range, which must lie in the object. Each MiB of it is compared with its checksum before it
  /// is handed out for the first time: data_loss, which names the file, if it differs. not_found once the
  /// file was removed.
  Result<storage::ReadBytes> view(uint64_t offset_bytes, uint64_t length_bytes);

 private:
  Status check_chunk(const File& file, uint64_t chunk) FOREBAY_REQUIRES(mutex_);
  Status check(uint64_t first_chunk, uint64_t last_chunk) FOREBAY_REQUIRES(mutex_);

  const JournalFacts facts_;
  const std::shared_ptr<FileSystem> files_;
  const std::string path_;
  Mutex mutex_;
  std::weak_ptr<const Mapping> mapping_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<bool> is_checked_ FOREBAY_GUARDED_BY(mutex_);
};
using JournalEntryRef = std::shared_ptr<JournalEntry>;

}  // namespace forebay::cache
