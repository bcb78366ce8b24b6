#include "forebay/cache/store/cached_reads.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "forebay/cache/entries/object_name.h"
#include "forebay/cache/store/gather.h"
#include "forebay/storage/answer.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/range.h"

namespace forebay::cache {

using storage::CallContext;
using storage::kToEnd;
using storage::ObjectStat;
using storage::ReadBytes;
using storage::ReadCallback;
using storage::ReadRequest;

namespace {

constexpr int kAttempts = 3;  // of a read whose object changes between its stat and its bytes
constexpr int64_t kForEver = std::numeric_limits<int64_t>::max();

/// Whether the sum of offset and length is too large for a number.
bool is_beyond_every_object(const ReadRequest& request) {
  return request.length_bytes != kToEnd && request.length_bytes > kToEnd - request.offset_bytes;
}

/// For a question on which a read waits.
CallContext for_read(CallContext context) {
  context.is_for_read = true;
  return context;
}

}  // namespace

CachedReads::CachedReads(std::shared_ptr<Cache> cache, std::shared_ptr<storage::ObjectStore> upstream,
                         const FreshnessOptions& options)
    : cache_(std::move(cache)),
      upstream_(std::move(upstream)),
      flights_(std::make_shared<Flights>(upstream_, cache_->core(), options.is_immutable)),
      answers_(std::make_shared<FreshAnswers>(
          *options.clock, options.is_immutable ? kForEver : options.trusted_ns, options.trusted_ns)),
      stats_(std::make_shared<SharedStats>(upstream_, answers_)),
      lists_(std::make_shared<ListAnswers>(upstream_, answers_, *options.clock, options.trusted_ns)),
      access_(options.access_trusted_ns == 0
                  ? nullptr
                  : std::make_shared<AccessCheck>(upstream_, *options.clock, options.access_trusted_ns)),
      look_up_(options.compares_elsewhere ? LookUp::kQuick : LookUp::kCompare) {
}

std::unique_ptr<storage::ListStream> CachedReads::open_list(storage::ListRequest request) const {
  return open_cached_list(lists_, std::move(request));
}

void CachedReads::stat(std::string key, const CallContext& context, storage::StatCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, upstream_->uri_of(key)));
    return;
  }
  if (const std::optional<FreshAnswers::Known> known = answers_->find(key)) {
    if (known->is_absent) {
      done(storage::no_such_object(upstream_->uri_of(key)));
    } else {
      done(known->stat);
    }
    return;
  }
  stats_->stat(key, context, std::move(done));
}

void CachedReads::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, upstream_->uri_of(request.key)));
    return;
  }
  Call call = {std::move(request), context, std::move(done)};
  if (!cache_->core()->is_cached(upstream_->uri_of(call.request.key))) {
    pass_on(std::move(call));
  } else if (call.request.if_version.empty()) {
    call.attempts_left = kAttempts;
    read_any_version(std::move(call));
  } else {
    read_version(std::move(call));
  }
}

/// Finds out which version there is, and reads that one.
void CachedReads::read_any_version(Call call) {
  if (find_outdated(&call)) {
    call.request.if_version = call.outdated->stat.version;
    call.request.object_bytes = call.outdated->stat.size_bytes;
    read_version(std::move(call));
    return;
  }
  if (call.request.only_resident && !answers_->find(call.request.key)) {
    call.done(failed_precondition("{}: not in memory", upstream_->uri_of(call.request.key)));
    return;
  }
  const std::string key = call.request.key;
  const CallContext context = for_read(call.context);
  stat(key, context, [self = shared_from_this(), call = std::move(call)](Result<ObjectStat> stat) mutable {
    if (!stat.ok()) {
      call.done(stat.status());
    } else if (stat->version.empty()) {
      const CallContext context = call.context;
      self->upstream_->read(std::move(call.request), context, std::move(call.done));
    } else {
      call.request.if_version = stat->version;
      call.request.object_bytes = stat->size_bytes;  // whatever size another version had
      self->read_version(std::move(call));
    }
  });
}

/// The version that was there when the object was last asked for, if nothing of it is here: it has to be read
/// from upstream, which says by that whether it is still the one. So nobody has to ask before.
bool CachedReads::find_outdated(Call* call) {
  const storage::ReadRequest& request = call->request;
  if (call->was_outdated || request.only_resident || answers_->find(request.key)) {
    return false;
  }
  const FreshAnswers::Question question = answers_->ask();
  std::optional<ObjectStat> stat = answers_->find_outdated(request.key);
  if (!stat) {
    return false;
  }
  const Result<uint64_t> length = range_length(request, stat->size_bytes, {});
  const ByteRange range = {request.offset_bytes, length.ok() ? *length : 0};
  const bool is_in_one_chunk =
      range.length_bytes > 0 && range.offset_bytes / kChunkBytes == (range.end_bytes() - 1) / kChunkBytes;
  if (!is_in_one_chunk) {
    return false;
  }
  const Wanted wanted = {request.key, object_of(*upstream_, request.key, stat->version), stat->size_bytes};
  if (cache_->core()->holds(wanted.object, range) || flights_->covers(wanted, range)) {
    return false;
  }
  call->outdated = {question, *std::move(stat)};
  return true;
}

/// The read has shown that its user may have the object, and that the version is still there.
void CachedReads::note_answer(const Call& call, const std::string& uri) {
  if (access_) {
    access_->note(uri);
  }
  if (call.outdated) {
    answers_->record(call.outdated->question, call.outdated->stat);
  }
}

/// What a read that failed has found out about the object.
void CachedReads::note_failure(const Call& call, const Status& status) {
  if (call.outdated && status.code() == StatusCode::kNotFound) {
    answers_->record_absence(call.outdated->question, call.request.key);
  }
}

/// Whether an outdated read failed because the object is another one by now.
bool CachedReads::is_outdated(const Call& call, const Status& status) {
  return call.outdated && (status.code() == StatusCode::kAborted || status.code() == StatusCode::kOutOfRange);
}

/// What the cache has nothing to do with.
void CachedReads::pass_on(Call call) {
  if (call.attempts_left > 0) {
    call.request.if_version.clear();  // the caller named none
  }
  const CallContext context = call.context;
  upstream_->read(std::move(call.request), context, std::move(call.done));
}

/// Another version came between the stat and the bytes: once more, or the error.
void CachedReads::changed_meanwhile(Call call, const Status& status) {
  if (call.attempts_left <= 1) {
    call.done(status);
    return;
  }
  --call.attempts_left;
  read_anew(std::move(call));
}

void CachedReads::read_anew(Call call) {
  call.was_outdated |= call.outdated.has_value();
  call.outdated.reset();
  call.request.object_bytes.reset();
  answers_->forget(call.request.key);
  call.request.if_version.clear();
  read_any_version(std::move(call));
}

/// What is cached is given once upstream has said that it is there and would be given, too.
void CachedReads::ask_upstream(Call call) {
  if (call.outdated) {
    read_anew(std::move(call));  // it came meanwhile, so the question has to be asked
  } else {
    ask_access(std::move(call));
  }
}

void CachedReads::ask_access(Call call) {
  const std::string key = call.request.key;
  const std::string version = call.request.if_version;
  const CallContext context = call.context;
  access_->ask(key, version, context,
               [self = shared_from_this(), call = std::move(call)](const Status& status) mutable {
                 if (!status.ok()) {
                   call.done(status);
                   return;
                 }
                 call.is_let_in = true;
                 self->read_version(std::move(call));
               });
}

void CachedReads::read_version(Call call, LookUp look_up) {
  Wanted wanted = {call.request.key, object_of(*upstream_, call.request.key, call.request.if_version), {}};
  wanted.must_go_upstream =
      call.outdated || (access_ && !call.is_let_in && !access_->is_known(wanted.object.uri));
  wanted.object_bytes = cache_->core()->object_bytes(wanted.object.id);
  if (!wanted.object_bytes) {
    wanted.object_bytes = call.request.object_bytes;
  }
  const std::optional<FreshAnswers::Known> known = answers_->find(wanted.key);
  const bool is_other = known && (known->is_absent || known->stat.version != wanted.object.version);
  if (is_other || is_beyond_every_object(call.request)) {
    pass_on(std::move(call));  // the upstream knows best what to say
    return;
  }
  if (known) {
    wanted.object_bytes = known->stat.size_bytes;
  }
  ByteRange range = {call.request.offset_bytes, call.request.length_bytes};
  if (wanted.object_bytes) {
    const Result<uint64_t> length = range_length(call.request, *wanted.object_bytes, wanted.object.uri);
    if (!length.ok()) {
      call.done(length.status());
      return;
    }
    range.length_bytes = *length;
  }
  if (answer_at_once(&call, wanted, range, look_up)) {
    return;
  }
  const bool is_long = range.length_bytes > kChunkBytes && range.length_bytes != kToEnd;
  if (is_long && !wanted.object_bytes) {
    ask_size(std::move(call));
    return;
  }
  const std::vector<WantedPart> parts = parts_to_fetch(call, wanted, range);
  if (parts.empty()) {
    pass_on(std::move(call));
  } else {
    fetch_parts(std::move(call), wanted, parts, look_up);
  }
}

/// What is long is kept in chunks, which takes the object's size. Chunks that are here know it.
void CachedReads::ask_size(Call call) {
  const std::string key = call.request.key;
  const CallContext context = for_read(call.context);
  stat(key, context, [self = shared_from_this(), call = std::move(call)](Result<ObjectStat> stat) mutable {
    if (!stat.ok()) {
      call.done(stat.status());
    } else if (stat->version != call.request.if_version) {
      self->pass_on(std::move(call));  // the upstream says what is wrong
    } else {
      call.request.object_bytes = stat->size_bytes;
      self->read_version(std::move(call));
    }
  });
}

/// What an earlier run kept is compared with its checksums where nobody else waits for that.
void CachedReads::compare_elsewhere(Call call) {
  cache_->look_elsewhere([self = shared_from_this(), call = std::move(call)]() mutable {
    if (is_wanted(call.context)) {
      self->read_version(std::move(call), LookUp::kCompare);
    } else {
      call.done(not_wanted(call.context, self->uri_of(call.request.key)));
    }
  });
}

/// Answers what needs nothing from upstream.
bool CachedReads::answer_at_once(Call* call, const Wanted& wanted, ByteRange range, LookUp look_up) {
  const bool only_resident = call->request.only_resident;
  const bool wants_file = only_resident && call->request.wants_file;
  Found found;
  if (!wants_file || cache_->core()->holds(wanted.object, range)) {
    found = cache_->core()->find(wanted.object, range,
                                 only_resident && !wants_file ? LookUp::kResident : look_up);
  }
  if (found && wanted.must_go_upstream) {
    ask_upstream(std::move(*call));
    return true;
  }
  if (found) {
    if (wants_file) {
      cache_->core()->add_file(wanted.object, &*found.bytes);
    }
    call->done(answer_from(call->request, *std::move(found.bytes), wanted.object.uri));
    return true;
  }
  if (found.is_unchecked && (!only_resident || wants_file)) {
    compare_elsewhere(std::move(*call));
    return true;
  }
  if (!only_resident) {
    return false;
  }
  if (upstream_->features().has_resident) {
    upstream_->read(std::move(call->request), call->context, std::move(call->done));
  } else {
    call->done(failed_precondition("{}: not in memory", wanted.object.uri));
  }
  return true;
}

Status CachedReads::read_back(const storage::BringRequest& request, ByteRange range) const {
  return cache_->core()->read_back(object_of(*upstream_, request.key, request.version), range);
}

void CachedReads::keep_written(const ObjectStat& stat, Bytes content) {
  Result<ReadBytes> whole = storage::copy_with_zeros(content, kZerosBehind);
  if (whole.ok() && !content.empty()) {
    keep(stat, *std::move(whole));
  }
}

void CachedReads::keep(const ObjectStat& stat, ReadBytes whole) {
  if (stat.version.empty()) {
    return;
  }
  whole.version = stat.version;
  if (whole.size_bytes() <= cache_->options().write_behind_bytes / 2) {
    insert_chunks(stat, whole);
    return;
  }
  cache_->do_later([self = shared_from_this(), stat, whole = std::move(whole)] {
    self->insert_chunks(stat, whole);
    self->cache_->core()->help_writing();
  });
}

void CachedReads::insert_chunks(const ObjectStat& stat, const ReadBytes& whole) {
  const ObjectVersion object = object_of(*upstream_, stat.key, stat.version);
  const uint64_t size_bytes = whole.size_bytes();
  const bool is_large = size_bytes > cache_->options().write_behind_bytes / 2;
  Brought brought = {.object_bytes = size_bytes, .is_chunk = size_bytes > kChunkBytes};
  for (uint64_t start = 0; start < size_bytes; start += kChunkBytes) {
    brought.start_bytes = start;
    cache_->core()->insert(object, brought, part_of(whole, start, kChunkBytes));
    if (is_large) {
      cache_->core()->help_writing();
    }
  }
}

}  // namespace forebay::cache
