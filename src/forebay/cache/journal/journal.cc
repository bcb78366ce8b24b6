#include "forebay/cache/journal/journal.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <random>
#include <utility>

#include "forebay/base/crc32c.h"
#include "forebay/base/log/log.h"
#include "forebay/cache/disk/word_codec.h"

namespace forebay::cache {
namespace {

constexpr std::string_view kEntryEnding = ".entry";
constexpr std::string_view kOutcomeEnding = ".outcome";
constexpr std::string_view kUnfinishedEnding = ".new";
constexpr uint64_t kMaxOutcomeFileBytes = kMaxJournalNameBytes + 64;

uint64_t random_id() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

std::string name_in(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

JournalDraft::~JournalDraft() {
  if (!is_committed_) {
    journal_->files_->remove(WritePoint::kRemoveJournalFile, path_).IgnoreError();  // open() removes it, too
  }
}

void JournalDraft::add_to_checksums(Bytes part) {
  while (!part.empty()) {
    const uint64_t in_chunk = size_bytes_ % kJournalChunkBytes;
    const Bytes now = part.first(std::min<uint64_t>(part.size(), kJournalChunkBytes - in_chunk));
    if (in_chunk == 0) {
      chunk_crcs_.push_back(0);
    }
    chunk_crcs_.back() = crc32c(now, chunk_crcs_.back());
    size_bytes_ += now.size();
    part = part.subspan(now.size());
  }
}

Status JournalDraft::append(Bytes part) {
  if (part.size() > kMaxJournalContentBytes - size_bytes_) {
    return resource_exhausted("{}: larger than an object may be", header_.uri);
  }
  const std::array<Bytes, 1> parts = {part};
  FOREBAY_RETURN_IF_ERROR(
      file_->write(WritePoint::kWriteJournalFile, header_.file_bytes() + size_bytes_, parts));
  add_to_checksums(part);
  return ok_status();
}

Result<std::vector<std::byte>> JournalDraft::read_chunk(uint64_t offset_bytes) const {
  std::vector<std::byte> chunk(std::min(kJournalChunkBytes, size_bytes_ - offset_bytes));
  FOREBAY_RETURN_IF_ERROR(file_->read(header_.file_bytes() + offset_bytes, chunk));
  if (crc32c(chunk) != chunk_crcs_[offset_bytes / kJournalChunkBytes]) {
    return data_loss("{}: what was written of {} is damaged", path_, header_.uri);
  }
  return chunk;
}

Result<std::shared_ptr<Journal>> Journal::open(std::string folder, std::shared_ptr<FileSystem> files) {
  FOREBAY_RETURN_IF_ERROR(files->make_directory(folder));
  FOREBAY_RETURN_IF_ERROR(files->make_directory(folder + "/damaged"));
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<OwnedDirectory> owned, files->own(folder));
  const std::string parent = std::filesystem::path(folder).parent_path().string();
  FOREBAY_RETURN_IF_ERROR(files->sync_directory(WritePoint::kSyncJournalFolder, parent));
  std::shared_ptr<Journal> journal(new Journal(std::move(folder), std::move(files), std::move(owned)));
  FOREBAY_RETURN_IF_ERROR(journal->recover());
  return journal;
}

std::string Journal::path_of(uint64_t id, std::string_view ending) const {
  return fmt::format("{}/{:016x}{}", folder_, id, ending);
}

Status Journal::recover() {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> names, files_->list(folder_));
  for (const std::string& name : names) {
    if (name.ends_with(kUnfinishedEnding)) {
      FOREBAY_RETURN_IF_ERROR(files_->remove(WritePoint::kRemoveJournalFile, folder_ + "/" + name));
    } else if (name.ends_with(kEntryEnding)) {
      FOREBAY_RETURN_IF_ERROR(recover_entry(name));
    } else if (name.ends_with(kOutcomeEnding)) {
      FOREBAY_RETURN_IF_ERROR(recover_outcome(name));
    }
  }
  std::ranges::sort(left_.entries, {}, [](const JournalEntryRef& entry) {
    return std::pair(entry->facts().footer.sequence, entry->id());
  });
  if (!left_.entries.empty()) {
    last_sequence_ = left_.entries.back()->facts().footer.sequence;
  }
  return ok_status();
}

// An error of the disk is returned, for the file may be whole. What was read and is damaged goes aside.
Status Journal::recover_entry(const std::string& name) {
  const std::string path = folder_ + "/" + name;
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, files_->open(path, /*for_writing=*/false));
  Result<JournalFacts> facts = read_journal_facts(*file);
  if (facts.ok() && path != path_of(facts->header.id, kEntryEnding)) {
    facts = data_loss("it has the name of another file");
  }
  if (facts.ok()) {
    left_.entries.push_back(std::make_shared<JournalEntry>(*std::move(facts), files_, path));
    return ok_status();
  }
  if (facts.status().code() != StatusCode::kDataLoss) {
    return facts.status();
  }
  const Result<JournalHeader> header = read_journal_header(*file);
  JournalDamage damage = {.file = aside(name),
                          .uri = header.ok() ? header->uri : "",
                          .why = std::string(message(facts.status()))};
  log_warning("what was to be stored as {} is damaged and was put aside as {}: {}",
              damage.uri.empty() ? "an object of unknown name" : damage.uri, damage.file, damage.why);
  left_.damaged.push_back(std::move(damage));
  return ok_status();
}

// Without it, what follows is compared with the object that is there.
Status Journal::recover_outcome(const std::string& name) {
  const std::string path = folder_ + "/" + name;
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, files_->open(path, /*for_writing=*/false));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t size, file->size_bytes());
  std::string bytes(std::min(size, kMaxOutcomeFileBytes + 1), '\0');
  FOREBAY_RETURN_IF_ERROR(file->read(0, std::as_writable_bytes(std::span(bytes))));
  Result<JournalOutcome> outcome = parse_journal_outcome(bytes_of(bytes));
  if (outcome.ok() && path == path_of(outcome->id, kOutcomeEnding)) {
    left_.outcomes.emplace(outcome->id, std::move(outcome->version));
  } else {
    log_warning("{} is damaged and was put aside", aside(name));
  }
  return ok_status();
}

/// Moves a file to the folder of damaged ones, and says where it lies now: here, if that fails.
std::string Journal::aside(const std::string& name) {
  const std::string from = folder_ + "/" + name;
  const std::string to = folder_ + "/damaged/" + name;
  const Status moved = files_->rename(WritePoint::kNameJournalFile, from, to);
  return moved.ok() ? to : from;
}

JournalLeft Journal::take_left() {
  return std::exchange(left_, {});
}

Result<std::unique_ptr<JournalDraft>> Journal::begin(const std::string& uri, const std::string& mount) {
  if (uri.size() > kMaxJournalNameBytes || mount.size() > kMaxJournalNameBytes) {
    return invalid_argument("a name of {} bytes; the journal takes {}", std::max(uri.size(), mount.size()),
                            kMaxJournalNameBytes);
  }
  JournalHeader header = {.id = random_id(), .uri = uri, .mount = mount};
  const std::string path = path_of(header.id, kUnfinishedEnding);
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<File> file,
                           files_->create(WritePoint::kCreateJournalFile, path, 0));
  std::unique_ptr<JournalDraft> draft(
      new JournalDraft(shared_from_this(), std::move(header), path, std::move(file)));
  const std::string begin = encode_journal_header(draft->header_);
  const std::array<Bytes, 1> parts = {bytes_of(begin)};
  FOREBAY_RETURN_IF_ERROR(draft->file_->write(WritePoint::kWriteJournalFile, 0, parts));
  return draft;
}

// The file is durable before it gets its name, and the name before this returns. A name that may not be
// durable is taken back: the caller will write the object by other means. Should it come back after a loss
// of power, the object that is there then has other bytes or the same, and neither is overwritten.
Result<JournalEntryRef> Journal::commit(JournalDraft& draft, JournalCondition condition, int64_t written_ns) {
  JournalFacts facts = {.header = draft.header_,
                        .footer = {.id = draft.header_.id,
                                   .sequence = ++last_sequence_,
                                   .content_bytes = draft.size_bytes_,
                                   .written_ns = written_ns,
                                   .condition = std::move(condition),
                                   .chunk_crcs = draft.chunk_crcs_}};
  const std::string footer = encode_journal_footer(facts.footer);
  const std::array<Bytes, 1> parts = {bytes_of(footer)};
  FOREBAY_RETURN_IF_ERROR(draft.file_->write(WritePoint::kWriteJournalFile,
                                             facts.header.file_bytes() + draft.size_bytes_, parts));
  FOREBAY_RETURN_IF_ERROR(draft.file_->sync(WritePoint::kSyncJournalFile));
  const std::string path = path_of(facts.header.id, kEntryEnding);
  FOREBAY_RETURN_IF_ERROR(files_->rename(WritePoint::kNameJournalFile, draft.path_, path));
  const Status durable = files_->sync_directory(WritePoint::kSyncJournalFolder, folder_);
  if (!durable.ok()) {
    files_->rename(WritePoint::kNameJournalFile, path, draft.path_).IgnoreError();
    return durable;
  }
  draft.is_committed_ = true;
  return std::make_shared<JournalEntry>(std::move(facts), files_, path);
}

Status Journal::keep_outcome(const JournalOutcome& outcome) {
  const std::string path = path_of(outcome.id, kOutcomeEnding);
  const std::string unfinished = path + std::string(kUnfinishedEnding);
  files_->remove(WritePoint::kRemoveJournalFile, unfinished).IgnoreError();  // of an attempt that failed
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                           files_->create(WritePoint::kCreateJournalFile, unfinished, 0));
  const std::string bytes = encode_journal_outcome(outcome);
  const std::array<Bytes, 1> parts = {bytes_of(bytes)};
  FOREBAY_RETURN_IF_ERROR(file->write(WritePoint::kWriteJournalFile, 0, parts));
  FOREBAY_RETURN_IF_ERROR(file->sync(WritePoint::kSyncJournalFile));
  FOREBAY_RETURN_IF_ERROR(files_->rename(WritePoint::kNameJournalFile, unfinished, path));
  return files_->sync_directory(WritePoint::kSyncJournalFolder, folder_);
}

void Journal::forget_outcome(uint64_t id) {
  files_->remove(WritePoint::kRemoveJournalFile, path_of(id, kOutcomeEnding)).IgnoreError();
}

// One that nothing follows may come back after a loss of power: its store has the same bytes. What is written
// after it makes its removal durable, too.
Status Journal::remove(const JournalEntry& entry, bool is_followed) {
  FOREBAY_RETURN_IF_ERROR(files_->remove(WritePoint::kRemoveJournalFile, entry.path()));
  return is_followed ? files_->sync_directory(WritePoint::kSyncJournalFolder, folder_) : ok_status();
}

JournalDamage Journal::set_aside(const JournalEntry& entry, std::string why) {
  JournalDamage damage = {.file = aside(name_in(entry.path())), .uri = entry.uri(), .why = std::move(why)};
  log_warning("what was to be stored as {} is damaged and was put aside as {}: {}", damage.uri, damage.file,
              damage.why);
  return damage;
}

namespace {

struct NamedEntry {
  JournalHeader header;
  uint64_t file_bytes = 0;
};

/// The files of entries; none where there is no journal.
Result<std::vector<std::string>> entry_files(const FileSystem& files, const std::string& folder) {
  Result<std::vector<std::string>> names = files.list(folder);
  if (names.status().code() == StatusCode::kNotFound) {
    return std::vector<std::string>();
  }
  if (names.ok()) {
    std::erase_if(*names, [](const std::string& name) { return !name.ends_with(kEntryEnding); });
  }
  return names;
}

/// Nothing if it was stored meanwhile, or is damaged.
Result<std::optional<NamedEntry>> name_of_entry(const FileSystem& files, const std::string& path) {
  const Result<std::unique_ptr<File>> file = files.open(path, /*for_writing=*/false);
  if (file.status().code() == StatusCode::kNotFound) {
    return std::nullopt;
  }
  FOREBAY_RETURN_IF_ERROR(file.status());
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t size, (*file)->size_bytes());
  Result<JournalHeader> header = read_journal_header(**file);
  if (!header.ok()) {
    return std::nullopt;
  }
  return NamedEntry{*std::move(header), size};
}

}  // namespace

Result<std::vector<JournalWaiting>> list_journal(const FileSystem& files, const std::string& folder) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> names, entry_files(files, folder));
  std::vector<JournalWaiting> waiting;
  for (const std::string& name : names) {
    FOREBAY_ASSIGN_OR_RETURN(std::optional<NamedEntry> entry, name_of_entry(files, folder + "/" + name));
    if (entry) {
      waiting.push_back({.uri = std::move(entry->header.uri),
                         .mount = std::move(entry->header.mount),
                         .file_bytes = entry->file_bytes});
    }
  }
  return waiting;
}

Status update_waiting(const FileSystem& files, const std::string& folder,
                      std::unordered_map<std::string, std::string>* uris) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> names, entry_files(files, folder));
  std::unordered_map<std::string, std::string> now;
  for (const std::string& name : names) {
    if (const auto known = uris->find(name); known != uris->end()) {
      now.insert(*known);
      continue;
    }
    FOREBAY_ASSIGN_OR_RETURN(std::optional<NamedEntry> entry, name_of_entry(files, folder + "/" + name));
    if (entry) {
      now.emplace(name, std::move(entry->header.uri));
    }
  }
  uris->swap(now);
  return ok_status();
}

std::string journal_folder(const std::string& home) {
  return home + "/journal";
}

}  // namespace forebay::cache
