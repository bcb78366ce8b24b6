// Operators called one by one, without a graph: each call is one task of the arrays' lane, which reads the
// variables of what it takes and writes that of what it gives.
//
// An operator fails as a task does: what it should have made carries the error, with the line that made the
// call, and so does all that is made of it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/calls/future_batch.h"
#include "forebay/operators/operator.h"

namespace forebay::calls {

/// An operator of the table with its constants set. Immutable; any thread may call it, any number of times.
class CalledOperator : public std::enable_shared_from_this<CalledOperator> {
 public:
  /// not_found for an unknown name; unimplemented for readers, and for operators that change the number of
  /// samples; what the operator says of its arguments.
  static Result<std::shared_ptr<CalledOperator>> create(const std::string& name,
                                                        operators::Arguments arguments);

  const std::string& name() const { return name_; }
  const operators::Operator& op() const { return *op_; }
  const operators::Arguments& arguments() const { return arguments_; }
  bool needs_origin() const { return needs_origin_; }

  /// The key of its random numbers: that of the first operator of its type in a pipeline, so that a call
  /// draws what a pipeline with that seed draws for the positions 0, 1, ... of the epoch.
  uint64_t random_key(uint64_t seed, uint64_t draw) const;

 private:
  CalledOperator() = default;

  std::string name_;
  operators::Arguments arguments_;
  std::unique_ptr<operators::Operator> op_;
  bool needs_origin_ = false;
};
using CalledOperatorRef = std::shared_ptr<CalledOperator>;

/// What is given to one call.
struct CallOptions {
  int size = 1;           // samples in the results; inputs have as many, or one that is the same for all
  uint64_t seed = 0;      // of random operators:
  uint64_t draw = 0;      // which call of the generator; the epoch in the key layout of base/random
  std::string_view site;  // "file:line" for errors; empty: where the calling thread is
};

/// Enqueues the call; one result for each output of the operator. `arguments` are the tensor arguments in the
/// order of their slots. invalid_argument where numbers of inputs or samples do not fit. What goes wrong
/// later is the error of the results.
Result<std::vector<FutureBatchRef>> call(CalledOperatorRef op, std::vector<FutureBatchRef> inputs,
                                         std::vector<FutureBatchRef> arguments, const CallOptions& options);

/// Whether the calls that are not done hold so much that the caller should wait for one of its results: more
/// than a few hundred calls, or more than 256 MiB of inputs.
bool calls_are_far_ahead();

}  // namespace forebay::calls
