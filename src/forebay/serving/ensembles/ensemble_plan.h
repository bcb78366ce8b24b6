// The steps of an ensemble, checked, with tensors as numbers of slots: which step waits for which.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "forebay/serving/ensembles/ensemble_step.h"
#include "forebay/serving/inference/model.h"

namespace forebay::serving {

/// Immutable.
struct EnsemblePlan {
  struct Tensor {
    std::string name;  // the model's, or the client's
    size_t slot = 0;
  };
  struct Step {
    std::string model;
    std::string version;
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    size_t slots_needed = 0;  // different ones
    std::string where;        // "step 2 (model 'resnet')", for errors
  };

  std::vector<Step> steps;
  std::vector<Tensor> inputs;   // the ensemble's
  std::vector<Tensor> outputs;  // the ensemble's
  /// Of each slot the steps that need it.
  std::vector<std::vector<size_t>> users;
};

/// Checks the steps against the ensemble's inputs and outputs and the models of `server`, which must be
/// ready. invalid_argument for tensors that nobody makes or two make, for inputs that are left out, for steps
/// in a ring, and where datatypes or shapes disagree; the error of `server` for models that it does not have.
Result<EnsemblePlan> plan_ensemble(const ModelMetadata& metadata, const std::vector<EnsembleStep>& steps,
                                   const ModelServer& server);

}  // namespace forebay::serving
