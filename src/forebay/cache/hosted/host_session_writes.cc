// What a process writes past the daemon, and tells it of.
#include <utility>

#include "forebay/cache/hosted/host_session.h"
#include "forebay/cache/messages/shared_memory.h"

namespace forebay::cache {

using storage::ReadBytes;

// The content, if it comes with the message or was given before, is kept where it is.
Status HostSession::take_changed(net::LocalMessage message) {
  FOREBAY_ASSIGN_OR_RETURN(ChangedObject changed, decode<ChangedObject>(message.bytes));
  ReadBytes content;
  if (changed.stat && !message.descriptors.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(content,
                             open_sealed(std::move(message.descriptors.front()), changed.stat->size_bytes));
  } else if (changed.stat && changed.draft != 0) {
    Result<ReadBytes> draft = drafts_.finish(changed.draft, changed.stat->size_bytes);
    content = draft.ok() ? *std::move(draft) : ReadBytes();
  }
  const Result<CachedAddress> address = find(changed.store, changed.uri);
  if (address.ok()) {
    if (changed.stat) {
      changed.stat->key = address->key;
    }
    address->store->note_changed(address->key, changed.stat, std::move(content));
  }
  return ok_status();
}

Status HostSession::take_draft_part(uint64_t number, net::LocalMessage message) {
  FOREBAY_ASSIGN_OR_RETURN(const DraftPart part, decode<DraftPart>(message.bytes));
  if (message.descriptors.empty()) {
    return invalid_argument("a part of a draft without its bytes");
  }
  FOREBAY_ASSIGN_OR_RETURN(ReadBytes content,
                           open_sealed(std::move(message.descriptors.front()), part.length_bytes));
  const Result<CachedAddress> address = find(part.store, part.uri);
  if (!address.ok()) {
    answer(number, encode_answer(number, address.status()));
    return ok_status();
  }
  drafts_.add(*address, part, std::move(content), [self = shared_from_this(), number](const Status& status) {
    self->answer(number, status.ok() ? encode_answer(number, std::string()) : encode_answer(number, status));
  });
  return ok_status();
}

}  // namespace forebay::cache
