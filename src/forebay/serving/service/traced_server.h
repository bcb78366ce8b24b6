// A model server whose requests are spans of the process's trace, beside the tasks that answer them.
#pragma once

#include "forebay/base/trace/trace.h"
#include "forebay/serving/inference/model.h"

namespace forebay::serving {

/// While `trace` is on, each request is a span of the category "request", by its model's name, from its
/// arrival to its answer; its arguments say the id, where its time went, and the error if there was one.
/// Otherwise it costs a load. Thread safe.
class TracedServer final : public ModelServer {
 public:
  /// `server` and `trace` must outlive this and the requests.
  TracedServer(ModelServer& server, Trace& trace) : server_(server), trace_(trace) {}

  void infer(InferRequest request, InferAnswer answer) override;
  bool is_live() const override { return server_.is_live(); }
  bool is_ready() const override { return server_.is_ready(); }
  bool is_model_ready(const std::string& name, const std::string& version) const override {
    return server_.is_model_ready(name, version);
  }
  Result<ModelMetadata> metadata(const std::string& name, const std::string& version) const override {
    return server_.metadata(name, version);
  }
  Result<std::string> config_json(const std::string& name, const std::string& version) const override {
    return server_.config_json(name, version);
  }
  Result<std::vector<ModelStatistics>> statistics(const std::string& name,
                                                  const std::string& version) const override {
    return server_.statistics(name, version);
  }
  std::vector<ModelIndexEntry> index(bool only_ready) const override { return server_.index(only_ready); }
  void load(const std::string& name, absl::AnyInvocable<void(Status)> done) override {
    server_.load(name, std::move(done));
  }
  void unload(const std::string& name, absl::AnyInvocable<void(Status)> done) override {
    server_.unload(name, std::move(done));
  }

 private:
  ModelServer& server_;
  Trace& trace_;
};

}  // namespace forebay::serving
