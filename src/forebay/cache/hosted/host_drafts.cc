#include "forebay/cache/hosted/host_drafts.h"

#include <algorithm>
#include <utility>

namespace forebay::cache {
namespace {

Status no_room() {
  return resource_exhausted("there is no room for what is written");
}

}  // namespace

Result<std::shared_ptr<HostDrafts::Kept>> HostDrafts::find_or_begin(const CachedAddress& address,
                                                                    uint64_t draft) {
  const MutexLock lock(mutex_);
  if (const auto found = drafts_.find(draft); found != drafts_.end()) {
    return found->second;
  }
  if (drafts_.size() >= kMaxDrafts) {
    return resource_exhausted("one process writes {} objects", drafts_.size());
  }
  auto kept = std::make_shared<Kept>();
  {
    const MutexLock own(kept->mutex);
    kept->draft = address.store->draft_of(address.key);
  }
  drafts_.emplace(draft, kept);
  return kept;
}

void HostDrafts::add(const CachedAddress& address, const DraftPart& part, storage::ReadBytes content,
                     std::function<void(const Status&)> done) {
  const Result<std::shared_ptr<Kept>> kept = find_or_begin(address, part.draft);
  if (!kept.ok()) {
    done(kept.status());
    return;
  }
  address.store->do_later(
      [kept = *kept, offset_bytes = part.offset_bytes, content = std::move(content), done = std::move(done)] {
        bool is_kept = false;
        {
          const MutexLock lock(kept->mutex);
          is_kept = kept->draft && kept->draft->write(offset_bytes, content.bytes);
        }
        done(is_kept ? ok_status() : no_room());
      });
}

std::shared_ptr<HostDrafts::Kept> HostDrafts::take(uint64_t draft) {
  const MutexLock lock(mutex_);
  const auto found = drafts_.find(draft);
  if (found == drafts_.end()) {
    return nullptr;
  }
  std::shared_ptr<Kept> kept = std::move(found->second);
  drafts_.erase(found);
  return kept;
}

Result<storage::ReadBytes> HostDrafts::finish(uint64_t draft, uint64_t size_bytes) {
  const std::shared_ptr<Kept> kept = take(draft);
  if (!kept) {
    return failed_precondition("nothing was given of what was written");
  }
  const MutexLock lock(kept->mutex);
  return kept->draft ? kept->draft->finish(size_bytes) : no_room();
}

void HostDrafts::drop(uint64_t draft) {
  take(draft);
}

void HostDrafts::drop_all() {
  std::unordered_map<uint64_t, std::shared_ptr<Kept>> drafts;
  const MutexLock lock(mutex_);
  drafts.swap(drafts_);
}

}  // namespace forebay::cache
