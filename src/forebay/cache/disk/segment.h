// One segment: entries appended behind each other. The space of those that went is given back to the file
// system by punching holes, so an entry goes when the policy says so and not when its neighbours do.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/cache/disk/entry_file.h"
#include "forebay/cache/policy/eviction_policy.h"
#include "forebay/memory/buffer.h"

namespace forebay::cache {

/// What a segment from an earlier run holds.
struct SegmentContents {
  uint64_t salt = 0;
  std::vector<EntryRecord> entries;  // by place; those with a hole in them are left out
  uint64_t end_place = 0;            // nothing lies behind
  bool is_sealed = false;            // they come from the footer
};
/// data_loss if it is no segment. Reads the footer, or every block if there is none.
Result<SegmentContents> read_segment(const File& file);

/// An entry as it lies in a segment: its content, with zeros behind it, and the names of its object.
struct StoredEntry {
  ObjectNames names;
  memory::BufferRef content;
};

class Segment final : public EntryFile {
 public:
  /// A new one; the file is made with its first entry.
  Segment(std::shared_ptr<FileSystem> files, std::string path, uint32_t directory, uint64_t size_bytes,
          uint64_t salt);
  /// One of an earlier run, to which nothing is added. `slots` are those of the contents' entries.
  Segment(std::shared_ptr<FileSystem> files, std::string path, uint32_t directory,
          const SegmentContents& contents, const std::vector<EntrySlot>& slots);

  Extent content_of(const EntryRecord& entry) const override;
  uint64_t readable_behind(const EntryRecord&) const override { return kZerosBehind; }
  Status write(const EntryRecord& entry, const ObjectText& object, Bytes content) override;
  Result<bool> check(const EntryRecord& entry, const ObjectText& object) const override;
  Result<std::optional<ObjectNames>> names_of(const EntryRecord& entry) const override;
  /// All of an entry; nothing if it is damaged, or another one is in its place.
  Result<std::optional<StoredEntry>> read(const EntryRecord& entry) const;
  Status remove() override;
  Status punch(Extent extent);
  /// Writes the footer; nothing is added afterwards.
  Status seal(const std::vector<EntryRecord>& entries);

  // The table of places; the cache calls these with its lock held.

  /// The place of a new entry; nothing if it does not fit any more.
  std::optional<uint32_t> append(EntrySlot slot, uint64_t length_bytes, uint64_t text_bytes);
  /// Where an entry lies, up to the next one.
  Extent extent_of(uint32_t place) const;
  /// Entries that take little, and how much.
  struct Few {
    std::vector<EntrySlot> slots;
    uint64_t bytes = 0;
  };
  /// What touches the block of the file system at `offset_bytes`, if all of it together takes so little that
  /// it is worth writing it elsewhere, and nothing more will come into the block. No slots otherwise.
  Few few_at(uint64_t offset_bytes) const;
  /// Whole blocks of the file system.
  struct Blocks {
    Extent extent;
    bool may_hold_data = false;
  };
  /// What nobody needs once the entry at `place` is gone, which was written or never will be.
  Blocks drop(uint32_t place, bool was_written);
  /// The slots of the entries that are left.
  std::vector<EntrySlot> slots() const;
  bool is_empty() const { return live_ == 0; }
  /// Bytes that were appended and not dropped, by whole blocks.
  uint64_t charged_bytes() const { return charged_bytes_; }
  void uncharge(uint64_t bytes) { charged_bytes_ -= bytes; }

  bool is_closed = false;  // nothing is appended any more
  bool was_told = false;   // that it is closed: its footer is on its way
  uint32_t under_way = 0;  // entries appended and not yet written

 private:
  struct Item {
    uint32_t place;
    EntrySlot slot;
  };

  std::vector<Item>::const_iterator item_at(uint32_t place) const;
  uint64_t end_of(std::vector<Item>::const_iterator item) const;
  Status create() FOREBAY_REQUIRES(file_mutex_);
  /// Nothing if it is damaged, or another entry's.
  Result<std::optional<EntryBlock>> block_of(const File& file, const EntryRecord& entry) const;

  const uint64_t size_bytes_;
  const uint64_t salt_;
  uint64_t next_place_ = 1;
  std::vector<Item> items_;  // by place; an entry that went has one of two slots that nothing has
  size_t live_ = 0;
  uint64_t charged_bytes_ = 0;
  Mutex file_mutex_;
  std::shared_ptr<File> file_ FOREBAY_GUARDED_BY(file_mutex_);  // until it is sealed
};

}  // namespace forebay::cache
