#include "forebay/cache/host/host_drafts.h"

#include <algorithm>
#include <utility>

namespace forebay::cache {
namespace {

// What one message gives: so much is in memory twice at a time.
constexpr size_t kMostPartBytes = size_t{8} << 20;

Status no_room() {
  return resource_exhausted("there is no room for what is written");
}

}  // namespace

HostDraft::HostDraft(StoreAtHost::Place host, std::string uri)
    : host_(std::move(host)),
      uri_(std::move(uri)),
      number_(host_.client ? host_.client->next_number() : 0),
      is_kept_(host_.client != nullptr) {
}

HostDraft::~HostDraft() {
  const MutexLock lock(mutex_);
  if (host_.client && end_bytes_ > 0 && !is_named_) {
    host_.client->end_draft(number_);
  }
}

void HostDraft::append(Bytes part, const storage::CallContext& context, Done done) {
  uint64_t offset_bytes = 0;
  {
    const MutexLock lock(mutex_);
    offset_bytes = std::exchange(end_bytes_, end_bytes_ + part.size());
  }
  give(offset_bytes, part, context, std::move(done));
}

void HostDraft::give(uint64_t offset_bytes, Bytes part, const storage::CallContext& context, Done done) {
  bool is_over = part.empty();
  {
    const MutexLock lock(mutex_);
    is_over = is_over || !is_kept_;
  }
  if (is_over) {
    done();
    return;
  }
  const Bytes first = part.first(std::min(part.size(), kMostPartBytes));
  const DraftPart message = {.store = host_.store,
                             .uri = uri_,
                             .draft = number_,
                             .offset_bytes = offset_bytes,
                             .length_bytes = first.size()};
  host_.client->give_part(message, first, context,
                          [self = shared_from_this(), offset_bytes, part, context, given = first.size(),
                           done = std::move(done)](const Status& status) mutable {
                            if (!status.ok()) {
                              const MutexLock lock(self->mutex_);
                              self->is_kept_ = false;
                            }
                            self->give(offset_bytes + given, part.subspan(given), context, std::move(done));
                          });
}

uint64_t HostDraft::finish() {
  const MutexLock lock(mutex_);
  is_named_ = is_kept_ && end_bytes_ > 0;
  return is_named_ ? number_ : 0;
}

Result<std::shared_ptr<HostDrafts::Kept>> HostDrafts::find_or_begin(const CachedAddress& address,
                                                                    uint64_t draft) {
  const MutexLock lock(mutex_);
  if (const auto found = drafts_.find(draft); found != drafts_.end()) {
    return found->second;
  }
  if (drafts_.size() >= kMostDrafts) {
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
