// The directories of a cache: which file gets what, how much room is left, and which files there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "forebay/cache/disk/disk_worker.h"
#include "forebay/cache/disk/object_file.h"
#include "forebay/cache/disk/segment.h"
#include "forebay/cache/options/cache_options.h"
#include "forebay/cache/table/entry_table.h"

namespace forebay::cache {

struct ObjectIdHash {
  size_t operator()(const ObjectId& object) const { return object.low; }
};

/// Space that is to be given back, by a job of a disk worker.
struct SpaceFreed {
  std::shared_ptr<EntryFile> file;
  uint32_t number = kNoFile;
  Extent extent;  // of a segment
  bool is_chunk = false;
  uint64_t start_bytes = 0;  // of a chunk
  bool is_last = false;      // the file itself goes
  bool is_on_disk = true;    // false: nothing was written there, or blocks are shared with other entries
  uint64_t bytes = 0;        // what is not charged any more
};

/// One directory and what is written to it at the moment.
struct CacheDirectory {
  DirectoryOptions options;
  std::unique_ptr<OwnedDirectory> owned;
  std::shared_ptr<DiskWorker> worker = std::make_shared<DiskWorker>();  // null once the cache is closed
  bool is_on = true;                                                    // written to
  bool was_warned_of = false;                                           // since it was last written to
  int64_t delay_ns = 0;  // from the last failure to the next attempt
  int64_t next_attempt_ns = 0;
  uint64_t used_bytes = 0;                        // by entries
  std::shared_ptr<std::atomic<uint64_t>> beside;  // bytes of others that count in the quota, or null
  uint64_t limit_bytes = 0;                       // the quota, or what leaves enough free space
  uint64_t bytes_until_next_look = 0;             // at the free space
  int64_t next_look_ns = 0;                       // at the latest, where the free space is what bounds it
  bool was_told_full = false;                     // that nothing is kept, for others have filled the disk
  uint32_t active = kNoFile;                      // the segment that is appended to
  uint64_t next_name = 0;
  std::vector<SpaceFreed> put_off;  // until the readers of an earlier run have gone
  uint64_t put_off_bytes = 0;       // taken on disk, and not among the used ones
  uint64_t promised_bytes = 0;      // by sparse blocks

  uint64_t beside_bytes() const { return beside ? beside->load(std::memory_order_relaxed) : 0; }
  /// By entries and others.
  uint64_t taken_bytes() const { return used_bytes + beside_bytes(); }
  /// What is put off beyond the part of the quota that may be.
  uint64_t put_off_beyond_part() const;
};

/// What an entry needs on disk.
struct SpaceNeeded {
  ObjectId object;
  uint64_t object_bytes = 0;  // of the whole object; only for chunks
  bool is_chunk = false;
  uint64_t start_bytes = 0;
  uint64_t length_bytes = 0;
  size_t uri_bytes = 0;
  size_t version_bytes = 0;
  int8_t priority = 0;
};

/// A block of the file system of which entries that went have left little.
struct SparseBlock {
  std::shared_ptr<EntryFile> file;  // a segment
  uint32_t number = kNoFile;
  uint64_t offset_bytes = 0;
  uint64_t promised_bytes = 0;  // what moving them frees
};

/// Of all directories.
uint64_t quota_bytes_of(const std::vector<DirectoryOptions>& directories);

/// Whether an error says what the process lacks at the moment (descriptors, memory), and nothing of the disk.
bool is_of_process(const Status& error);

/// Thread compatible: the cache's lock guards it.
class DiskSpace {
 public:
  DiskSpace(const CacheOptions& options, std::shared_ptr<FileSystem> files);

  /// An error only if a directory belongs to another process; one that fails otherwise is left out, with a
  /// warning.
  Status open();

  std::vector<CacheDirectory>& directories() { return directories_; }
  const std::vector<CacheDirectory>& directories() const { return directories_; }
  uint64_t directories_off() const;
  uint64_t used_bytes() const;
  /// What may be used at the moment: the quotas, or less where a disk has to keep space free.
  uint64_t limit_bytes() const;

  /// Sets the directory's limit by what is free on its disk, if so many bytes more may meet it.
  void look_if_due(CacheDirectory& directory, uint64_t bytes);
  static void note_written(CacheDirectory& directory, uint64_t bytes);

  /// Whether some directory has room, the object's own if there is one.
  bool has_room(const SpaceNeeded& needed);
  /// Whether it would have if everything else went.
  bool may_have_room(const SpaceNeeded& needed);
  /// Chooses a file and a place in it. has_room() was true.
  void place(EntrySlot slot, const SpaceNeeded& needed, Entry* entry);
  /// The entry is not found any more. A chunk has one place, so until drop() and freed() it cannot come
  /// again.
  void begin_to_leave(const Entry& entry);
  /// What can be given back when the entry goes.
  SpaceFreed drop(const Entry& entry);
  /// Segments to which nothing is added any more, and whose entries are all written. Each is told once.
  std::vector<uint32_t> take_closed();
  /// An entry of a segment was written, or could not be.
  void written(uint32_t number);
  /// Closes the segments that are appended to.
  void close_segments();
  /// What can be given back of a segment without entries.
  SpaceFreed drop_segment(uint32_t number);
  /// The next block whose last few entries are worth moving. Until end_sparse() what that will free counts as
  /// free, so that no more entries go than have to.
  std::optional<SparseBlock> take_sparse();
  void end_sparse(const SparseBlock& block);
  /// Who works at the next one; null if there is none.
  DiskWorker* worker_of_sparse();
  /// Whether bytes of the file may change: not while readers of an earlier run may look at them. A whole file
  /// may be removed at any time.
  bool may_punch(const EntryFile& file) const;
  /// Keeps it for take_put_off().
  void put_off(SpaceFreed freed);
  /// Whether so much is put off in every directory that is written to that nothing more should go: it would
  /// give nothing back.
  bool is_held() const;
  /// What was put off in a directory, once it may be done.
  std::vector<SpaceFreed> take_put_off(CacheDirectory& directory);
  /// The whole file is going to be removed: what was put off is done with that.
  void forget_put_off(const EntryFile& file);
  /// The job of `freed` is done, or failed: then the space stays charged until the whole file goes, and of a
  /// file that could not be removed for as long as the cache is open.
  void freed(const SpaceFreed& freed, const Status& status);
  /// The space of `freed` stays charged until the whole file goes.
  void keep(const SpaceFreed& freed);
  /// The directory is not written to for a while: one warning, until it has been written to again. Nothing
  /// happens if the error is the process's.
  void turn_off(uint32_t directory, const Status& why);
  /// Something was written to it.
  void note_written(uint32_t directory);

  /// Files are mapped again when they are read next.
  void forget_mappings();
  Segment& segment(uint32_t number) { return static_cast<Segment&>(*files_in_use_[number]); }
  const std::shared_ptr<EntryFile>& file(uint32_t number) const { return files_in_use_[number]; }
  CacheDirectory& directory_of(const EntryFile& file) { return directories_[file.directory()]; }
  DiskWorker& worker_of(const EntryFile& file) { return *directory_of(file).worker; }
  /// The file of an object's chunks, if there is one.
  const ObjectFile* object_file(const ObjectId& object) const;

  /// Adds a file from an earlier run.
  uint32_t add_segment(std::shared_ptr<Segment> segment);
  uint32_t add_object(std::shared_ptr<ObjectFile> object);
  void charge(uint32_t directory, uint64_t bytes) { directories_[directory].used_bytes += bytes; }

 private:
  /// Whether it is written to, or time to try.
  bool is_on(CacheDirectory& directory) const;
  /// Sets the directory's limit by what is free on its disk now.
  void look_at_free_space(CacheDirectory& directory);
  /// What is in the directory.
  Status make_folders(const CacheDirectory& directory);
  uint32_t add_file(std::shared_ptr<EntryFile> file);
  /// The directory that it has to go to; null: any.
  CacheDirectory* own_directory(const SpaceNeeded& needed);
  bool fits(CacheDirectory& directory, const SpaceNeeded& needed);
  /// Whether bytes fit beside `taken_bytes`.
  static bool fits_beside(const CacheDirectory& directory, uint64_t taken_bytes, uint64_t bytes);
  void tell_if_full(CacheDirectory& directory);
  CacheDirectory& choose(const SpaceNeeded& needed);
  void place_in_segment(CacheDirectory& directory, EntrySlot slot, const SpaceNeeded& needed, Entry* entry);
  void place_in_object(CacheDirectory& directory, const SpaceNeeded& needed, Entry* entry);
  SpaceFreed drop_from_segment(const Entry& entry);
  SpaceFreed drop_from_object(const Entry& entry);
  void close_segment(CacheDirectory& directory);
  void note_sparse(uint32_t number, Extent entry);
  void note_sparse_block(uint32_t number, uint64_t offset_bytes);

  std::map<std::pair<const EntryFile*, uint64_t>, SparseBlock> sparse_;  // by file and offset
  const uint64_t segment_bytes_;
  const Clock& clock_;
  const std::shared_ptr<FileSystem> host_;
  std::vector<CacheDirectory> directories_;
  std::vector<std::shared_ptr<EntryFile>> files_in_use_;  // by number
  std::vector<uint32_t> free_numbers_;
  std::vector<uint32_t> closed_;
  std::unordered_map<ObjectId, uint32_t, ObjectIdHash> objects_;
};

}  // namespace forebay::cache
