// The files of whole objects that others are given: while their views live, no entry in them is a victim; and
// as long as somebody may look at one, no part of it changes.
#include <utility>

#include "forebay/cache/core/cache_core.h"

namespace forebay::cache {

/// Keeps all of a file's object in the cache.
class HeldFile {
 public:
  HeldFile(std::shared_ptr<CacheCore> core, std::shared_ptr<EntryFile> file,
           std::shared_ptr<const void> lease)
      : lease_(std::move(lease)), core_(std::move(core)), file_(std::move(file)) {
    core_->hold_file(static_cast<ObjectFile&>(*file_), 1);
  }
  ~HeldFile() {
    if (core_->is_alive()) {
      core_->hold_file(static_cast<ObjectFile&>(*file_), -1);
    }
  }
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

 private:
  const std::shared_ptr<const void> lease_;  // ends last
  const std::shared_ptr<CacheCore> core_;
  const std::shared_ptr<EntryFile> file_;
};

void CacheCore::add_file(const ObjectVersion& object, storage::ReadBytes* whole) {
  std::shared_ptr<EntryFile> file;
  {
    const MutexLock lock(mutex_);
    const ObjectFile* const known = space_.object_file(object.id);
    const std::optional<EntrySlot> first = table_.find({object.id, 0});
    if (known == nullptr || known->size_bytes() != whole->size_bytes() || !first ||
        table_[*first].file == kNoFile) {
      return;
    }
    file = space_.file(table_[*first].file);
    if (file.get() != known) {
      return;
    }
  }
  Result<FileDescriptor> given = static_cast<ObjectFile&>(*file).hand_out(object.text());
  if (given.ok()) {
    whole->file = std::make_shared<const FileDescriptor>(*std::move(given));
    whole->owner = std::make_shared<HeldFile>(shared_from_this(), std::move(file), std::move(whole->owner));
  }
}

/// The policy hears of it as of a pin. Reads of the file are seen by nobody here, and what went would give no
/// space back.
void CacheCore::hold_file(ObjectFile& file, int change) {
  const MutexLock lock(mutex_);
  const bool was_held = file.holders > 0;
  file.holders += change;
  if (was_held == (file.holders > 0)) {
    return;
  }
  for (uint64_t start = 0; start < file.size_bytes(); start += kChunkBytes) {
    const std::optional<EntrySlot> slot = entry_in(file, start);
    if (slot && table_[*slot].is_in_policy) {
      policy_.retention_changed(*slot, retention_of(*slot));
    }
  }
}

/// As the policy knows it.
Retention CacheCore::retention_of(EntrySlot slot) const {
  const Entry& entry = table_[slot];
  const bool is_unruled = slot < unruled_.size() && unruled_[slot];
  const bool is_held = entry.file != kNoFile && entry.place == 0 &&
                       static_cast<const ObjectFile&>(*space_.file(entry.file)).holders > 0;
  return {entry.priority, entry.is_pinned || is_unruled || is_held, entry.expires_s};
}

/// The chunk that begins there, if the file has it.
std::optional<EntrySlot> CacheCore::entry_in(const ObjectFile& file, uint64_t start_bytes) const {
  const std::optional<EntrySlot> slot = table_.find({file.object(), start_bytes});
  const bool is_here =
      slot && table_[*slot].file != kNoFile && space_.file(table_[*slot].file).get() == &file;
  return is_here ? slot : std::nullopt;
}

/// Whether a chunk has to stay, since somebody may look at its file; then all the others go, and the file.
bool CacheCore::must_stay(const SpaceFreed& freed) {
  if (!freed.is_chunk || freed.is_last) {
    return false;
  }
  ObjectFile& file = static_cast<ObjectFile&>(*freed.file);
  if (!file.is_going && file.may_be_looked_at()) {
    file.is_going = true;
    doom_rest(file);
  }
  return file.is_going;
}

void CacheCore::doom_rest(ObjectFile& file) {
  for (uint64_t start = 0; start < file.size_bytes(); start += kChunkBytes) {
    if (const std::optional<EntrySlot> slot = entry_in(file, start)) {
      evict(*slot);
    }
  }
}

}  // namespace forebay::cache
