// Blocks of a name snapshot: some sorted names, each written as what differs from the one before, with size,
// time and version.
//
//   CRC-32C | count | time unit | time of the first, in units | entries
//   entry: bytes shared with the name before | other bytes | 2 * size + is_removed | time | version
//
// Numbers are varints: seven bits a byte, the lowest first. A version that begins with 32 hexadecimal digits,
// as those of S3 do, takes 16 bytes for them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

inline constexpr size_t kMaxNameBytes = 1 << 16;  // of a key, and of a version
inline constexpr size_t kEntriesOfABlock = 16;
inline constexpr size_t kMaxBlockBytes = 1 << 20;
inline constexpr uint64_t kMaxObjectBytes = uint64_t{1} << 62;

/// An object as a snapshot knows it; or, in a change to another snapshot, one that has gone.
struct NamedEntry {
  std::string_view key;
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;
  std::string_view version;
  bool is_removed = false;

  ObjectStat stat() const { return {std::string(key), size_bytes, modified_ns, std::string(version)}; }
  bool operator==(const NamedEntry&) const = default;
};

NamedEntry entry_of(const ObjectStat& stat);

/// invalid_argument for names and sizes beyond the limits.
Status check_entry_limits(const NamedEntry& entry);

/// Collects the entries of one block.
class NameBlockWriter {
 public:
  /// `entry` sorts after those before, and is within the limits.
  void add(const NamedEntry& entry);
  bool is_empty() const { return count_ == 0; }
  bool is_full() const { return count_ == kEntriesOfABlock || text_bytes_ >= kMaxBlockBytes / 4; }
  /// Appends the block to `bytes` and begins a new one.
  void finish(std::string& bytes);

 private:
  struct Entry {
    std::string key;
    std::string version;
    uint64_t size_bytes = 0;
    int64_t modified_ns = 0;
    bool is_removed = false;
  };

  std::vector<Entry> entries_;  // the first `count_`; the others keep their memory
  size_t count_ = 0;
  size_t text_bytes_ = 0;
};

/// Whether the checksum of a block is right.
bool is_whole_block(Bytes block);

/// Reads a block from its beginning. Never reads outside it, whatever it holds.
class NameBlockReader {
 public:
  NameBlockReader() = default;
  explicit NameBlockReader(Bytes block) { open(block); }
  /// Begins at `block`, which is whole, and stays.
  void open(Bytes block);

  /// The next entry, valid until the next call; false at the end, and where the block is broken.
  bool next(NamedEntry& entry);
  /// Goes to `key`, from the beginning. Faster than next(): what differs is compared, not put together.
  bool find(std::string_view key, NamedEntry& entry);
  bool is_broken() const { return is_broken_; }

 private:
  struct Fields {
    size_t shared = 0;
    std::string_view rest;
    uint64_t size_bytes = 0;
    bool is_removed = false;
    int64_t modified_ns = 0;
    std::string_view version;  // as it is written
    bool has_digest = false;   // 16 bytes of a version's digits are before it
  };

  bool read(Fields& fields);
  bool number(uint64_t& value) {
    if (!left_.empty() && left_.front() < std::byte{0x80}) {  // most have one byte
      value = static_cast<uint64_t>(left_.front());
      left_ = left_.subspan(1);
      return true;
    }
    return long_number(value);
  }
  bool long_number(uint64_t& value);
  bool text(size_t bytes, std::string_view& text);
  bool version(Fields& fields);
  void fill(const Fields& fields, std::string_view key, NamedEntry& entry);
  bool broken() {
    is_broken_ = true;
    return false;
  }

  Bytes left_;
  uint64_t count_ = 0;  // of entries left
  uint64_t unit_ns_ = 1;
  uint64_t time_ = 0;  // in units; wraps
  bool is_broken_ = false;
  std::string key_;
  std::array<char, 32> digits_;  // of a version that has no more
  std::string version_;
};

}  // namespace forebay::storage
