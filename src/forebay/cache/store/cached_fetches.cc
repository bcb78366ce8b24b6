// The half of CachedReads that goes upstream: what is read for a range, and by which flights.
#include <algorithm>
#include <utility>

#include "forebay/cache/entries/object_name.h"
#include "forebay/cache/store/cached_reads.h"
#include "forebay/cache/store/gather.h"

namespace forebay::cache {

using storage::CallContext;
using storage::kToEnd;
using storage::ReadBytes;

namespace {

/// The chunks around a range of an object.
std::vector<WantedPart> chunks_around(ByteRange range, uint64_t object_bytes) {
  std::vector<WantedPart> parts;
  const uint64_t end = range.end_bytes();
  for (uint64_t at = range.offset_bytes; at < end;) {
    const uint64_t start = at / kChunkBytes * kChunkBytes;
    const uint64_t stop = std::min(start + kChunkBytes, end);
    parts.push_back({.wanted = {at, stop - at},
                     .fetched = {start, std::min(kChunkBytes, object_bytes - start)},
                     .is_chunk = true});
    at = stop;
  }
  return parts;
}

}  // namespace

/// Chooses what is read upstream for a range: the whole of a small object, a short range that names a version
/// (the sample of an index) as it is unless it is a chunk, the chunks around others. A short range as it is,
/// too, while nothing can be kept.
std::vector<WantedPart> CachedReads::parts_to_fetch(const Call& call, const Wanted& wanted,
                                                    ByteRange range) const {
  if (range.length_bytes == 0) {
    return {};
  }
  if (!wanted.object_bytes) {
    return {{.wanted = range, .fetched = range}};
  }
  const uint64_t object_bytes = *wanted.object_bytes;
  const bool is_small = object_bytes <= kChunkBytes;
  const bool is_chunk = range.offset_bytes % kChunkBytes == 0 &&
                        range.end_bytes() == std::min(range.offset_bytes + kChunkBytes, object_bytes);
  const bool is_sample = !is_small && !is_chunk && call.attempts_left == 0;
  if (range.length_bytes <= kChunkBytes &&
      (is_sample || !cache_->core()->may_keep(std::min(object_bytes, kChunkBytes)))) {
    return {{.wanted = range, .fetched = range}};
  }
  if (is_small) {
    return {{.wanted = range, .fetched = {0, object_bytes}}};
  }
  if (object_bytes > kMaxObjectBytes) {
    return {};
  }
  return chunks_around(range, object_bytes);
}

void CachedReads::fetch_parts(Call call, const Wanted& wanted, const std::vector<WantedPart>& parts,
                              LookUp look_up) {
  // Of several chunks, some may be here.
  std::vector<std::pair<size_t, ReadBytes>> here;
  std::vector<WantedPart> missing;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < parts.size(); ++i) {
    Found found;
    if (parts.size() > 1) {
      found = cache_->core()->find(wanted.object, parts[i].wanted, look_up);
    }
    if (found.is_unchecked) {
      compare_elsewhere(std::move(call));
      return;
    }
    if (found) {
      here.emplace_back(i, *std::move(found.bytes));
    } else {
      missing.push_back(parts[i]);
      numbers.push_back(i);
    }
  }
  if (missing.empty() && wanted.must_go_upstream) {
    ask_upstream(std::move(call));
    return;
  }
  const CallContext context = call.context;
  auto gather = std::make_shared<Gather>(
      parts.size(), [self = shared_from_this(), uri = wanted.object.uri, was_asked = wanted.must_go_upstream,
                     call = std::move(call)](Result<std::vector<ReadBytes>> all) mutable {
        if (is_outdated(call, all.status())) {
          self->read_anew(std::move(call));
        } else if (all.status().code() == StatusCode::kAborted && call.attempts_left > 0) {
          self->changed_meanwhile(std::move(call), all.status());
        } else if (!all.ok()) {
          self->note_failure(call, all.status());
          call.done(all.status());
        } else {
          if (was_asked) {
            self->note_answer(call, uri);
          }
          call.done(join_parts(call.request, *std::move(all), uri, self->cache_->options().read_into));
        }
      });
  for (auto& [part, bytes] : here) {
    gather->take(part, std::move(bytes));
  }
  if (!missing.empty()) {
    flights_->read(wanted, missing, context,
                   [gather, numbers = std::move(numbers)](size_t part, Result<ReadBytes> bytes) {
                     gather->take(numbers[part], std::move(bytes));
                   });
  }
}

void CachedReads::bring(const storage::BringRequest& request, ByteRange range, const CallContext& context,
                        storage::BringCallback done) {
  const Wanted wanted = {request.key, object_of(*upstream_, request.key, request.version),
                         request.object_bytes};
  CacheCore& core = *cache_->core();
  std::vector<WantedPart> parts;
  if (request.object_bytes <= kChunkBytes) {
    // To the end, as readers of whole objects ask who do not know their size.
    parts.push_back({.wanted = {0, kToEnd}, .fetched = {0, request.object_bytes}});
  } else {
    parts = chunks_around(range, request.object_bytes);
  }
  std::erase_if(parts, [&](const WantedPart& part) { return core.holds(wanted.object, part.wanted); });
  if (parts.empty()) {
    done(storage::BringOutcome::kWasThere);
    return;
  }
  auto gather = std::make_shared<Gather>(
      parts.size(), [self = shared_from_this(), object = wanted.object, range,
                     done = std::move(done)](const Result<std::vector<ReadBytes>>& all) mutable {
        if (!all.ok()) {
          done(all.status());
        } else if (!self->cache_->is_usable()) {
          done(cancelled("{}: the cache was closed", object.uri));
        } else if (!self->cache_->core()->holds(object, range)) {
          done(failed_precondition("{}: the cache does not keep it", object.uri));
        } else {
          done(storage::BringOutcome::kCame);
        }
      });
  flights_->read(wanted, parts, context,
                 [gather](size_t part, Result<ReadBytes> bytes) { gather->take(part, std::move(bytes)); });
}

}  // namespace forebay::cache
