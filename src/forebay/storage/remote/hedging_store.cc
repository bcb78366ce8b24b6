#include "forebay/storage/remote/hedging_store.h"

#include <array>
#include <optional>
#include <stop_token>
#include <utility>

#include "forebay/base/metrics/metrics.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/answer.h"
#include "forebay/storage/remote/straggler.h"

namespace forebay::storage {

struct HedgingStore::State {
  State(HedgingOptions given, Timer& its_timer, std::shared_ptr<const CostModel> costs)
      : options(given), timer(its_timer), watch(std::move(costs)) {}

  HedgingOptions options;
  Timer& timer;
  StragglerWatch watch;
  std::atomic<uint64_t> reads{0};
  std::atomic<uint64_t> hedged{0};

  /// Counts a second request, unless there have been too many.
  bool may_hedge() {
    const auto most = static_cast<uint64_t>(options.most_hedged * static_cast<double>(reads.load()));
    if (hedged.fetch_add(1) < most) {
      return true;
    }
    hedged.fetch_sub(1);
    return false;
  }
};

namespace {

using State = HedgingStore::State;

/// One read and its second request. Keeps itself alive through the callbacks that it waits for.
class HedgedRead : public std::enable_shared_from_this<HedgedRead> {
 public:
  HedgedRead(std::shared_ptr<ObjectStore> store, std::shared_ptr<State> state, ReadRequest request,
             CallContext context, ReadCallback done)
      : store_(std::move(store)),
        state_(std::move(state)),
        request_(std::move(request)),
        context_(std::move(context)),
        begun_ns_(state_->timer.now_ns()),
        done_(std::move(done)) {}

  void start(std::optional<int64_t> patience_ns) {
    on_stop_.emplace(context_.cancellation, StopBoth{stops_});
    {
      const MutexLock lock(mutex_);
      under_way_ = 1;
    }
    ask(0);
    if (patience_ns) {
      watch(begun_ns_ + *patience_ns);
    }
  }

 private:
  struct StopBoth {
    std::array<std::stop_source, 2> stops;
    void operator()() {
      stops[0].request_stop();
      stops[1].request_stop();
    }
  };

  void watch(int64_t when_ns) {
    const MutexLock lock(mutex_);
    if (!is_decided_) {
      state_->timer.at(when_ns, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
          self->hedge();
        }
      });
    }
  }

  void ask(size_t which) {
    CallContext context = context_;
    context.cancellation = stops_[which].get_token();
    ReadRequest request = request_;
    if (which == 1) {
      request.into = {};  // the first request may be writing there
    }
    store_->read(std::move(request), context, [self = shared_from_this(), which](Result<ReadBytes> read) {
      self->take(which, std::move(read));
    });
  }

  void hedge() {
    {
      const MutexLock lock(mutex_);
      if (is_decided_ || under_way_ == 0 || !state_->may_hedge()) {
        return;
      }
      ++under_way_;
    }
    counter("storage_hedged_reads").add(1);
    ask(1);
  }

  /// The first success decides, or else the last failure.
  void take(size_t which, Result<ReadBytes> read) {
    bool ends_other = false;
    bool is_over = false;
    {
      const MutexLock lock(mutex_);
      --under_way_;
      const bool decides = !is_decided_ && (read.ok() || under_way_ == 0);
      if (decides) {
        is_decided_ = true;
        winner_ = which;
        result_ = std::move(read);
        ends_other = under_way_ > 0;
      }
      is_over = is_decided_ && !is_answered_ && (under_way_ == 0 || !first_writes_to_caller());
      is_answered_ = is_answered_ || is_over;
    }
    if (ends_other) {
      stops_[1 - which].request_stop();
    }
    if (is_over) {
      finish();
    }
  }

  /// The answer then has to wait for the first request, whoever has won.
  bool first_writes_to_caller() const { return request_.into.data() != nullptr; }

  void finish() {
    on_stop_.reset();
    Result<ReadBytes> result = take_result();
    if (result.ok()) {
      state_->watch.observe(result->size_bytes(), state_->timer.now_ns() - begun_ns_);
    }
    std::exchange(done_, nullptr)(std::move(result));
  }

  Result<ReadBytes> take_result() {
    const MutexLock lock(mutex_);
    if (!result_.ok() || winner_ == 0 || !first_writes_to_caller()) {
      return std::move(result_);
    }
    return copy_to_answer(request_, *result_, store_->uri_of(request_.key));
  }

  const std::shared_ptr<ObjectStore> store_;
  const std::shared_ptr<State> state_;
  const ReadRequest request_;
  const CallContext context_;
  const int64_t begun_ns_;
  std::array<std::stop_source, 2> stops_;
  std::optional<std::stop_callback<StopBoth>> on_stop_;
  ReadCallback done_;
  Mutex mutex_;
  int under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_decided_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_answered_ FOREBAY_GUARDED_BY(mutex_) = false;
  size_t winner_ FOREBAY_GUARDED_BY(mutex_) = 0;
  Result<ReadBytes> result_ FOREBAY_GUARDED_BY(mutex_) = ReadBytes();
};

}  // namespace

HedgingStore::HedgingStore(std::shared_ptr<ObjectStore> inner, std::shared_ptr<const CostModel> costs,
                           HedgingOptions options, Timer& timer)
    : ForwardingStore(inner),
      store_(std::move(inner)),
      state_(std::make_shared<State>(options, timer, std::move(costs))) {
}

uint64_t HedgingStore::hedged_reads() const {
  return state_->hedged.load();
}

void HedgingStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  const bool is_urgent = context.priority == Priority::kDemand && request.length_bytes != kToEnd;
  if (!is_urgent || request.only_resident || !is_wanted(context)) {
    store_->read(std::move(request), context, std::move(done));
    return;
  }
  state_->reads.fetch_add(1);
  const std::optional<int64_t> patience_ns = state_->watch.patience_ns(request.length_bytes);
  std::make_shared<HedgedRead>(store_, state_, std::move(request), context, std::move(done))
      ->start(patience_ns);
}

}  // namespace forebay::storage
