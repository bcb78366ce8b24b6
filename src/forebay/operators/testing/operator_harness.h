// Runs one operator as the executor would, for tests: no graph, no scheduler, memory from the host pool.
//
//   auto out = run_operator("flip", {image}, {.constants = {{"horizontal", int64_t{1}}}});
//   auto out = run_operator("flip", {image}, {.tensors = {{"horizontal", *Tensor::scalar<int32_t>(1)}}});
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/operators/operator.h"

namespace forebay::operators::testing {

/// Outputs from the host pool, scratch memory for the object's lifetime, parallel_for on the calling thread.
class HostServices final : public SampleServices {
 public:
  Result<Tensor> allocate_output(int, const TensorSpec& spec) override { return Tensor::allocate(spec); }

  Result<MutableBytes> scratch(size_t bytes) override {
    FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer, memory::Buffer::allocate(bytes));
    scratch_.push_back(std::move(buffer));
    return scratch_.back()->mutable_bytes();
  }

  Status reserve(size_t bytes) override {
    reserved_bytes_ += bytes;
    return ok_status();
  }

  void parallel_for(int64_t count, const std::function<void(int64_t)>& function) override {
    for (int64_t i = 0; i < count; ++i) {
      function(i);
    }
  }

  size_t reserved_bytes() const { return reserved_bytes_; }

 private:
  std::vector<memory::BufferRef> scratch_;
  size_t reserved_bytes_ = 0;
};

/// What an operator gets besides its inputs: constants, and tensors with this sample's values.
struct Given {
  std::map<std::string, Value> constants;
  std::map<std::string, Tensor> tensors;
  SampleIdentity identity;
  uint64_t seed = 0;
};

/// An operator of the table with its constants set and a slot for each tensor argument, in the map's order.
inline Result<std::unique_ptr<Operator>> make_operator(std::string_view name, const Given& given,
                                                       int num_inputs) {
  FOREBAY_ASSIGN_OR_RETURN(const OperatorSpec* spec, find_operator(name));
  Arguments arguments;
  arguments.constants = given.constants;
  arguments.num_inputs = num_inputs;
  int slot = 0;
  for (const auto& [argument, tensor] : given.tensors) {
    arguments.tensors[argument] = slot++;
  }
  return spec->create(arguments);
}

/// Owns everything that a Sample borrows.
class SampleFrame {
 public:
  SampleFrame(std::string_view name, std::vector<Tensor> inputs, const Given& given, int num_outputs)
      : identity_(given.identity),
        inputs_(std::move(inputs)),
        arguments_(values_of(given.tensors)),
        outputs_(num_outputs),
        sample_(identity_, random_key(given.seed, given.identity.epoch, hash64(name)), inputs_, arguments_,
                outputs_, services_) {}
  SampleFrame(const SampleFrame&) = delete;
  SampleFrame& operator=(const SampleFrame&) = delete;

  Sample& sample() { return sample_; }
  const std::vector<Tensor>& outputs() const { return outputs_; }
  const HostServices& services() const { return services_; }

 private:
  static std::vector<Tensor> values_of(const std::map<std::string, Tensor>& tensors) {
    std::vector<Tensor> values;
    for (const auto& [argument, tensor] : tensors) {
      values.push_back(tensor);
    }
    return values;
  }

  SampleIdentity identity_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> arguments_;
  std::vector<Tensor> outputs_;
  HostServices services_;
  Sample sample_;
};

/// Runs one sample through an operator of scope kSample; for kExpand, makes output
/// `given.identity.sub_position`.
inline Result<std::vector<Tensor>> run_operator(std::string_view name, std::vector<Tensor> inputs,
                                                const Given& given = {}) {
  FOREBAY_ASSIGN_OR_RETURN(const auto made, make_operator(name, given, static_cast<int>(inputs.size())));
  SampleFrame frame(name, std::move(inputs), given, made->num_outputs());
  FOREBAY_RETURN_IF_ERROR(made->run(frame.sample()));
  return frame.outputs();
}

/// How many samples an operator of scope kExpand makes of this one.
inline Result<int64_t> expand_count(std::string_view name, std::vector<Tensor> inputs,
                                    const Given& given = {}) {
  FOREBAY_ASSIGN_OR_RETURN(const auto made, make_operator(name, given, static_cast<int>(inputs.size())));
  SampleFrame frame(name, std::move(inputs), given, made->num_outputs());
  return made->expand_count(frame.sample());
}

/// Runs a batch through an operator of any scope but kSource. `inputs[i]` are the inputs of sample i, and
/// `tensors[i]`, if present, its argument tensors. Constants, seed and epoch come from `given`; positions
/// count from 0.
inline Result<std::vector<std::vector<Tensor>>> run_operator_batch(
    std::string_view name, std::vector<std::vector<Tensor>> inputs, Given given = {},
    const std::vector<std::map<std::string, Tensor>>& tensors = {}) {
  if (!tensors.empty()) {
    given.tensors = tensors[0];
  }
  const int num_inputs = inputs.empty() ? 0 : static_cast<int>(inputs[0].size());
  FOREBAY_ASSIGN_OR_RETURN(const auto made, make_operator(name, given, num_inputs));
  std::deque<SampleFrame> frames;
  std::vector<Sample> samples;
  for (size_t i = 0; i < inputs.size(); ++i) {
    given.identity.position = static_cast<int64_t>(i);
    given.identity.index_in_batch = static_cast<int>(i);
    if (!tensors.empty()) {
      given.tensors = tensors[i];
    }
    frames.emplace_back(name, std::move(inputs[i]), given, made->num_outputs());
    samples.push_back(frames.back().sample());
  }
  if (made->scope() == Scope::kBatch) {
    FOREBAY_RETURN_IF_ERROR(made->run_batch(samples));
  } else {
    for (Sample& sample : samples) {
      FOREBAY_RETURN_IF_ERROR(made->run(sample));
    }
  }
  std::vector<std::vector<Tensor>> outputs;
  for (const SampleFrame& frame : frames) {
    outputs.push_back(frame.outputs());
  }
  return outputs;
}

}  // namespace forebay::operators::testing
