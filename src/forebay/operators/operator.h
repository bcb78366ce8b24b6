// Operators, and the table rows that describe them. Python signatures, documentation, stubs and the C++ graph
// are generated from these rows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "forebay/dataset/order/order.h"
#include "forebay/dataset/source.h"
#include "forebay/operators/device_launch.h"
#include "forebay/operators/sample.h"
#include "forebay/operators/value.h"

namespace forebay::operators {

enum class Scope {
  kSample,  // works on each sample alone
  kGroup,   // works on a few samples of a batch in one task; each gets the same bits as alone
  kBatch,   // needs the whole batch: a barrier
  kExpand,  // gives 0..n samples for each one
  kSource,  // produces samples: readers
};

/// The largest group of samples that any operator takes at once.
inline constexpr int kLargestGroup = 8;

/// How much results may differ between targets.
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

  /// For scope kSample; for kExpand, makes sample `identity().sub_position` of expand_count(). What run() and
  /// run_batch() throw becomes the error of the sample or batch, refused scratch memory
  /// (memory/host/scratch.h) above all.
  virtual Status run(Sample& sample) const = 0;

  /// For scope kGroup: how many samples it takes at once, from 1 to kLargestGroup.
  virtual int group_size() const { return 1; }

  /// For scope kGroup: samples of one batch, at most group_size() of them. Which samples come together is
  /// left to chance and must not affect the results. Sets results[i], OK at first, to the outcome of sample
  /// i. An exception is the error of all of them.
  virtual void run_group(std::span<Sample> samples, std::span<Status> results) const;

  /// For scope kBatch: all samples of a batch, in order.
  virtual Status run_batch(std::span<Sample> samples) const;

  /// For scope kExpand: how many samples this one becomes.
  virtual Result<int64_t> expand_count(const Sample& sample) const;

  /// For scope kSource: opens the data set. May read storage; called once, when a plan first runs.
  virtual Result<std::shared_ptr<dataset::Source>> open_source(const dataset::OrderOptions& order) const;

  /// For scope kSource: whether what its source reads is not yet what it gives: run() makes the outputs on a
  /// worker; its inputs are the record's fields.
  virtual bool decodes_records() const { return false; }

  /// For scope kSource: the order in which it is read. `seed` is the pipeline's; `batch_size` matters only
  /// where DALI's own rule depends on it.
  virtual Result<dataset::OrderOptions> order_options(uint64_t seed, int64_t batch_size) const;

  /// Whether the operator can run on devices: output_specs() and launch().
  virtual bool runs_on_devices() const { return false; }

  /// For scope kSample on a device: the specs of the outputs. Inputs are in device memory, so their content
  /// cannot be read; tensor arguments are in host memory.
  virtual Status output_specs(const Sample& sample, std::span<TensorSpec> specs) const;

  /// Puts the work of a group of samples on a device queue and returns. The outputs have memory according to
  /// output_specs(); they and the inputs stay alive until the queue has passed the work. Samples cannot
  /// allocate here.
  virtual Status launch(std::span<Sample> group, LaunchQueue& queue) const;

  /// The operator's own parameters, for fusion: a pointer to the struct that `describe<T>` was used with.
  virtual const void* parameters() const { return nullptr; }
};

struct ParameterSpec {
  std::string name;
  ArgumentKind kind;
  bool accepts_tensor = false;
  bool is_required = false;
  Value default_value;  // monostate prints as None: not given
  std::string doc;
  std::vector<std::string> choices;  // for strings: the allowed values
  OddNumbers takes_odd = OddNumbers::kNone;
  std::string newer_name;  // if this is only an old name, the current name of the parameter; else empty
};

struct InputSpec {
  std::string name;
  std::string doc;
};

struct OperatorSpec {
  std::string name;    // "decoders.image": its path under fn
  std::string doc;     // first line: one sentence
  std::string source;  // whose behaviour it matches, or the paper
  std::string family;  // the folder of its file; "" of one that a library has added
  Scope scope = Scope::kSample;
  int group_size = 1;  // for scope kGroup: most samples at once
  Numerics numerics = Numerics::kExact;
  bool is_random = false;    // takes `seed` and draws from Sample::random()
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

/// The row with that name; otherwise not_found, listing the nearest names.
Result<const OperatorSpec*> find_operator(std::string_view name);

}  // namespace forebay::operators
