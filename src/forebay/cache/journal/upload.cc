#include "forebay/cache/journal/upload.h"

#include <utility>

#include "forebay/base/crc32c.h"

namespace forebay::cache {

using storage::ObjectStat;

namespace {

constexpr uint64_t kComparedChunks = 8;  // in one read

/// Whether an error says that something else is there than was expected.
bool is_conflict(const Status& status) {
  return status.code() == StatusCode::kAlreadyExists || status.code() == StatusCode::kAborted ||
         status.code() == StatusCode::kNotFound || status.code() == StatusCode::kFailedPrecondition;
}

}  // namespace

std::string Upload::key_beside(const std::string& key, const JournalEntry& entry) {
  return fmt::format("{}.forebay-conflict-{:016x}", key, entry.id());
}

storage::CallContext Upload::context() const {
  return {.cancellation = owner_->stop_.get_token(), .priority = storage::Priority::kPrefetch};
}

void Upload::run() {
  JournalEntry& entry = *version_.entry;
  Result<WriteBackTarget> target = owner_->resolve(entry.facts().header.mount, entry.uri());
  if (!target.ok()) {
    fail(target.status());
    return;
  }
  target_ = *std::move(target);
  Result<storage::ReadBytes> content = entry.view(0, entry.size_bytes());
  if (content.status().code() == StatusCode::kDataLoss) {
    owner_->end_damaged(entry.uri(), content.status());
    return;
  }
  if (!content.ok()) {
    fail(content.status());
    return;
  }
  content_ = *std::move(content);
  if (version_.is_orphan) {
    write(key_beside(target_.key, entry), {.if_absent = true});
    return;
  }
  const JournalCondition& condition = version_.condition;
  write(target_.key, {.if_absent = condition.base == JournalBase::kAbsent, .if_version = condition.version});
}

void Upload::write(const std::string& key, storage::WriteOptions options) {
  target_.store->write(
      key, content_.bytes, std::move(options), context(),
      [self = shared_from_this(), key](const Result<ObjectStat>& stat) { self->take_answer(key, stat); });
}

void Upload::take_answer(const std::string& key, const Result<ObjectStat>& stat) {
  if (stat.ok()) {
    owner_->end_upload(version_.entry->uri(), {target_.store->uri_of(key), stat->version});
  } else if (is_conflict(stat.status())) {
    look_at_other(key);
  } else {
    fail(stat.status());
  }
}

void Upload::look_at_other(const std::string& key) {
  compare(key, [self = shared_from_this(), key](Result<std::optional<std::string>> same) {
    if (!same.ok()) {
      self->fail(same.status());
    } else if (*same) {
      self->owner_->end_upload(self->version_.entry->uri(), {self->target_.store->uri_of(key), **same});
    } else if (key == self->target_.key) {
      self->write(key_beside(key, *self->version_.entry), {.if_absent = true});
    } else {
      self->fail(already_exists("{}: it is there, with other bytes", self->target_.store->uri_of(key)));
    }
  });
}

void Upload::compare(const std::string& key, SameCallback done) {
  target_.upstream->stat(
      key, context(), [self = shared_from_this(), done = std::move(done)](Result<ObjectStat> stat) mutable {
        if (stat.status().code() == StatusCode::kNotFound) {
          done(std::optional<std::string>());
        } else if (!stat.ok()) {
          done(stat.status());
        } else if (stat->size_bytes != self->version_.entry->size_bytes()) {
          done(std::optional<std::string>());
        } else {
          self->compare_from(0, *stat, std::move(done));
        }
      });
}

// Each step is a job of its own: a store that answers inline would else be called deeper and deeper.
void Upload::compare_from(uint64_t chunk, const ObjectStat& stat, SameCallback done) {
  const std::vector<uint32_t>& crcs = version_.entry->facts().footer.chunk_crcs;
  if (chunk >= crcs.size()) {
    done(std::optional(stat.version));
    return;
  }
  const uint64_t begin = chunk * kJournalChunkBytes;
  const uint64_t length = std::min(kComparedChunks * kJournalChunkBytes, stat.size_bytes - begin);
  target_.upstream->read(
      {.key = stat.key, .offset_bytes = begin, .length_bytes = length, .if_version = stat.version}, context(),
      [self = shared_from_this(), chunk, stat,
       done = std::move(done)](Result<storage::ReadBytes> read) mutable {
        if (!read.ok()) {
          done(read.status());
          return;
        }
        const std::vector<uint32_t>& expected = self->version_.entry->facts().footer.chunk_crcs;
        uint64_t next = chunk;
        for (Bytes left = read->bytes; !left.empty(); ++next) {
          const Bytes first = left.first(std::min<size_t>(left.size(), kJournalChunkBytes));
          if (crc32c(first) != expected[next]) {
            done(std::optional<std::string>());
            return;
          }
          left = left.subspan(first.size());
        }
        self->owner_->upload_runner_([self, next, stat, done = std::move(done)]() mutable {
          self->compare_from(next, stat, std::move(done));
        });
      });
}

}  // namespace forebay::cache
