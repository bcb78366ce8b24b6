#include "forebay/storage/listing/snapshot_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <span>
#include <utility>

#include "forebay/base/crc32c.h"
#include "forebay/storage/home/forebay_home.h"
#include "forebay/storage/local/local_file.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

constexpr size_t kWriteBytes = 1 << 20;

}  // namespace

SnapshotWriter::SnapshotWriter(FileDescriptor file, std::string path)
    : file_(std::move(file)),
      path_(std::move(path)),
      bytes_(sizeof(SnapshotHeader), '\0'),
      offset_(sizeof(SnapshotHeader)) {
}

SnapshotWriter::~SnapshotWriter() {
  if (!path_.empty()) {
    ::unlink(path_.c_str());
  }
}

Result<std::unique_ptr<SnapshotWriter>> SnapshotWriter::create(const std::string& folder, bool is_unnamed) {
  std::string path = join_path(folder.empty() ? "." : folder, std::string(kTemporaryPrefix) + "XXXXXX");
  FileDescriptor file(::mkostemp(path.data(), O_CLOEXEC));
  if (!file.is_valid()) {
    return errno_status(errno, path);
  }
  if (is_unnamed) {
    ::unlink(path.c_str());
    path.clear();
  }
  return std::unique_ptr<SnapshotWriter>(new SnapshotWriter(std::move(file), std::move(path)));
}

Status SnapshotWriter::add(const NamedEntry& entry) {
  FOREBAY_RETURN_IF_ERROR(check_entry_limits(entry));
  if (entries_ > 0 && entry.key <= last_) {
    return invalid_argument("'{}' does not sort after '{}'", entry.key, last_);
  }
  block_.add(entry);
  last_ = entry.key;
  ++entries_;
  return block_.is_full() ? finish_block() : ok_status();
}

Status SnapshotWriter::finish_block() {
  if (offsets_.size() == NameTable::kMaxBlocks) {
    return resource_exhausted("a snapshot of more than {} names", entries_);
  }
  const size_t begin = bytes_.size();
  block_.finish(bytes_);
  offsets_.push_back(offset_);
  offset_ += bytes_.size() - begin;
  blocks_crc_ = crc32c(std::as_bytes(std::span(bytes_).subspan(begin, sizeof(uint32_t))), blocks_crc_);
  return bytes_.size() >= kWriteBytes ? write_out() : ok_status();
}

Status SnapshotWriter::write_out() {
  FOREBAY_RETURN_IF_ERROR(write_all(file_.get(), std::as_bytes(std::span(bytes_)), name()));
  bytes_.clear();
  return ok_status();
}

Result<std::shared_ptr<const NameSnapshot>> SnapshotWriter::finish(const SnapshotFacts& facts,
                                                                   bool with_table) {
  if (!block_.is_empty()) {
    FOREBAY_RETURN_IF_ERROR(finish_block());
  }
  SnapshotHeader header;
  header.entries = entries_;
  header.blocks = offsets_.size();
  header.blocks_bytes = offset_ - sizeof(SnapshotHeader);
  header.listed_ns = facts.listed_ns;
  header.base = facts.base;
  header.blocks_crc = blocks_crc_;
  offsets_.push_back(offset_);
  FOREBAY_RETURN_IF_ERROR(write_out());
  FOREBAY_RETURN_IF_ERROR(write_end(header, facts.source, {}));
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const NameSnapshot> snapshot,
                           NameSnapshot::map(file_.get(), name()));
  if (!with_table) {
    return snapshot;
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<uint32_t> table, make_table(*snapshot));
  snapshot.reset();
  FOREBAY_RETURN_IF_ERROR(write_end(header, facts.source, table));
  return NameSnapshot::map(file_.get(), name());
}

Result<std::vector<uint32_t>> SnapshotWriter::make_table(const NameSnapshot& snapshot) const {
  std::vector<uint32_t> table(NameTable::slots_for(entries_));
  NameBlockReader reader;
  for (uint64_t block = 0; block < snapshot.blocks(); ++block) {
    FOREBAY_RETURN_IF_ERROR(snapshot.open_block(block, reader));
    for (NamedEntry entry; reader.next(entry);) {
      const uint64_t hash = NameTable::hash(entry.key);
      uint64_t place = hash % table.size();
      while (table[place] != 0) {
        place = place + 1 == table.size() ? 0 : place + 1;
      }
      table[place] = NameTable::slot(hash, block);
    }
  }
  return table;
}

// What is behind the blocks, and the header.
Status SnapshotWriter::write_end(SnapshotHeader header, const std::string& source,
                                 const std::vector<uint32_t>& table) {
  const Bytes offsets = std::as_bytes(std::span(offsets_));
  const Bytes slots = std::as_bytes(std::span(table));
  const Bytes text = std::as_bytes(std::span(source));
  header.table_slots = table.size();
  header.source_bytes = source.size();
  header.file_bytes = offset_ + offsets.size() + slots.size() + text.size();
  header.offsets_crc = crc32c(offsets);
  header.table_crc = crc32c(slots);
  header.source_crc = crc32c(text);
  header.header_crc = header.checksum();
  if (::lseek(file_.get(), static_cast<off_t>(offset_), SEEK_SET) < 0) {
    return errno_status(errno, name());
  }
  for (const Bytes part : {offsets, slots, text}) {
    FOREBAY_RETURN_IF_ERROR(write_all(file_.get(), part, name()));
  }
  if (::lseek(file_.get(), 0, SEEK_SET) < 0) {
    return errno_status(errno, name());
  }
  return write_all(file_.get(), std::as_bytes(std::span(&header, 1)), name());
}

Status SnapshotWriter::publish(const std::string& path) {
  if (::fsync(file_.get()) != 0) {
    return errno_status(errno, path);
  }
  if (::rename(path_.c_str(), path.c_str()) != 0) {
    return errno_status(errno, path);
  }
  path_.clear();
  const std::string folder(parent_path(path));
  return sync_folder(folder.empty() ? "." : folder);
}

}  // namespace forebay::storage
