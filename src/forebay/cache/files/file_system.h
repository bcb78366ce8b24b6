// The files of a cache, as an interface, so that tests can let disks fill up, fail, forget what was not
// synced, and kill the process at any write. Each change names the point where it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"

namespace forebay::cache {

/// Every place where the cache changes a disk, then those where the journal does.
enum class WritePoint {
  kCreateSegment,
  kWriteEntry,
  kWriteFooter,
  kRemoveSegment,
  kPunchEntry,
  kCreateObject,
  kCreateRecords,
  kMarkHandedOut,
  kWriteChunk,
  kWriteRecord,
  kClearRecord,
  kPunchChunk,
  kRemoveRecords,
  kRemoveObject,
  kCreateJournalFile,
  kWriteJournalFile,
  kSyncJournalFile,
  kNameJournalFile,
  kSyncJournalFolder,
  kRemoveJournalFile,
};
inline constexpr int kCachePoints = 14;  // the first ones
inline constexpr int kWritePoints = 20;
std::string_view name_of(WritePoint point);

/// A part of a file.
struct Extent {
  uint64_t begin_bytes = 0;
  uint64_t end_bytes = 0;
};

/// A file's bytes as memory, until the last owner drops it. What is behind the end of a file that has become
/// shorter must not be touched.
class Mapping {
 public:
  virtual ~Mapping() = default;
  virtual Bytes bytes() const = 0;
};

/// Thread safe. Errors name the file and keep their errno.
class File {
 public:
  virtual ~File() = default;
  virtual Result<uint64_t> size_bytes() const = 0;
  /// Fills `destination`; out_of_range if the file ends before.
  virtual Status read(uint64_t offset_bytes, MutableBytes destination) const = 0;
  /// The parts of the file that take space, in order.
  virtual Result<std::vector<Extent>> data_extents() const = 0;
  /// For others, who read it and nothing more.
  virtual Result<FileDescriptor> descriptor() const = 0;
  /// Whether the file is open, or mapped, anywhere but here, or that cannot be told.
  virtual bool may_be_open_elsewhere() const = 0;
  /// Behind `length_bytes`, where the file has to end unless `zeros_behind` is 0, so many zeros can be read.
  virtual Result<std::shared_ptr<const Mapping>> map(uint64_t length_bytes, uint64_t zeros_behind) const = 0;

  /// Writes the parts one behind the other.
  virtual Status write(WritePoint point, uint64_t offset_bytes, std::span<const Bytes> parts) = 0;
  /// Zeros from then on, and takes no space where it fills whole blocks. The file keeps its size, also if the
  /// extent ends behind it.
  virtual Status punch(WritePoint point, Extent extent) = 0;
  /// What was written, and the file's size, outlive a loss of power once this has returned.
  virtual Status sync(WritePoint point) = 0;
};

/// A directory that this process has for itself for as long as this lives. Thread safe.
class OwnedDirectory {
 public:
  virtual ~OwnedDirectory() = default;
  /// What a process keeps while it may look at mapped files of this owner, also when that has gone. Every
  /// copy counts, those of forked children too. Invalid in a directory in which nothing can be changed.
  virtual Result<FileDescriptor> reader() const = 0;
  /// Whether a process may still look at what an earlier owner let it map: no byte of those files may change.
  /// Once false, it stays so.
  virtual bool has_earlier_readers() const = 0;
};

/// Thread safe.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// Makes it and its parents, for the owner alone.
  virtual Status make_directory(const std::string& path) = 0;
  /// failed_precondition, naming the owner, if another process has it; permission_denied if other users could
  /// change what is in it, or it holds what no cache has made where a cache has its files.
  virtual Result<std::unique_ptr<OwnedDirectory>> own(const std::string& path) = 0;
  /// Names, sorted; not_found if there is no such directory.
  virtual Result<std::vector<std::string>> list(const std::string& path) const = 0;
  virtual Result<uint64_t> free_bytes(const std::string& path) const = 0;

  virtual Result<std::unique_ptr<File>> open(const std::string& path, bool for_writing) const = 0;
  /// A new file of `size_bytes` that takes no space; already_exists if there is one.
  virtual Result<std::unique_ptr<File>> create(WritePoint point, const std::string& path,
                                               uint64_t size_bytes) = 0;
  virtual Status remove(WritePoint point, const std::string& path) = 0;
  /// Replaces what is at `to`.
  virtual Status rename(WritePoint point, const std::string& from, const std::string& to) = 0;
  /// The names in a directory outlive a loss of power once this has returned.
  virtual Status sync_directory(WritePoint point, const std::string& path) = 0;
};

/// The host's.
std::shared_ptr<FileSystem> host_files();

}  // namespace forebay::cache
