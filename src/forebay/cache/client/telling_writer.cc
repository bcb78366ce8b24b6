#include "forebay/cache/client/telling_writer.h"

#include <atomic>
#include <optional>
#include <utility>

namespace forebay::cache {
namespace {

using storage::CallContext;
using storage::ObjectStat;
using storage::StatCallback;

/// Calls back with what the store said once the daemon has the bytes as well, or will not: until then they
/// must stay.
template <class Answer>
class AfterBoth {
 public:
  using Done = absl::AnyInvocable<void(Answer)>;

  explicit AfterBoth(Done done) : done_(std::move(done)) {}

  void is_written(Answer answer) {
    answer_.emplace(std::move(answer));
    arrive();
  }
  void is_given() { arrive(); }

 private:
  void arrive() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      done_(*std::move(answer_));
    }
  }

  std::atomic<int> left_{2};
  std::optional<Answer> answer_;
  Done done_;
};

class TellingWriter final : public storage::ObjectWriter {
 public:
  TellingWriter(std::unique_ptr<storage::ObjectWriter> inner, std::shared_ptr<HostDraft> draft,
                TellWritten tell)
      : inner_(std::move(inner)), draft_(std::move(draft)), tell_(std::move(tell)) {}

  storage::PartLimits limits() const override { return inner_->limits(); }
  void append(Bytes part, const CallContext& context, storage::StatusCallback done) override {
    auto both = std::make_shared<AfterBoth<Status>>(std::move(done));
    draft_->append(part, context, [both] { both->is_given(); });
    inner_->append(part, context, [both](Status status) { both->is_written(std::move(status)); });
  }
  void commit(const CallContext& context, StatCallback done) override {
    inner_->commit(context,
                   [tell = tell_, draft = draft_, done = std::move(done)](Result<ObjectStat> stat) mutable {
                     tell(stat, stat.ok() ? draft->finish() : 0);
                     done(std::move(stat));
                   });
  }

 private:
  const std::unique_ptr<storage::ObjectWriter> inner_;
  const std::shared_ptr<HostDraft> draft_;
  const TellWritten tell_;
};

}  // namespace

std::unique_ptr<storage::ObjectWriter> make_telling_writer(std::unique_ptr<storage::ObjectWriter> inner,
                                                           std::shared_ptr<HostDraft> draft,
                                                           TellWritten tell) {
  return std::make_unique<TellingWriter>(std::move(inner), std::move(draft), std::move(tell));
}

void write_and_tell(storage::ObjectStore& inner, std::shared_ptr<HostDraft> draft, std::string key,
                    Bytes content, storage::WriteOptions options, const CallContext& context,
                    TellWritten tell, StatCallback done) {
  auto both = std::make_shared<AfterBoth<Result<ObjectStat>>>(
      [draft, tell = std::move(tell), done = std::move(done)](Result<ObjectStat> stat) mutable {
        tell(stat, stat.ok() ? draft->finish() : 0);
        done(std::move(stat));
      });
  draft->append(content, context, [both] { both->is_given(); });
  inner.write(std::move(key), content, std::move(options), context,
              [both](Result<ObjectStat> stat) { both->is_written(std::move(stat)); });
}

}  // namespace forebay::cache
