// One step of an ensemble: which model runs, and how its tensors are called in the ensemble.
// Source: Triton's model configuration, ModelEnsembling.
#pragma once

#include <map>
#include <string>

namespace forebay::serving {

struct EnsembleStep {
  std::string model;
  std::string version;                         // empty: the newest that is ready
  std::map<std::string, std::string> inputs;   // the model's input -> the ensemble's tensor
  std::map<std::string, std::string> outputs;  // the model's output -> the ensemble's tensor

  friend bool operator==(const EnsembleStep&, const EnsembleStep&) = default;
};

}  // namespace forebay::serving
