// What can be done with arrays. An Operation is an immutable object that holds its parameters and knows the
// shapes of its results, how to compute them, and its gradient; apply() enqueues it.
//
// Thread safety: an operation is const, and shared by tasks on any threads.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "forebay/ndarray/array.h"

namespace forebay::ndarray {

/// The memory that an operation works on. Outputs do not overlap inputs, unless works_in_place().
struct Operands {
  std::span<const tensor::TensorView> inputs;
  std::span<const tensor::MutableTensorView> outputs;
};

/// The arguments of a gradient. Inputs and outputs are valid arrays only if keeps() asked for them; their
/// specs always are.
struct GradientRequest {
  std::span<const Array> inputs;
  std::span<const Array> outputs;
  std::span<const ArraySpec> input_specs;
  std::span<const ArraySpec> output_specs;
  std::span<const Array> output_gradients;  // one per output
  std::span<const bool> wanted;             // one per input
};

/// What backward needs from the forward pass; everything else may be freed earlier.
struct Keeps {
  bool inputs = true;
  bool outputs = false;
};

class Operation {
 public:
  virtual ~Operation() = default;

  /// "dot", "add", ...; for errors and the trace.
  virtual std::string_view name() const = 0;

  /// The specs of the outputs, or invalid_argument that says why these inputs do not fit.
  virtual Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const = 0;

  /// Fills all outputs. Runs inside a task; large work divides itself by engine::parallel_for, with the same
  /// bits for any number of workers.
  virtual Status run(const Operands& operands) const = 0;

  /// The gradients of the inputs (invalid arrays if not wanted or zero everywhere), made of further
  /// operations. unimplemented unless is_differentiable().
  virtual Result<Arrays> gradients(const GradientRequest& request) const;
  virtual bool is_differentiable() const { return true; }
  virtual Keeps keeps() const { return {}; }

  /// Whether an output may use the memory of an input with the same spec.
  virtual bool works_in_place() const { return false; }
};
using OperationRef = std::shared_ptr<const Operation>;

/// Enqueues the operation; the results can be used at once. Recorded while autograd records. Errors about
/// shapes and types are returned here; errors of computing reach whoever waits for the results.
Result<Arrays> apply(OperationRef operation, std::span<const Array> inputs);

/// The same for operations with one output.
Result<Array> apply_one(OperationRef operation, std::span<const Array> inputs);

/// The same into an existing array with the result's spec (failed_precondition while autograd records and one
/// of the arrays has a history, as in MXNet).
Status apply_into(OperationRef operation, std::span<const Array> inputs, const Array& output);

/// Enqueues an operation without checking specs or autograd, which the caller must have done.
Status enqueue(OperationRef operation, std::span<const Array> inputs, std::span<const Array> outputs);

}  // namespace forebay::ndarray
