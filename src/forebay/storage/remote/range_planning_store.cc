#include "forebay/storage/remote/range_planning_store.h"

#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/answer.h"
#include "forebay/storage/remote/parted_read.h"
#include "forebay/storage/remote/range_plan.h"

namespace forebay::storage {
namespace {

// Memory for the parts is taken before anybody knows that the object has so many bytes.
constexpr uint64_t kLongestParted = uint64_t{1} << 30;

/// The answers of a call of many, which are never given concurrently.
class Answers {
 public:
  Answers(std::vector<ReadRequest> requests, ReadManyCallback each)
      : requests_(std::move(requests)), each_(std::move(each)) {}

  const std::vector<ReadRequest>& requests() const { return requests_; }
  void give(size_t request, Result<ReadBytes> read) {
    const MutexLock lock(mutex_);
    each_(request, std::move(read));
  }

 private:
  const std::vector<ReadRequest> requests_;
  Mutex mutex_;
  ReadManyCallback each_ FOREBAY_GUARDED_BY(mutex_);
};

/// The part of a joined read that one request asked for.
Result<ReadBytes> share_of(const ReadRequest& request, const JoinedRange& range, const ReadBytes& whole,
                           const std::string& uri) {
  const uint64_t begin = request.offset_bytes - range.offset_bytes;
  return answer_from(request, part_of(whole, begin, request.length_bytes), uri);
}

void read_alone(ObjectStore& store, const std::shared_ptr<Answers>& answers, size_t place,
                const CallContext& context) {
  store.read(answers->requests()[place], context,
             [answers, place](Result<ReadBytes> read) { answers->give(place, std::move(read)); });
}

/// Whether the error may be that of one range, or of their sum, and not of all.
bool may_be_of_one(const Status& error) {
  return error.code() == StatusCode::kOutOfRange || error.code() == StatusCode::kResourceExhausted;
}

void read_joined(const std::shared_ptr<ObjectStore>& store, const std::shared_ptr<Answers>& answers,
                 JoinedRange range, const CallContext& context) {
  const ReadRequest& first = answers->requests()[range.requests.front()];
  ReadRequest whole = {.key = first.key,
                       .offset_bytes = range.offset_bytes,
                       .length_bytes = range.length_bytes,
                       .if_version = first.if_version,
                       .padding_bytes = range.padding_bytes};
  store->read(std::move(whole), context,
              [store, answers, range = std::move(range), context](const Result<ReadBytes>& read) {
                for (const size_t place : range.requests) {
                  const ReadRequest& request = answers->requests()[place];
                  if (read.ok()) {
                    answers->give(place, share_of(request, range, *read, store->uri_of(request.key)));
                  } else if (may_be_of_one(read.status())) {
                    read_alone(*store, answers, place, context);
                  } else {
                    answers->give(place, read.status());
                  }
                }
              });
}

}  // namespace

RangePlanningStore::RangePlanningStore(std::shared_ptr<ObjectStore> inner, std::shared_ptr<CostModel> costs,
                                       RangePlanningOptions options)
    : ForwardingStore(inner), store_(std::move(inner)), costs_(std::move(costs)), options_(options) {
}

void RangePlanningStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  const bool may_be_cut = !request.only_resident && request.length_bytes <= kLongestParted;
  const size_t parts = may_be_cut ? costs_->parts_of(request.length_bytes, options_.most_parts) : 1;
  if (parts > 1 && is_wanted(context)) {
    PartedRead::start(store_, std::move(request), context, parts, std::move(done));
  } else {
    store_->read(std::move(request), context, std::move(done));
  }
}

void RangePlanningStore::read_many(std::vector<ReadRequest> requests, const CallContext& context,
                                   ReadManyCallback each) {
  std::vector<JoinedRange> ranges = join_ranges(requests, {.gap_bytes = costs_->bytes_worth_a_request()});
  const auto answers = std::make_shared<Answers>(std::move(requests), std::move(each));
  for (JoinedRange& range : ranges) {
    if (range.requests.size() > 1) {
      read_joined(store_, answers, std::move(range), context);
      continue;
    }
    const size_t place = range.requests.front();
    read(answers->requests()[place], context,
         [answers, place](Result<ReadBytes> read) { answers->give(place, std::move(read)); });
  }
}

}  // namespace forebay::storage
