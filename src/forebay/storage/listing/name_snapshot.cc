#include "forebay/storage/listing/name_snapshot.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "forebay/base/crc32c.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/base/prefetch.h"

namespace forebay::storage {
namespace {

static_assert(std::endian::native == std::endian::little, "a snapshot is mapped, not converted");

constexpr uint64_t kMaxSourceBytes = 1 << 16;
constexpr uint64_t kMaxSlots = uint64_t{1} << 32;

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

class Mapping {
 public:
  Mapping(void* address, size_t bytes) : address_(address), bytes_(bytes) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { ::munmap(address_, bytes_); }

  Bytes bytes() const { return {static_cast<const std::byte*>(address_), bytes_}; }

 private:
  void* const address_;
  const size_t bytes_;
};

/// A block is read from its beginning: its lines of memory are fetched side by side, not one after the other.
void prefetch_block(Bytes block) {
  constexpr size_t kMaxBytes = 1024;
  for (size_t at = 0; at < std::min(block.size(), kMaxBytes); at += kLineBytes) {
    __builtin_prefetch(block.data() + at);
  }
}

uint64_t mixed(uint64_t value) {
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93;
  value ^= value >> 32;
  return value;
}

}  // namespace

uint32_t SnapshotHeader::checksum() const {
  SnapshotHeader header = *this;
  header.header_crc = 0;
  return crc32c(std::as_bytes(std::span(&header, 1)));
}

uint64_t NameTable::slots_for(uint64_t entries) {
  return entries + entries / 4 + 1;
}

uint64_t NameTable::hash(std::string_view key) {
  uint64_t hash = mixed(key.size() + 0x9e3779b97f4a7c15);
  for (; key.size() >= sizeof(uint64_t); key.remove_prefix(sizeof(uint64_t))) {
    uint64_t word = 0;
    std::memcpy(&word, key.data(), sizeof(word));
    hash = mixed(hash ^ word) * 0x9fb21c651e98df25;
  }
  uint64_t rest = 0;
  for (const char byte : key) {
    rest = rest << 8 | static_cast<unsigned char>(byte);
  }
  return mixed(mixed(hash ^ rest) * 0x9fb21c651e98df25);
}

uint32_t NameTable::slot(uint64_t hash, uint64_t block) {
  return static_cast<uint32_t>((hash >> 56) << 24 | (block + 1));
}

Result<std::shared_ptr<const NameSnapshot>> NameSnapshot::open(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_valid()) {
    return errno_status(errno, path);
  }
  return map(file.get(), path);
}

Result<std::shared_ptr<const NameSnapshot>> NameSnapshot::map(int file, std::string name) {
  struct stat status {};
  if (::fstat(file, &status) != 0) {
    return errno_status(errno, name);
  }
  if (!S_ISREG(status.st_mode) || status.st_size < static_cast<off_t>(sizeof(SnapshotHeader))) {
    return data_loss("{}: not a snapshot of names", name);
  }
  const auto bytes = static_cast<size_t>(status.st_size);
  void* const address = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  if (address == MAP_FAILED) {
    return errno_status(errno, name);
  }
  auto mapping = std::make_shared<const Mapping>(address, bytes);
  const Bytes image = mapping->bytes();
  return from_image(image, std::move(mapping), std::move(name));
}

Result<std::shared_ptr<const NameSnapshot>> NameSnapshot::from_image(Bytes image,
                                                                     std::shared_ptr<const void> owner,
                                                                     std::string name) {
  std::shared_ptr<NameSnapshot> snapshot(new NameSnapshot());
  snapshot->name_ = std::move(name);
  snapshot->image_ = image;
  snapshot->owner_ = std::move(owner);
  FOREBAY_RETURN_IF_ERROR(snapshot->check());
  return snapshot;
}

Status NameSnapshot::check() {
  const auto header = image_.size() < sizeof(SnapshotHeader) ? SnapshotHeader{.magic = 0}
                                                             : load<SnapshotHeader>(image_.data());
  if (header.magic != SnapshotHeader::kMagic) {
    return data_loss("{}: not a snapshot of names", name_);
  }
  if (header.version != SnapshotHeader::kVersion) {
    return data_loss("{}: a snapshot of version {}; this program reads version {}", name_, header.version,
                     SnapshotHeader::kVersion);
  }
  if (header.header_crc != header.checksum() || header.header_bytes != sizeof(header)) {
    return data_loss("{}: the snapshot's header is damaged", name_);
  }
  const bool in_limits = header.blocks <= NameTable::kMaxBlocks && header.table_slots <= kMaxSlots &&
                         header.source_bytes <= kMaxSourceBytes && header.blocks_bytes <= image_.size() &&
                         header.entries >= header.blocks &&
                         header.entries <= header.blocks * kEntriesOfABlock &&
                         (header.table_slots == 0 || header.table_slots > header.entries);
  const uint64_t offsets_bytes = (header.blocks + 1) * sizeof(uint64_t);
  const uint64_t table_bytes = header.table_slots * sizeof(uint32_t);
  if (!in_limits || header.file_bytes != image_.size() ||
      header.file_bytes !=
          sizeof(header) + header.blocks_bytes + offsets_bytes + table_bytes + header.source_bytes) {
    return data_loss("{}: the snapshot has {} bytes; its header says {}", name_, image_.size(),
                     header.file_bytes);
  }
  const Bytes offsets = image_.subspan(sizeof(header) + header.blocks_bytes, offsets_bytes);
  const Bytes table = image_.subspan(sizeof(header) + header.blocks_bytes + offsets_bytes, table_bytes);
  const Bytes source = image_.last(header.source_bytes);
  if (crc32c(offsets) != header.offsets_crc || crc32c(table) != header.table_crc ||
      crc32c(source) != header.source_crc) {
    return data_loss("{}: the snapshot is damaged (a checksum is wrong)", name_);
  }
  offsets_ = offsets.data();
  table_ = table.data();
  table_slots_ = header.table_slots;
  blocks_ = header.blocks;
  entries_ = header.entries;
  facts_ = {.source = std::string(reinterpret_cast<const char*>(source.data()), source.size()),
            .listed_ns = header.listed_ns,
            .base = header.base};
  number_ = uint64_t{header.header_crc} << 32 | header.blocks_crc;
  uint64_t before = sizeof(header);
  for (uint64_t block = 0; block <= blocks_; ++block) {
    const uint64_t offset = offset_of(block);
    const bool is_right =
        block == 0 ? offset == before : offset > before && offset - before <= kMaxBlockBytes;
    if (!is_right || offset > sizeof(header) + header.blocks_bytes) {
      return data_loss("{}: block {} of the snapshot lies outside it", name_, block);
    }
    before = offset;
  }
  checked_ = std::make_unique<std::atomic<uint64_t>[]>(blocks_ / 64 + 1);
  return ok_status();
}

uint64_t NameSnapshot::offset_of(uint64_t block) const {
  return load<uint64_t>(offsets_ + block * sizeof(uint64_t));
}

Status NameSnapshot::open_block(uint64_t block, NameBlockReader& reader) const {
  const uint64_t begin = offset_of(block);
  const Bytes bytes = image_.subspan(begin, offset_of(block + 1) - begin);
  prefetch_block(bytes);
  std::atomic<uint64_t>& checked = checked_[block / 64];
  const uint64_t bit = uint64_t{1} << (block % 64);
  if ((checked.load(std::memory_order_relaxed) & bit) == 0) {
    if (!is_whole_block(bytes)) {
      return data_loss("{}: block {} of the snapshot, at byte {}, is damaged; make the snapshot again", name_,
                       block, begin);
    }
    checked.fetch_or(bit, std::memory_order_relaxed);
  }
  reader.open(bytes);
  return ok_status();
}

Result<uint64_t> NameSnapshot::block_of(std::string_view key) const {
  NameBlockReader reader;
  uint64_t low = 0;
  uint64_t high = blocks_;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    FOREBAY_RETURN_IF_ERROR(open_block(middle, reader));
    NamedEntry first;
    const bool is_there = reader.next(first);
    (is_there && first.key <= key ? low : high) = middle;
  }
  return low;
}

Result<bool> NameSnapshot::find(std::string_view key, NameBlockReader& reader, NamedEntry& entry) const {
  if (blocks_ == 0) {
    return false;
  }
  if (table_slots_ == 0) {
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t block, block_of(key));
    FOREBAY_RETURN_IF_ERROR(open_block(block, reader));
    return reader.find(key, entry);
  }
  const uint64_t hash = NameTable::hash(key);
  uint64_t place = hash % table_slots_;
  for (uint64_t tries = 0; tries < table_slots_; ++tries) {
    const auto slot = load<uint32_t>(table_ + place * sizeof(uint32_t));
    if (slot == 0) {
      return false;
    }
    if (NameTable::is_of(slot, hash) && NameTable::block_in(slot) < blocks_) {
      FOREBAY_RETURN_IF_ERROR(open_block(NameTable::block_in(slot), reader));
      if (reader.find(key, entry)) {
        return true;
      }
    }
    place = place + 1 == table_slots_ ? 0 : place + 1;
  }
  return false;
}

SnapshotCursor::SnapshotCursor(std::shared_ptr<const NameSnapshot> snapshot)
    : snapshot_(std::move(snapshot)) {
}

Status SnapshotCursor::seek(std::string_view key) {
  FOREBAY_ASSIGN_OR_RETURN(block_, snapshot_->block_of(key));
  reader_ = NameBlockReader();
  FOREBAY_RETURN_IF_ERROR(next());
  while (is_there_ && entry_.key < key) {
    FOREBAY_RETURN_IF_ERROR(next());
  }
  return ok_status();
}

Status SnapshotCursor::next() {
  while (!(is_there_ = reader_.next(entry_))) {
    if (reader_.is_broken()) {
      return data_loss("{}: a block of the snapshot makes no sense", snapshot_->facts().source);
    }
    if (block_ == snapshot_->blocks()) {
      return ok_status();
    }
    FOREBAY_RETURN_IF_ERROR(snapshot_->open_block(block_, reader_));
    ++block_;
  }
  return ok_status();
}

}  // namespace forebay::storage
