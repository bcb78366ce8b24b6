// A writer that gives the daemon what it writes, and tells it when the object is in place.
#pragma once

#include <functional>
#include <memory>

#include "forebay/cache/client/host_draft.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// What became of a write, and the draft of its bytes; 0: the daemon has none.
using TellWritten = std::function<void(const Result<storage::ObjectStat>& stat, uint64_t draft)>;

std::unique_ptr<storage::ObjectWriter> make_telling_writer(std::unique_ptr<storage::ObjectWriter> inner,
                                                           std::shared_ptr<HostDraft> draft,
                                                           TellWritten tell);

/// One write of much: its bytes go to the daemon while `inner` writes them.
void write_and_tell(storage::ObjectStore& inner, std::shared_ptr<HostDraft> draft, std::string key,
                    Bytes content, storage::WriteOptions options, const storage::CallContext& context,
                    TellWritten tell, storage::StatCallback done);

}  // namespace forebay::cache
