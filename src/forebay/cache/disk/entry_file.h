// A file that holds entries of the cache: a segment of small ones, or the chunks of one large object.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/disk/segment_format.h"
#include "forebay/cache/entries/object_version.h"
#include "forebay/cache/files/file_system.h"

namespace forebay::cache {

/// An ObjectText, read from a file.
struct ObjectNames {
  std::string uri;
  std::string version;
};

/// Thread safe. Calls that change the disk are made by the cache's disk workers; none is made with the
/// cache's lock held.
class EntryFile {
 public:
  /// `is_earlier`: it comes from an earlier run, whose readers may still look at it.
  EntryFile(std::shared_ptr<FileSystem> files, std::string path, uint32_t directory, bool is_earlier)
      : files_(std::move(files)), path_(std::move(path)), directory_(directory), is_earlier_(is_earlier) {}
  virtual ~EntryFile() = default;
  EntryFile(const EntryFile&) = delete;
  EntryFile& operator=(const EntryFile&) = delete;

  /// Of the file with the content.
  const std::string& path() const { return path_; }
  uint32_t directory() const { return directory_; }
  bool is_earlier() const { return is_earlier_; }

  /// Where the content of an entry lies.
  virtual Extent content_of(const EntryRecord& entry) const = 0;
  /// How many bytes behind the content may be read and are zeros, or the object's.
  virtual uint64_t readable_behind(const EntryRecord& entry) const = 0;

  /// Creates the file if this is its first entry.
  virtual Status write(const EntryRecord& entry, const ObjectText& object, Bytes content) = 0;
  /// Reads the entry and compares it with its checksum and `object`: false if it is damaged, or is another
  /// one.
  virtual Result<bool> check(const EntryRecord& entry, const ObjectText& object) const = 0;
  /// Reads the names of the entry's object; nothing if they are not those that its key is a hash of.
  virtual Result<std::optional<ObjectNames>> names_of(const EntryRecord& entry) const = 0;
  virtual Status remove() = 0;

  /// Charged, though no entry has it any more, since it could not be given back. The cache changes it with
  /// its lock held.
  uint64_t kept_bytes = 0;

  /// The whole file of its entries' content, mapped once and kept until forget_mapping() and the last reader.
  Result<std::shared_ptr<const Mapping>> mapping();
  void forget_mapping();

 protected:
  /// Maps the whole file.
  virtual Result<std::shared_ptr<const Mapping>> map() const;
  Result<std::unique_ptr<File>> open(bool for_writing) const { return files_->open(path_, for_writing); }
  FileSystem& files() const { return *files_; }

 private:
  const std::shared_ptr<FileSystem> files_;
  const std::string path_;
  const uint32_t directory_;
  const bool is_earlier_;
  mutable Mutex mapping_mutex_;
  std::shared_ptr<const Mapping> mapping_ FOREBAY_GUARDED_BY(mapping_mutex_);
};

/// Reads both texts, which lie behind each other; nothing if `object` is not a hash of them.
Result<std::optional<ObjectNames>> read_names(const File& file, uint64_t offset_bytes, size_t uri_bytes,
                                              size_t version_bytes, const ObjectId& object);

/// Continues `crc` over a part of a file.
Result<uint32_t> crc_of(const File& file, Extent extent, uint32_t crc = 0);

}  // namespace forebay::cache
