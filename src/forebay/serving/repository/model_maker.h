// Makes a version of a model from its files: reads the configuration, finds the loader, completes what is
// known, and puts the batcher before it.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/base/sync/timer.h"
#include "forebay/serving/inference/model.h"
#include "forebay/serving/repository/model_files.h"
#include "forebay/serving/repository/served_model.h"

namespace forebay::serving {

/// Thread safe.
class ModelMaker {
 public:
  /// `server` answers the steps of ensembles, and must outlive what is made. `timer` is for batches; null:
  /// one of each batcher's own.
  ModelMaker(std::vector<ModelKind> kinds, ModelServer& server, std::shared_ptr<Timer> timer)
      : kinds_(std::move(kinds)), server_(server), timer_(std::move(timer)) {}

  const std::vector<ModelKind>& kinds() const { return kinds_; }

  /// Empty but for the name where the model has no config.pbtxt.
  Result<ModelConfig> config_of(const FoundModel& model) const;

  /// May take long, but ends soon once it is to stop. The error names the model and the version.
  Result<std::shared_ptr<ServedModel>> make(const FoundModel& model, const FoundVersion& version,
                                            const ModelConfig& config, const std::stop_token& stop) const;

 private:
  struct Loaded {
    std::shared_ptr<Model> model;
    bool batches_itself = false;
  };

  Result<Loaded> load(const FoundModel& model, const FoundVersion& version, const ModelConfig& config,
                      const std::stop_token& stop) const;
  /// Completes the configuration, and puts the batcher before the model where it asks for one.
  Result<std::shared_ptr<ServedModel>> served(const Loaded& loaded, const FoundModel& found,
                                              const FoundVersion& version, const ModelConfig& config) const;

  const std::vector<ModelKind> kinds_;
  ModelServer& server_;
  const std::shared_ptr<Timer> timer_;
};

}  // namespace forebay::serving
