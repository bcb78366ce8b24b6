// Models in memory, for tests of what stands before models: each answers by a function, when it is told to.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/inference/model.h"

namespace forebay::serving::testing {

using TwinFunction = std::function<Result<InferResponse>(const InferRequest&)>;

/// When a twin answers.
enum class TwinPace {
  kAtOnce,    // within the call
  kWhenTold,  // within a call of answer_next(), in the order of the requests
};

class TwinModel final : public Model {
 public:
  TwinModel(ModelMetadata metadata, TwinFunction function, TwinPace pace = TwinPace::kAtOnce)
      : metadata_(std::move(metadata)), function_(std::move(function)), pace_(pace) {}

  const ModelMetadata& metadata() const override { return metadata_; }
  void infer(InferRequest request, InferAnswer answer) override;
  /// Answers what it has with unavailable.
  void close(int64_t deadline_ns) override;
  Status status() const override;
  void set_status(Status status);

  /// Answers the oldest request that waits. False if there is none.
  bool answer_next();
  /// Until `count` requests have come; false if they do not come in ten seconds.
  bool wait_for_requests(size_t count);
  /// The requests that came, in order.
  std::vector<InferRequest> requests() const;
  size_t waiting() const;
  bool is_closed() const;

 private:
  struct Asked {
    InferRequest request;
    InferAnswer answer;
  };

  const ModelMetadata metadata_;
  const TwinFunction function_;
  const TwinPace pace_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::deque<Asked> waiting_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<InferRequest> requests_ FOREBAY_GUARDED_BY(mutex_);
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
  Status status_ FOREBAY_GUARDED_BY(mutex_);
};

TensorMetadata twin_tensor(std::string name, std::vector<int64_t> shape,
                           Datatype datatype = Datatype::kInt32);
/// A model "twin" with the input "x" and the output "y", both [-1, -1] of INT32.
ModelMetadata twin_metadata(int64_t max_batch_size = 8);

NamedTensor int32_tensor(std::string name, std::vector<int64_t> shape, const std::vector<int32_t>& values);
std::vector<int32_t> int32_values(const NamedTensor& tensor);
/// A request of "x" of [rows, values / rows].
InferRequest twin_request(int64_t rows, const std::vector<int32_t>& values);

/// Gives each value of "x", doubled, as "y"; a negative one is an error that names it.
Result<InferResponse> doubled(const InferRequest& request);

/// Keeps what it is answered.
class TwinAnswer {
 public:
  InferAnswer answer();
  bool is_there() const;
  /// Waits for ten seconds at most.
  bool wait();
  /// The test fails if there is none.
  const Result<InferResponse>& get() const;

 private:
  struct State {
    Mutex mutex;
    std::condition_variable changed;
    std::optional<Result<InferResponse>> response FOREBAY_GUARDED_BY(mutex);
    int count FOREBAY_GUARDED_BY(mutex) = 0;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace forebay::serving::testing
