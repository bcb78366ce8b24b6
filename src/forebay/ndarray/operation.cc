#include "forebay/ndarray/operation.h"

#include <algorithm>

#include "forebay/ndarray/autograd.h"
#include "forebay/ndarray/block_allocator.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/runtime.h"

namespace forebay::ndarray {
namespace {

/// One task: the operation and its operands.
struct Call : FromBlocks<Call> {
  OperationRef operation;
  absl::InlinedVector<Region, 2> inputs;
  absl::InlinedVector<Region, 1> outputs;

  Status run() const {
    absl::InlinedVector<tensor::TensorView, 4> in;
    absl::InlinedVector<tensor::MutableTensorView, 2> out;
    for (const Region& region : inputs) {
      if (!region.storage->has_memory()) [[unlikely]] {
        return internal_error("an input has never been written");
      }
      in.push_back(region.view());
    }
    for (const Region& region : outputs) {
      FOREBAY_RETURN_IF_ERROR(region.storage->take_memory());
      out.push_back(region.mutable_view());
    }
    return operation->run({in, out});
  }
};

bool share_storage(const Array& a, const Array& b) {
  return a.region().storage == b.region().storage;
}

/// Whether `output` can be written while the inputs are read.
bool can_write_directly(const Operation& operation, std::span<const Array> inputs, const Array& output) {
  return std::ranges::none_of(inputs, [&](const Array& input) {
    const bool is_same =
        input.region().offset_bytes == output.region().offset_bytes && input.spec() == output.spec();
    return share_storage(input, output) && !(is_same && operation.works_in_place());
  });
}

Status check_valid(const Operation& operation, std::span<const Array> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_valid()) [[unlikely]] {
      return invalid_argument("{}: input {} is not an array", operation.name(), i);
    }
  }
  return ok_status();
}

Result<ArraySpecs> inferred(const Operation& operation, std::span<const Array> inputs) {
  FOREBAY_RETURN_IF_ERROR(check_valid(operation, inputs));
  absl::InlinedVector<ArraySpec, 2> specs;
  for (const Array& input : inputs) {
    specs.push_back(input.spec());
  }
  Result<ArraySpecs> outputs = operation.infer(specs);
  if (!outputs.ok()) [[unlikely]] {
    return annotate(outputs.status(), operation.name());
  }
  return outputs;
}

}  // namespace

Result<Arrays> Operation::gradients(const GradientRequest&) const {
  return unimplemented("{} has no gradient", name());
}

Status enqueue(OperationRef operation, std::span<const Array> inputs, std::span<const Array> outputs) {
  auto call = std::make_unique<Call>();
  absl::InlinedVector<engine::Variable, 3> reads;
  absl::InlinedVector<engine::Variable, 2> writes;
  for (const Array& input : inputs) {
    call->inputs.push_back(input.region());
    reads.push_back(input.region().storage->variable());
  }
  uint64_t bytes = 0;
  for (const Array& output : outputs) {
    bytes += output.region().note_write();
    call->outputs.push_back(output.region());
    writes.push_back(output.region().storage->variable());
    // Writing part of a storage leaves the rest as it is, including its errors.
    if (output.region().spec.size_bytes() != output.region().storage->size_bytes()) {
      reads.push_back(output.region().storage->variable());
    }
  }
  call->operation = std::move(operation);
  const std::string_view name = call->operation->name();
  return push({.name = name, .reads = reads, .writes = writes, .bytes = bytes},
              [call = std::move(call)] { return call->run(); });
}

Result<Arrays> apply(OperationRef operation, std::span<const Array> inputs) {
  FOREBAY_ASSIGN_OR_RETURN(ArraySpecs specs, inferred(*operation, inputs));
  Arrays outputs;
  for (ArraySpec& spec : specs) {
    FOREBAY_ASSIGN_OR_RETURN(Array output, Array::create(std::move(spec)));
    outputs.push_back(std::move(output));
  }
  FOREBAY_RETURN_IF_ERROR(enqueue(operation, inputs, outputs));
  record(std::move(operation), inputs, absl::MakeSpan(outputs));
  return outputs;
}

Result<Array> apply_one(OperationRef operation, std::span<const Array> inputs) {
  FOREBAY_ASSIGN_OR_RETURN(ArraySpecs specs, inferred(*operation, inputs));
  Result<Array> output = Array::create(specs[0]);
  if (!output.ok()) [[unlikely]] {
    return output;
  }
  if (!is_recording()) {
    FOREBAY_RETURN_IF_ERROR(enqueue(std::move(operation), inputs, {&*output, 1}));
    return output;
  }
  FOREBAY_RETURN_IF_ERROR(enqueue(operation, inputs, {&*output, 1}));
  record(std::move(operation), inputs, {&*output, 1});
  return output;
}

Status apply_into(OperationRef operation, std::span<const Array> inputs, const Array& output) {
  FOREBAY_RETURN_IF_ERROR(check_not_recorded(operation->name(), inputs, output));
  FOREBAY_ASSIGN_OR_RETURN(const ArraySpecs specs, inferred(*operation, inputs));
  if (specs.size() != 1 || !(specs[0] == output.spec())) {
    return invalid_argument("{} gives {}, which does not fit an array of {}", operation->name(),
                            specs.empty() ? "nothing" : specs[0].to_string(), output.spec().to_string());
  }
  if (can_write_directly(*operation, inputs, output)) {
    return enqueue(std::move(operation), inputs, {&output, 1});
  }
  FOREBAY_ASSIGN_OR_RETURN(const Array result, Array::create(specs[0]));
  FOREBAY_RETURN_IF_ERROR(enqueue(std::move(operation), inputs, {&result, 1}));
  return copy_into(result, output);
}

}  // namespace forebay::ndarray
