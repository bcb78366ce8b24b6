// Parts go one after the other, each once the daemon has the one before.
#include "forebay/cache/client/host_draft.h"

#include <algorithm>
#include <utility>

namespace forebay::cache {
namespace {

// What one message gives: so much is in memory twice at a time.
constexpr size_t kMaxPartBytes = size_t{8} << 20;

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
  const Bytes first = part.first(std::min(part.size(), kMaxPartBytes));
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

}  // namespace forebay::cache
