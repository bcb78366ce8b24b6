// The services that the sample runner provides to an operator while it runs on a sample.
#pragma once

#include <deque>
#include <vector>

#include "forebay/operators/sample.h"
#include "forebay/pipeline/samples/sample_runner.h"

namespace forebay::pipeline {

/// The tensors of one action, collected from a sample's values. Holding them keeps them alive, whatever
/// happens to the values meanwhile.
struct ActionTensors {
  ActionTensors(const Tensors& values, const Action& action) : outputs(action.outputs.size()) {
    inputs.reserve(action.inputs.size());
    for (const int value : action.inputs) {
      inputs.push_back(values[value]);
    }
    for (const int value : action.arguments) {
      arguments.push_back(values[value]);
    }
  }

  Tensors inputs;
  Tensors arguments;
  Tensors outputs;
};

class ActionServices final : public operators::SampleServices {
 public:
  ActionServices(SampleRunner* runner, BatchJob* batch, int index, const Action& action)
      : runner_(runner), batch_(batch), index_(index), action_(action) {}

  Result<tensor::Tensor> allocate_output(int output, const tensor::TensorSpec& spec) override;
  Result<MutableBytes> scratch(size_t bytes) override;
  Status reserve(size_t bytes) override;
  void parallel_for(int64_t count, const std::function<void(int64_t)>& function) override;

 private:
  SampleRunner* runner_;
  BatchJob* batch_;
  int index_;
  const Action& action_;
  std::vector<Reservation> reservations_;
  std::vector<tensor::Tensor> scratch_;
};

/// What an operator gets that runs on several samples at once. `samples` refer to the other members.
struct ActionSamples {
  std::deque<ActionTensors> tensors;
  std::deque<ActionServices> services;
  std::vector<operators::Sample> samples;
};

}  // namespace forebay::pipeline
