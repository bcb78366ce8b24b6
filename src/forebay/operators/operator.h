// What an operator is, and the row of the table that describes it. Python signatures, documentation, stubs
// and the C++ graph are all made from that row.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "forebay/dataset/order.h"
#include "forebay/dataset/source.h"
#include "forebay/operators/device_launch.h"
#include "forebay/operators/sample.h"
#include "forebay/operators/value.h"

namespace forebay::operators {

enum class Scope {
  kSample,  // each sample by itself
  kBatch,   // needs the whole batch: a barrier
  kExpand,  // gives 0..n samples for each
  kSource,  // gives samples: readers
};

/// How far results may differ between targets.
enum class Numerics {
  kExact,  // the same bits everywhere
  kClose,  // within the tolerance its documentation states
};

/// An operator with its arguments set: immutable, shared by all threads of all sessions of a plan.
class Operator {
 public:
  virtual ~Operator() = default;

  virtual Scope scope() const { return Scope::kSample; }
  virtual int num_outputs() const { return 1; }

  /// Scope kSample; for kExpand, makes the sample `identity().sub_position` of expand_count().
  virtual Status run(Sample& sample) const = 0;

  /// Scope kBatch: all samples of a batch, in order.
  virtual Status run_batch(std::span<Sample> samples) const;

  /// Scope kExpand: how many samples come of this one.
  virtual Result<int64_t> expand_count(const Sample& sample) const;

  /// Scope kSource: opens the data set. May read storage; called once when a plan is first run.
  virtual Result<std::shared_ptr<dataset::Source>> open_source() const;

  /// Scope kSource: the order in which it is read. `seed` is the pipeline's, `batch_size` matters only where
  /// DALI's own rule depends on it.
  virtual Result<dataset::OrderOptions> order_options(uint64_t seed, int64_t batch_size) const;

  /// Whether the operator has a device's side: output_specs() and launch().
  virtual bool runs_on_devices() const { return false; }

  /// Scope kSample, on a device: the specs of the outputs, one each. Inputs are in the device's memory, so
  /// their content is not read; tensor arguments are in the host's.
  virtual Status output_specs(const Sample& sample, std::span<TensorSpec> specs) const;

  /// Puts the work of a group of samples on a device's queue and returns. Results have memory of
  /// output_specs(); they and the inputs stay until the queue has passed the work. A sample refuses to give
  /// memory now.
  virtual Status launch(std::span<Sample> group, LaunchQueue& queue) const;

  /// The operator's own parameters, for fusion: a pointer to the struct that `describe<T>` was made for.
  virtual const void* parameters() const { return nullptr; }
};

struct ParameterSpec {
  std::string name;
  ArgumentKind kind;
  bool accepts_tensor = false;
  bool is_required = false;
  Value default_value;  // monostate prints as None: not given
  std::string doc;
  std::vector<std::string> choices;  // for strings: the values allowed
  std::string newer_name;            // of the parameter that this is only an old name of; else empty
};

struct InputSpec {
  std::string name;
  std::string doc;
};

struct OperatorSpec {
  std::string name;    // "decoders.image": the path under fn
  std::string doc;     // first line: one sentence
  std::string source;  // whose behaviour is matched, or the paper
  Scope scope = Scope::kSample;
  Numerics numerics = Numerics::kExact;
  bool is_random = false;    // takes `seed`, draws from Sample::random()
  bool is_internal = false;  // not shown to users
  std::vector<InputSpec> inputs;
  int min_inputs = 0;
  int max_inputs = 0;  // may exceed inputs.size() for variadic operators
  std::string output_doc;
  std::vector<ParameterSpec> parameters;
  std::function<Result<std::unique_ptr<Operator>>(const Arguments&)> create;

  const ParameterSpec* find_parameter(std::string_view name) const;
};

/// All operators, by name. Built once; immutable.
const std::vector<OperatorSpec>& all_operators();

/// The row of that name, or not_found with the nearest names.
Result<const OperatorSpec*> find_operator(std::string_view name);

}  // namespace forebay::operators
