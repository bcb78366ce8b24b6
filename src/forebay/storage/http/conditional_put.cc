#include "forebay/storage/http/conditional_put.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "forebay/storage/remote/doubted_call.h"

namespace forebay::storage {
namespace {

constexpr uint64_t kComparedBytes = 8 << 20;  // at a time

/// Looks whether an object has a given content.
class ContentLook : public std::enable_shared_from_this<ContentLook> {
 public:
  ContentLook(std::shared_ptr<RangedReadSource> reads, std::string key, Bytes content, std::string replaced,
              CallContext context, DoubtedChange::Effect done)
      : reads_(std::move(reads)),
        key_(std::move(key)),
        content_(content),
        replaced_(std::move(replaced)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void start() {
    reads_->stat(key_, {}, context_, [self = shared_from_this()](Result<ObjectStat> there) {
      if (there.ok()) {
        self->take(*std::move(there));
      } else {
        self->done_(not_made_if_absent(there.status()));
      }
    });
  }

 private:
  void take(ObjectStat there) {
    if (there.size_bytes != content_.size() || there.version == replaced_) {
      done_(std::nullopt);
      return;
    }
    there_ = std::move(there);
    compare();
  }

  void compare() {
    const uint64_t length = std::min<uint64_t>(kComparedBytes, content_.size() - compared_bytes_);
    if (length == 0) {
      done_(std::optional(there_));
      return;
    }
    read_range(
        reads_, nullptr,
        {.key = key_, .offset_bytes = compared_bytes_, .length_bytes = length, .if_version = there_.version},
        context_, [self = shared_from_this()](const Result<ReadBytes>& read) { self->take_part(read); });
  }

  void take_part(const Result<ReadBytes>& read) {
    const StatusCode code = read.status().code();
    if (!read.ok() && code != StatusCode::kNotFound && code != StatusCode::kAborted) {
      done_(read.status());
      return;
    }
    const Bytes expected = read.ok() ? content_.subspan(compared_bytes_, read->size_bytes()) : Bytes();
    if (!read.ok() || !std::ranges::equal(read->bytes, expected)) {
      done_(std::nullopt);  // another's, or gone again
      return;
    }
    compared_bytes_ += read->size_bytes();
    compare();
  }

  const std::shared_ptr<RangedReadSource> reads_;
  const std::string key_;
  const Bytes content_;
  const std::string replaced_;  // the version that was to be replaced; empty: none
  const CallContext context_;
  DoubtedChange::Effect done_;
  ObjectStat there_;
  uint64_t compared_bytes_ = 0;
};

}  // namespace

void put_object(std::shared_ptr<RangedReadSource> reads, std::string key, Bytes content,
                const WriteOptions& options, const CallContext& context,
                std::function<void(const CallContext& context, StatCallback done)> put, StatCallback done) {
  const std::shared_ptr<RetryPolicy> retries = reads->connection().retries();
  if (!options.if_absent && options.if_version.empty()) {
    call_with_retries<ObjectStat>(retries, context, std::move(put), std::move(done));
    return;
  }
  auto look = [reads = std::move(reads), key = std::move(key), content, replaced = options.if_version](
                  const CallContext& its_context, DoubtedChange::Effect found) {
    std::make_shared<ContentLook>(reads, key, content, replaced, its_context, std::move(found))->start();
  };
  make_with_questions(retries, context, {.make = std::move(put), .look = std::move(look)}, std::move(done));
}

}  // namespace forebay::storage
