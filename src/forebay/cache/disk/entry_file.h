// A file that holds entries of the cache: a segment of small ones, or the chunks of one large object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/disk/segment_format.h"
#include "forebay/cache/files/file_system.h"

namespace forebay::cache {

/// The names behind an ObjectId.
struct ObjectText {
  std::string_view uri;
  std::string_view version;
};

/// Thread safe. Calls that change the disk are made by the cache's disk workers; none is made with the
/// cache's lock held.
class EntryFile {
 public:
  EntryFile(std::shared_ptr<FileSystem> files, std::string path, uint32_t directory)
      : files_(std::move(files)), path_(std::move(path)), directory_(directory) {}
  virtual ~EntryFile() = default;
  EntryFile(const EntryFile&) = delete;
  EntryFile& operator=(const EntryFile&) = delete;

  const std::string& path() const { return path_; }
  uint32_t directory() const { return directory_; }

  /// Where the content of an entry lies.
  virtual Extent content_of(const EntryRecord& entry) const = 0;
  /// How many bytes behind the content may be read and are zeros, or the object's.
  virtual uint64_t readable_behind(const EntryRecord& entry) const = 0;

  /// Creates the file if this is its first entry.
  virtual Status write(const EntryRecord& entry, const ObjectText& object, Bytes content) = 0;
  /// Reads the entry and compares it with its checksum and `object`: false if it is damaged, or is another
  /// one.
  virtual Result<bool> check(const EntryRecord& entry, const ObjectText& object) const = 0;
  virtual Status remove() = 0;

  /// The whole file, mapped once and kept until forget_mapping() and the last reader.
  Result<std::shared_ptr<const Mapping>> mapping();
  void forget_mapping();

 protected:
  Result<std::unique_ptr<File>> open(bool for_writing) const { return files_->open(path_, for_writing); }
  FileSystem& files() const { return *files_; }

 private:
  const std::shared_ptr<FileSystem> files_;
  const std::string path_;
  const uint32_t directory_;
  mutable Mutex mapping_mutex_;
  std::shared_ptr<const Mapping> mapping_ FOREBAY_GUARDED_BY(mapping_mutex_);
};

/// Continues `crc` over a part of a file.
Result<uint32_t> crc_of(const File& file, Extent extent, uint32_t crc = 0);

}  // namespace forebay::cache
