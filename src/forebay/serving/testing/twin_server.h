// A server of models in memory, for tests of what stands before a server or calls one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/inference/model.h"

namespace forebay::serving::testing {

/// Each name has one version, "1", which set() may replace at any time.
class TwinServer final : public ModelServer {
 public:
  void set(const std::string& name, std::shared_ptr<Model> model) {
    const MutexLock lock(mutex_);
    models_[name] = std::move(model);
  }

  void infer(InferRequest request, InferAnswer answer) override {
    const std::shared_ptr<Model> model = found(request.model);
    if (model == nullptr) {
      answer(unavailable("model '{}' is not ready", request.model));
      return;
    }
    model->infer(std::move(request), std::move(answer));
  }

  bool is_live() const override { return true; }
  bool is_ready() const override { return true; }
  bool is_model_ready(const std::string& name, const std::string&) const override {
    const std::shared_ptr<Model> model = found(name);
    return model != nullptr && model->status().ok();
  }
  Result<ModelMetadata> metadata(const std::string& name, const std::string&) const override {
    const std::shared_ptr<Model> model = found(name);
    if (model == nullptr) {
      return not_found("model '{}' is not loaded", name);
    }
    return model->metadata();
  }
  Result<std::string> config_json(const std::string&, const std::string&) const override { return "{}"; }
  Result<std::vector<ModelStatistics>> statistics(const std::string&, const std::string&) const override {
    return std::vector<ModelStatistics>();
  }
  std::vector<ModelIndexEntry> index(bool) const override { return {}; }
  void load(const std::string&, absl::AnyInvocable<void(Status)> done) override { done(ok_status()); }
  void unload(const std::string&, absl::AnyInvocable<void(Status)> done) override { done(ok_status()); }

 private:
  std::shared_ptr<Model> found(const std::string& name) const {
    const MutexLock lock(mutex_);
    const auto at = models_.find(name);
    return at == models_.end() ? nullptr : at->second;
  }

  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<Model>> models_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::serving::testing
