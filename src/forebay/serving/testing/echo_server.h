// A server of models that answer with what they were sent: what stands behind a door in tests.
#pragma once

#include <condition_variable>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/inference/model.h"

namespace forebay::serving::testing {

/// Models whose outputs are their inputs, under the same names. A model can be told to fail, or to hold its
/// requests until the test lets them go. Requests are checked as ModelServer says. Thread safe.
class EchoServer final : public ModelServer {
 public:
  EchoServer() = default;
  /// Answers what is held with unavailable.
  ~EchoServer() override;

  /// A model that is ready. Its outputs are what its inputs are; without inputs it takes any.
  void add(ModelMetadata metadata, std::string config_json = "{}");
  /// From now on requests of `model` end with `error`; OK: with answers again.
  void fail_with(const std::string& model, Status error);
  /// From now on requests wait for release().
  void hold();
  /// Answers what is held, the last request first where `reversed`; later requests are answered at once.
  void release(bool reversed = false);
  void set_live(bool is_live);
  /// From now on answers have an output "more" besides, of one element of so many bytes; 0: none.
  void add_to_answers(size_t bytes);

  /// Until `count` requests are held; false if they are not in a minute.
  bool wait_until_held(size_t count);
  /// Until `count` requests have come, since the beginning.
  void wait_until_come(size_t count) const;
  size_t come() const;
  /// Which thread brought the last request.
  std::thread::id last_thread() const;
  /// The last request that came, but for its inputs' memory. Empty if none came.
  InferRequest last() const;
  /// Until the last request's `cancel` was asked to stop.
  void wait_until_cancelled() const;

  void infer(InferRequest request, InferAnswer answer) override;
  bool is_live() const override;
  bool is_ready() const override;
  bool is_model_ready(const std::string& name, const std::string& version) const override;
  Result<ModelMetadata> metadata(const std::string& name, const std::string& version) const override;
  Result<std::string> config_json(const std::string& name, const std::string& version) const override;
  Result<std::vector<ModelStatistics>> statistics(const std::string& name,
                                                  const std::string& version) const override;
  std::vector<ModelIndexEntry> index(bool only_ready) const override;
  void load(const std::string& name, absl::AnyInvocable<void(Status)> done) override;
  void unload(const std::string& name, absl::AnyInvocable<void(Status)> done) override;

 private:
  struct Entry {
    ModelMetadata metadata;
    std::string config_json;
    Status error;
    ModelStatistics statistics;
    bool is_ready = true;
  };
  struct Held {
    InferRequest request;
    InferAnswer answer;
  };

  Result<const Entry*> find(const std::string& name, const std::string& version) const
      FOREBAY_REQUIRES(mutex_);
  Result<InferResponse> answer_to(InferRequest& request);
  Status check(const Entry& entry, const InferRequest& request) const FOREBAY_REQUIRES(mutex_);
  Status set_ready(const std::string& name, bool is_ready);
  std::vector<Held> take_held(bool reversed);

  mutable Mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, Entry> models_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<Held> held_ FOREBAY_GUARDED_BY(mutex_);
  size_t come_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t more_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::thread::id last_thread_ FOREBAY_GUARDED_BY(mutex_);
  InferRequest last_ FOREBAY_GUARDED_BY(mutex_);
  bool is_holding_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_live_ FOREBAY_GUARDED_BY(mutex_) = true;
};

}  // namespace forebay::serving::testing
