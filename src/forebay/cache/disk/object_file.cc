#include "forebay/cache/disk/object_file.h"

#include <algorithm>
#include <array>
#include <span>

#include "forebay/base/crc32c.h"
#include "forebay/cache/cache_options.h"
#include "forebay/cache/disk/word_codec.h"

namespace forebay::cache {
namespace {

Extent chunk_extent(const ObjectHeader& header, uint64_t start_bytes) {
  const uint64_t begin = header.content_offset() + start_bytes;
  return {begin, begin + std::min(kChunkBytes, header.size_bytes - start_bytes)};
}

/// The chunks that records name, for a file of any number of them.
Result<std::vector<ObjectContents::Chunk>> read_records(const File& file, const ObjectHeader& header) {
  constexpr uint64_t kRecordsAtOnce = 4096;
  std::vector<ObjectContents::Chunk> chunks;
  std::vector<std::byte> records;
  for (uint64_t first = 0; first < header.chunks(); first += kRecordsAtOnce) {
    const uint64_t count = std::min(kRecordsAtOnce, header.chunks() - first);
    records.resize(count * kRecordBytes);
    FOREBAY_RETURN_IF_ERROR(file.read(header.records_offset() + first * kRecordBytes, records));
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
Status punch_unnamed(File& file, const ObjectContents& contents) {
  const ObjectHeader& header = contents.header;
  uint64_t next = 0;
  for (size_t i = 0; i <= contents.chunks.size(); ++i) {
    const uint64_t chunk = i < contents.chunks.size() ? contents.chunks[i].number : header.chunks();
    if (next < chunk) {
      const Extent gap = {header.content_offset() + next * kChunkBytes,
                          std::min(header.content_offset() + chunk * kChunkBytes, header.file_bytes())};
      FOREBAY_RETURN_IF_ERROR(file.punch(WritePoint::kPunchChunk, gap));
    }
    next = chunk + 1;
  }
  return ok_status();
}

}  // namespace

Result<ObjectContents> read_object_file(File& file, bool may_punch) {
  std::array<std::byte, kObjectHeaderBytes> bytes;
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t size_bytes, file.size_bytes());
  if (size_bytes < bytes.size()) {
    return data_loss("too short for an object's file");
  }
  FOREBAY_RETURN_IF_ERROR(file.read(0, bytes));
  const std::optional<ObjectHeader> header = parse_object_header(bytes);
  if (!header || header->file_bytes() != size_bytes) {
    return data_loss("not an object's file");
  }
  ObjectContents contents = {*header, {}};
  FOREBAY_ASSIGN_OR_RETURN(contents.chunks, read_records(file, *header));
  // On a disk that cannot be written to, the space stays taken.
  if (may_punch) {
    punch_unnamed(file, contents).IgnoreError();
  }
  return contents;
}

ObjectFile::ObjectFile(std::shared_ptr<FileSystem> files, std::string path, uint32_t directory,
                       const ObjectHeader& header, bool exists)
    : EntryFile(std::move(files), std::move(path), directory, exists), header_(header), exists_(exists) {
}

Extent ObjectFile::content_of(const EntryRecord& entry) const {
  return chunk_extent(header_, entry.key.start_bytes);
}

/// Behind a chunk lies the next one, which may come and go.
uint64_t ObjectFile::readable_behind(const EntryRecord& entry) const {
  return entry.key.start_bytes + entry.length_bytes == header_.size_bytes ? kZerosBehind : 0;
}

Status ObjectFile::create(const ObjectText& object) {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                           files().create(WritePoint::kCreateObject, path(), header_.file_bytes()));
  ObjectHeader header = header_;
  header.text_crc = crc32c(bytes_of(object.version), crc32c(bytes_of(object.uri)));
  const std::string bytes = encode_object_header(header);
  const Bytes parts[] = {bytes_of(bytes), bytes_of(object.uri), bytes_of(object.version)};
  Status status = file->write(WritePoint::kCreateObject, 0, parts);
  if (!status.ok()) {
    [[maybe_unused]] const Status removed = files().remove(WritePoint::kRemoveObject, path());
  }
  return status;
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
  const Bytes content_part[] = {content};
  FOREBAY_RETURN_IF_ERROR(file->write(WritePoint::kWriteChunk, content_of(entry).begin_bytes, content_part));
  const uint64_t chunk = entry.key.start_bytes / kChunkBytes;
  const std::string record =
      encode_record(header_.object, chunk, {.crc = crc32c(content), .expires_s = entry.expires_s});
  const Bytes record_part[] = {bytes_of(record)};
  return file->write(WritePoint::kWriteRecord, header_.records_offset() + chunk * kRecordBytes, record_part);
}

Result<bool> ObjectFile::check(const EntryRecord& entry, const ObjectText& object) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, open(false));
  const std::string expected = std::string(object.uri) + std::string(object.version);
  if (object.uri.size() != header_.uri_bytes || object.version.size() != header_.version_bytes) {
    return false;
  }
  std::string text(expected.size(), '\0');
  FOREBAY_RETURN_IF_ERROR(file->read(kObjectHeaderBytes, std::as_writable_bytes(std::span(text))));
  std::array<std::byte, kRecordBytes> bytes;
  const uint64_t chunk = entry.key.start_bytes / kChunkBytes;
  FOREBAY_RETURN_IF_ERROR(file->read(header_.records_offset() + chunk * kRecordBytes, bytes));
  const std::optional<ChunkRecord> record = parse_record(bytes, header_.object, chunk);
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t crc, crc_of(*file, content_of(entry)));
  return text == expected && record && record->crc == crc;
}

Result<std::optional<ObjectNames>> ObjectFile::names_of(const EntryRecord& entry) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, open(false));
  return read_names(*file, kObjectHeaderBytes, header_.uri_bytes, header_.version_bytes, entry.key.object);
}

Status ObjectFile::remove() {
  const MutexLock lock(file_mutex_);
  return exists_ ? files().remove(WritePoint::kRemoveObject, path()) : ok_status();
}

Status ObjectFile::punch(uint64_t start_bytes) {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, open(true));
  static constexpr std::array<std::byte, kRecordBytes> kNone{};
  const Bytes parts[] = {kNone};
  FOREBAY_RETURN_IF_ERROR(file->write(
      WritePoint::kClearRecord, header_.records_offset() + start_bytes / kChunkBytes * kRecordBytes, parts));
  return file->punch(WritePoint::kPunchChunk, chunk_extent(header_, start_bytes));
}

}  // namespace forebay::cache
