// What can be done with arrays. An Operation is an immutable object that holds its parameters and knows the
// shapes of its results, how to compute them, and its gradient; apply() enqueues it.
//
// Thread safety: an operation is shared by tasks on any threads, and const.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "forebay/ndarray/array.h"

namespace forebay::ndarray {

/// The memory that an operation works on. Outputs overlap no input, unless works_in_place().
struct Operands {
  std::span<const tensor::TensorView> inputs;
  std::span<const tensor::MutableTensorView> outputs;
};

/// What a gradient is made from. Inputs and outputs are valid arrays only as far as keeps() asked for them;
/// their specs always are.
struct GradientRequest {
  std::span<const Array> inputs;
  std::span<const Array> outputs;
  std::span<const ArraySpec> input_specs;
  std::span<const ArraySpec> output_specs;
  std::span<const Array> output_gradients;  // one an output
  std::span<const bool> wanted;             // one an input
};

/// What backward needs of the forward pass; everything else may be freed before.
struct Keeps {
  bool inputs = true;
  bool outputs = false;
};

class Operation {
 public:
  virtual ~Operation() = default;

  /// "dot", "add"...; for errors and the trace.
  virtual std::string_view name() const = 0;

  /// The specs of the outputs, or invalid_argument: why these inputs do not fit.
  virtual Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const = 0;

  /// Fills all outputs. Runs inside a task; large work splits itself by engine::parallel_for, with the same
  /// bits however many workers help.
  virtual Status run(const Operands& operands) const = 0;

  /// The gradients of the inputs (invalid arrays where not wanted, or where it is zero everywhere), made of
  /// further operations. unimplemented unless is_differentiable().
  virtual Result<Arrays> gradients(const GradientRequest& request) const;
  virtual bool is_differentiable() const { return true; }
  virtual Keeps keeps() const { return {}; }

  /// True when an output may be the very memory of an input of its spec.
  virtual bool works_in_place() const { return false; }
};
using OperationRef = std::shared_ptr<const Operation>;

/// Enqueues the operation; the results can be used at once. Recorded while autograd records. Errors of shapes
/// and types come from here, errors of computing from whoever waits for the results.
Result<Arrays> apply(OperationRef operation, std::span<const Array> inputs);

/// The same for operations with one output.
Result<Array> apply_one(OperationRef operation, std::span<const Array> inputs);

/// The same into an existing array of the result's spec (failed_precondition while autograd records and an
/// array involved has a history, as in MXNet).
Status apply_into(OperationRef operation, std::span<const Array> inputs, const Array& output);

/// Queues an operation without a look at specs or autograd: who calls has seen to both.
Status enqueue(OperationRef operation, std::span<const Array> inputs, std::span<const Array> outputs);

}  // namespace forebay::ndarray
