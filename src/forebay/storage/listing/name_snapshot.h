// The names of millions of objects with their sizes, times and versions: one file, mapped, so that an open
// snapshot takes hardly any memory of its own, and processes share it.
//
//   header | blocks | offsets of the blocks | hash table: from a name to its block | source
//
// Opening checks the header, the offsets and the table. A block's checksum is checked before its first use.
// What does not fit is data_loss, and no number leads outside the file. A file may only be replaced as a
// whole, by a new one: truncating a mapped one kills the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/storage/listing/name_block.h"

namespace forebay::storage {

/// What a snapshot says about itself.
struct SnapshotFacts {
  std::string source;     // URI of the prefix that was listed; holds no secret
  int64_t listed_ns = 0;  // when the listing began, since the Unix epoch
  uint64_t base = 0;      // of a change: the number of the snapshot that it changes
};

/// Immutable; thread safe.
class NameSnapshot {
 public:
  /// not_found if there is no such file.
  static Result<std::shared_ptr<const NameSnapshot>> open(const std::string& path);
  /// The same of an open file, which may be closed then. `name` is for errors.
  static Result<std::shared_ptr<const NameSnapshot>> map(int file, std::string name);
  /// The same of bytes that stay while `owner` lives.
  static Result<std::shared_ptr<const NameSnapshot>> from_image(Bytes image,
                                                                std::shared_ptr<const void> owner,
                                                                std::string name);

  const SnapshotFacts& facts() const { return facts_; }
  uint64_t size() const { return entries_; }
  uint64_t size_bytes() const { return image_.size(); }
  /// What tells this snapshot from all others: its checksums.
  uint64_t number() const { return number_; }

  /// The entry of `key`, or none. O(1). `reader` holds what the entry points to.
  Result<bool> find(std::string_view key, NameBlockReader& reader, NamedEntry& entry) const;

  uint64_t blocks() const { return blocks_; }
  /// `block` in [0, blocks()).
  Status open_block(uint64_t block, NameBlockReader& reader) const;
  /// The block that `key` lies in, if it is there; 0 if it sorts before all.
  Result<uint64_t> block_of(std::string_view key) const;

 private:
  NameSnapshot() = default;
  Status check();
  uint64_t offset_of(uint64_t block) const;

  std::string name_;
  Bytes image_;
  std::shared_ptr<const void> owner_;
  SnapshotFacts facts_;
  uint64_t entries_ = 0;
  uint64_t blocks_ = 0;
  uint64_t number_ = 0;
  const std::byte* offsets_ = nullptr;  // one more than blocks
  const std::byte* table_ = nullptr;
  uint64_t table_slots_ = 0;
  mutable std::unique_ptr<std::atomic<uint64_t>[]> checked_;  // a bit for each block
};

/// Reads a snapshot in the order of its names. Not thread safe.
class SnapshotCursor {
 public:
  explicit SnapshotCursor(std::shared_ptr<const NameSnapshot> snapshot);

  /// Goes to the first name that is not less than `key`.
  Status seek(std::string_view key);
  /// Null at the end. Valid until the next call.
  const NamedEntry* entry() const { return is_there_ ? &entry_ : nullptr; }
  Status next();

 private:
  std::shared_ptr<const NameSnapshot> snapshot_;
  uint64_t block_ = 0;  // the next one
  NameBlockReader reader_;
  NamedEntry entry_;
  bool is_there_ = false;
};

/// The block numbers of names, as a snapshot's file holds them.
class NameTable {
 public:
  /// Room for `entries` names.
  static uint64_t slots_for(uint64_t entries);
  static uint64_t hash(std::string_view key);
  /// What a slot of that hash and block holds; never 0, which is an empty one.
  static uint32_t slot(uint64_t hash, uint64_t block);
  static bool is_of(uint32_t slot, uint64_t hash) { return slot >> 24 == hash >> 56; }
  static uint64_t block_in(uint32_t slot) { return (slot & 0xffffff) - 1; }

  static constexpr uint64_t kMaxBlocks = (uint64_t{1} << 24) - 2;
};

/// The fixed part at the beginning of a snapshot's file.
struct SnapshotHeader {
  static constexpr uint64_t kMagic = 0x0053454d414e4246;  // "FBNAMES\0"
  static constexpr uint32_t kVersion = 1;

  uint64_t magic = kMagic;
  uint32_t version = kVersion;
  uint32_t header_bytes = sizeof(SnapshotHeader);
  uint64_t file_bytes = 0;
  uint64_t entries = 0;
  uint64_t blocks = 0;
  uint64_t blocks_bytes = 0;
  uint64_t table_slots = 0;  // 0: no table
  uint64_t source_bytes = 0;
  int64_t listed_ns = 0;
  uint64_t base = 0;
  uint32_t blocks_crc = 0;  // over the checksums of the blocks, one behind the other
  uint32_t offsets_crc = 0;
  uint32_t table_crc = 0;
  uint32_t source_crc = 0;
  uint32_t reserved = 0;
  uint32_t header_crc = 0;  // over the header with this field set to 0

  uint32_t checksum() const;
};
static_assert(sizeof(SnapshotHeader) == 104);

}  // namespace forebay::storage
