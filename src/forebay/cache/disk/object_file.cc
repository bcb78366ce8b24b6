#include "forebay/cache/disk/object_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "forebay/base/crc32c.h"
#include "forebay/base/round_up.h"
#include "forebay/base/system_error.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/options/cache_options.h"

namespace forebay::cache {
namespace {

Extent chunk_extent(const ObjectHeader& header, uint64_t start_bytes) {
  return {start_bytes, std::min(start_bytes + kChunkBytes, header.size_bytes)};
}

/// Also what is behind the end of the object in its last block.
Extent blocks_of(const ObjectHeader& header, uint64_t begin_bytes, uint64_t end_bytes) {
  return {begin_bytes, std::min(end_bytes, round_up(header.size_bytes, kFileBlockBytes))};
}

/// The chunks that records name, for a file of any number of them.
Result<std::vector<ObjectContents::Chunk>> read_records(const File& file, const ObjectHeader& header) {
  constexpr uint64_t kRecordsAtOnce = 4096;
  std::vector<ObjectContents::Chunk> chunks;
  std::vector<std::byte> records;
  for (uint64_t first = 0; first < header.chunks(); first += kRecordsAtOnce) {
    const uint64_t count = std::min(kRecordsAtOnce, header.chunks() - first);
    records.resize(count * kRecordBytes);
    FOREBAY_RETURN_IF_ERROR(file.read(header.record_offset(first), records));
    for (uint64_t i = 0; i < count; ++i) {
      const Bytes bytes = Bytes(records).subspan(i * kRecordBytes, kRecordBytes);
      if (const std::optional<ChunkRecord> record = parse_record(bytes, header.object, first + i)) {
        chunks.push_back({first + i, record->expires_s});
      }
    }
  }
  return chunks;
}

/// A process that ended between clearing a record and giving the space back leaves such chunks.
Status punch_unnamed(File& content, const ObjectContents& contents) {
  const ObjectHeader& header = contents.header;
  uint64_t next = 0;
  for (size_t i = 0; i <= contents.chunks.size(); ++i) {
    const uint64_t chunk = i < contents.chunks.size() ? contents.chunks[i].number : header.chunks();
    if (next < chunk) {
      const Extent gap = blocks_of(header, next * kChunkBytes, chunk * kChunkBytes);
      FOREBAY_RETURN_IF_ERROR(content.punch(WritePoint::kPunchChunk, gap));
    }
    next = chunk + 1;
  }
  return ok_status();
}

}  // namespace

Result<ObjectContents> read_object_files(const File& records, File& content, bool may_punch) {
  std::array<std::byte, kObjectHeaderBytes> bytes;
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t size_bytes, records.size_bytes());
  if (size_bytes < bytes.size()) {
    return data_loss("too short for an object's record file");
  }
  FOREBAY_RETURN_IF_ERROR(records.read(0, bytes));
  const std::optional<ObjectHeader> header = parse_object_header(bytes);
  if (!header || header->record_file_bytes() != size_bytes) {
    return data_loss("not an object's record file");
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t content_bytes, content.size_bytes());
  if (content_bytes != header->size_bytes) {
    return data_loss("{} bytes of content, and {} by the records", content_bytes, header->size_bytes);
  }
  may_punch = may_punch && !(header->was_handed_out && content.may_be_open_elsewhere());
  ObjectContents contents = {.header = *header, .chunks = {}, .may_punch = may_punch};
  FOREBAY_ASSIGN_OR_RETURN(contents.chunks, read_records(records, *header));
  // On a disk that cannot be written to, the space stays taken.
  if (may_punch) {
    punch_unnamed(content, contents).IgnoreError();
  }
  return contents;
}

ObjectFile::ObjectFile(std::shared_ptr<FileSystem> files, std::string path, uint32_t directory,
                       const ObjectHeader& header, bool exists)
    : EntryFile(std::move(files), std::move(path), directory, exists),
      header_(header),
      may_be_looked_at_(header.was_handed_out),
      exists_(exists),
      is_marked_(header.was_handed_out) {
}

Extent ObjectFile::content_of(const EntryRecord& entry) const {
  return chunk_extent(header_, entry.key.start_bytes);
}

/// Behind a chunk lies the next one, which may come and go.
uint64_t ObjectFile::readable_behind(const EntryRecord& entry) const {
  return entry.key.start_bytes + entry.length_bytes == header_.size_bytes ? kZerosBehind : 0;
}

uint64_t ObjectFile::charge_record(uint64_t start_bytes) {
  const uint64_t before = record_blocks_.size();
  for (uint64_t at = 0; before == 0 && at < header_.records_offset(); at += kFileBlockBytes) {
    record_blocks_.insert(at);
  }
  record_blocks_.insert(header_.record_offset(start_bytes / kChunkBytes) / kFileBlockBytes * kFileBlockBytes);
  return (record_blocks_.size() - before) * kFileBlockBytes;
}

void ObjectFile::charge_records(const std::vector<Extent>& taken) {
  for (const Extent& extent : taken) {
    uint64_t at = extent.begin_bytes / kFileBlockBytes * kFileBlockBytes;
    for (; at < extent.end_bytes; at += kFileBlockBytes) {
      record_blocks_.insert(at);
    }
  }
}

// A file of another size holds something else than the object behind its last chunk.
Result<std::shared_ptr<const Mapping>> ObjectFile::map() const {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, open(false));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t size_bytes, file->size_bytes());
  if (size_bytes != header_.size_bytes) {
    return data_loss("{}: {} bytes of an object of {}", path(), size_bytes, header_.size_bytes);
  }
  return file->map(size_bytes, kZerosBehind);
}

std::string ObjectFile::header_for(const ObjectText& object, bool was_handed_out) const {
  ObjectHeader header = header_;
  header.text_crc = crc32c(bytes_of(object.version), crc32c(bytes_of(object.uri)));
  header.was_handed_out = was_handed_out;
  return encode_object_header(header);
}

Result<FileDescriptor> ObjectFile::hand_out(const ObjectText& object) {
  const MutexLock lock(file_mutex_);
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> content, open(false));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t size_bytes, content->size_bytes());
  if (size_bytes != header_.size_bytes) {
    return data_loss("{}: {} bytes of an object of {}", path(), size_bytes, header_.size_bytes);
  }
  if (!is_marked_) {
    FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> records, open_records(true));
    const std::string header = header_for(object, true);
    const Bytes parts[] = {bytes_of(header)};
    FOREBAY_RETURN_IF_ERROR(records->write(WritePoint::kMarkHandedOut, 0, parts));
    is_marked_ = true;
  }
  may_be_looked_at_.store(true);
  return content->descriptor();
}

bool ObjectFile::may_be_looked_at() {
  if (!may_be_looked_at_.load()) {
    return false;
  }
  forget_mapping();  // this process's own; views keep it
  const Result<std::unique_ptr<File>> content = open(false);
  const bool is_open =
      content.ok() ? (*content)->may_be_open_elsewhere() : errno_of(content.status()) != ENOENT;
  may_be_looked_at_.store(is_open);
  return is_open;
}

Status ObjectFile::create(const ObjectText& object) {
  FOREBAY_RETURN_IF_ERROR(files().create(WritePoint::kCreateObject, path(), header_.size_bytes).status());
  const std::string bytes = header_for(object, false);
  const Bytes parts[] = {bytes_of(bytes), bytes_of(object.uri), bytes_of(object.version)};
  Result<std::unique_ptr<File>> records =
      files().create(WritePoint::kCreateRecords, records_path(), header_.record_file_bytes());
  const bool is_made = records.ok();
  Status status = is_made ? (*records)->write(WritePoint::kCreateRecords, 0, parts) : records.status();
  if (!status.ok()) {
    remove_both().IgnoreError();
  }
  return status;
}

// What is left if the process ends between the two is removed by the next one.
Status ObjectFile::remove_both() {
  const Status records = files().remove(WritePoint::kRemoveRecords, records_path());
  const Status content = files().remove(WritePoint::kRemoveObject, path());
  return records.ok() || errno_of(records) == ENOENT ? content : records;
}

Status ObjectFile::write(const EntryRecord& entry, const ObjectText& object, Bytes content) {
  {
    const MutexLock lock(file_mutex_);
    if (!exists_) {
      FOREBAY_RETURN_IF_ERROR(create(object));
      exists_ = true;
    }
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, open(true));
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> records, open_records(true));
  const Bytes content_part[] = {content};
  FOREBAY_RETURN_IF_ERROR(file->write(WritePoint::kWriteChunk, content_of(entry).begin_bytes, content_part));
  const uint64_t chunk = entry.key.start_bytes / kChunkBytes;
  const std::string record =
      encode_record(header_.object, chunk, {.crc = crc32c(content), .expires_s = entry.expires_s});
  const Bytes record_part[] = {bytes_of(record)};
  return records->write(WritePoint::kWriteRecord, header_.record_offset(chunk), record_part);
}

Result<bool> ObjectFile::check(const EntryRecord& entry, const ObjectText& object) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> content, open(false));
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> records, open_records(false));
  const std::string expected = std::string(object.uri) + std::string(object.version);
  if (object.uri.size() != header_.uri_bytes || object.version.size() != header_.version_bytes) {
    return false;
  }
  std::string text(expected.size(), '\0');
  FOREBAY_RETURN_IF_ERROR(records->read(kObjectHeaderBytes, std::as_writable_bytes(std::span(text))));
  std::array<std::byte, kRecordBytes> bytes;
  const uint64_t chunk = entry.key.start_bytes / kChunkBytes;
  FOREBAY_RETURN_IF_ERROR(records->read(header_.record_offset(chunk), bytes));
  const std::optional<ChunkRecord> record = parse_record(bytes, header_.object, chunk);
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t crc, crc_of(*content, content_of(entry)));
  return text == expected && record && record->crc == crc;
}

Result<std::optional<ObjectNames>> ObjectFile::names_of(const EntryRecord& entry) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> records, open_records(false));
  return read_names(*records, kObjectHeaderBytes, header_.uri_bytes, header_.version_bytes, entry.key.object);
}

Status ObjectFile::remove() {
  const MutexLock lock(file_mutex_);
  return exists_ ? remove_both() : ok_status();
}

Status ObjectFile::clear_record(uint64_t chunk) {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> records, open_records(true));
  static constexpr std::array<std::byte, kRecordBytes> kNone{};
  const Bytes parts[] = {kNone};
  return records->write(WritePoint::kClearRecord, header_.record_offset(chunk), parts);
}

Status ObjectFile::punch(uint64_t start_bytes) {
  const Status cleared = clear_record(start_bytes / kChunkBytes);
  if (!cleared.ok() && errno_of(cleared) != ENOENT) {  // if the file has gone, so has the record
    return cleared;
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> content, open(true));
  return content->punch(WritePoint::kPunchChunk, blocks_of(header_, start_bytes, start_bytes + kChunkBytes));
}

}  // namespace forebay::cache
