// What can be done with arrays. An Operation is an immutable object that holds its parameters and knows the
// shapes of its results, how to compute them, and its gradient; apply() enqueues it.
//
// Thread safety: an operation is const, and shared by tasks on any threads.
#pragma once

#include <cstdint>
#include <initializer_list>
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

/// A set of an operation's inputs or outputs, by place. Of the places from 63 on it has all or none.
class Places {
 public:
  constexpr Places(bool all) : bits_(all ? ~uint64_t{0} : 0) {}
  constexpr Places(std::initializer_list<size_t> places) {
    for (const size_t place : places) {
      add(place);
    }
  }

  constexpr bool has(size_t place) const { return (bits_ >> at(place) & 1U) != 0; }
  constexpr bool has_any() const { return bits_ != 0; }
  constexpr void add(size_t place) { bits_ |= uint64_t{1} << at(place); }

 private:
  static constexpr size_t at(size_t place) { return place < 63 ? place : 63; }

  uint64_t bits_ = 0;
};

/// What the gradients read of the forward pass; everything else may be freed earlier, and written.
struct Keeps {
  Places inputs = true;
  Places outputs = false;
};

/// Of two factors, those that the gradients of the wanted ones read: each the other.
constexpr Places factors_read(Places wanted) {
  return wanted.has(0) ? (wanted.has(1) ? Places{0, 1} : Places{1}) : (wanted.has(1) ? Places{0} : Places{});
}

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
  /// Whether the gradient is zero everywhere: nothing behind the operation is then differentiated.
  virtual bool is_step() const { return false; }
  /// What gradients() will read, if it is called for the wanted inputs or fewer: for fewer it is the same or
  /// less.
  virtual Keeps keeps(Places /*wanted*/) const { return {}; }

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

/// Enqueues an operation without checking specs or whether autograd records, which the caller must have done.
Status enqueue(OperationRef operation, std::span<const Array> inputs, std::span<const Array> outputs);

}  // namespace forebay::ndarray
