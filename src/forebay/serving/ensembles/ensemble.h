// A model made of models: each step runs as soon as its tensors are there, several at a time. Tensors go from
// step to step without a copy. Members are found by name for every request, so that one that was loaded again
// takes part from then on.
// Source: Triton's ensemble models.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/serving/ensembles/ensemble_step.h"
#include "forebay/serving/inference/model.h"

namespace forebay::serving {

inline constexpr std::string_view kEnsemblePlatform = "ensemble";

struct EnsemblePlan;
class EnsembleRuns;

/// Thread safe.
class Ensemble final : public Model {
 public:
  /// `metadata` says the ensemble's inputs and outputs. `server` has the members, which must be ready, and
  /// outlives the ensemble and its requests. Errors as plan_ensemble() gives them.
  static Result<std::shared_ptr<Model>> create(ModelMetadata metadata, const std::vector<EnsembleStep>& steps,
                                               ModelServer& server, const Clock& clock = steady_clock());
  ~Ensemble() override;
  Ensemble(const Ensemble&) = delete;
  Ensemble& operator=(const Ensemble&) = delete;

  const ModelMetadata& metadata() const override { return metadata_; }
  /// The first error of a step is the answer; it names the step.
  void infer(InferRequest request, InferAnswer answer) override;
  void close(int64_t deadline_ns) override;
  /// unavailable, with the step, where a member is not ready.
  Status status() const override;

 private:
  Ensemble(ModelMetadata metadata, EnsemblePlan plan, ModelServer& server, const Clock& clock);

  const ModelMetadata metadata_;
  const std::shared_ptr<const EnsemblePlan> plan_;
  ModelServer& server_;
  const Clock& clock_;
  const std::shared_ptr<EnsembleRuns> runs_;
};

}  // namespace forebay::serving
