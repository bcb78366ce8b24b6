#include "forebay/cache/journal/journal_entry.h"

#include <algorithm>
#include <utility>

#include "forebay/base/crc32c.h"

namespace forebay::cache {

std::string JournalEntry::version_of_journal(uint64_t id) {
  return fmt::format("journal-{:016x}", id);
}

storage::ObjectStat JournalEntry::stat(std::string key) const {
  return {.key = std::move(key),
          .size_bytes = size_bytes(),
          .modified_ns = facts_.footer.written_ns,
          .version = version()};
}

Status JournalEntry::check_chunk(const File& file, uint64_t chunk) {
  const uint64_t begin = chunk * kJournalChunkBytes;
  std::vector<std::byte> bytes(std::min(kJournalChunkBytes, size_bytes() - begin));
  FOREBAY_RETURN_IF_ERROR(file.read(facts_.header.file_bytes() + begin, bytes));
  if (crc32c(bytes) != facts_.footer.chunk_crcs[chunk]) {
    return data_loss("{}: the bytes {} to {} of {}, which waited to be stored, are damaged", path_, begin,
                     begin + bytes.size(), uri());
  }
  is_checked_[chunk] = true;
  return ok_status();
}

/// Compares what was not compared before.
Status JournalEntry::check(uint64_t first_chunk, uint64_t last_chunk) {
  is_checked_.resize(facts_.footer.chunk_crcs.size());
  std::unique_ptr<File> file;
  for (uint64_t chunk = first_chunk; chunk <= last_chunk; ++chunk) {
    if (is_checked_[chunk]) {
      continue;
    }
    if (!file) {
      FOREBAY_ASSIGN_OR_RETURN(file, files_->open(path_, /*for_writing=*/false));
    }
    FOREBAY_RETURN_IF_ERROR(check_chunk(*file, chunk));
  }
  return ok_status();
}

Result<storage::ReadBytes> JournalEntry::view(uint64_t offset_bytes, uint64_t length_bytes) {
  storage::ReadBytes view = {.version = version()};
  if (length_bytes == 0) {
    return view;
  }
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(
      check(offset_bytes / kJournalChunkBytes, (offset_bytes + length_bytes - 1) / kJournalChunkBytes));
  std::shared_ptr<const Mapping> mapping = mapping_.lock();
  if (!mapping) {
    FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, files_->open(path_, /*for_writing=*/false));
    FOREBAY_ASSIGN_OR_RETURN(mapping,
                             file->map(facts_.header.file_bytes() + size_bytes() + kJournalZerosBehind, 0));
    mapping_ = mapping;
  }
  view.bytes = mapping->bytes().subspan(facts_.header.file_bytes() + offset_bytes, length_bytes);
  view.readable_behind = size_bytes() - offset_bytes - length_bytes + kJournalZerosBehind;
  view.owner = std::move(mapping);
  return view;
}

}  // namespace forebay::cache
