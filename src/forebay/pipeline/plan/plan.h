// A plan: a graph compiled for running. Immutable, shared by any number of sessions and threads, as are the
// data sets that it opens.
//
// Compiling prunes what no output needs, makes the operators, assigns random keys (before anything is
// optimised), fuses chains that a fused operator covers, and cuts the rest into steps: a *sample* step runs a
// chain of operators on one sample in one go; a *group* step takes a few samples of a batch at once; a
// *batch*, *function* or *feed* step is a barrier. An *expand* operator ends a phase: what it lets through is
// a new stream, from which the batches of the next phase are cut.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/operators/operator.h"
#include "forebay/pipeline/graph/graph.h"

namespace forebay::pipeline {

struct PlanOptions {
  int batch_size = 1;
  uint64_t seed = 0;
  bool fuse = true;
  bool has_device = false;  // false: a graph with GPU operators is refused
  /// What takes the place of the table's operator at the node of that name.
  std::map<std::string, std::shared_ptr<const operators::Operator>> replaced_operators;
};

/// Where an action runs.
enum class Placement {
  kHost,
  kDevice,
  kToDevice,  // .gpu()
  kToHost,    // .cpu()
};

/// Used instead of a reader's number: for fed or computed samples, and for samples mixed by a batch operator.
inline constexpr int kNoReader = -1;
inline constexpr int kMixedReaders = -2;
/// Used instead of the number of a reader's output: for what comes from several of them.
inline constexpr int kManyFields = -1;

/// A node of the graph, or a fused chain of them, ready to run.
struct Action {
  std::string name;                               // for errors, traces and explain()
  std::string type;                               // the operator's
  std::shared_ptr<const operators::Operator> op;  // null for border nodes
  int node = -1;                                  // in the graph; the last node of a fused chain
  std::vector<int> inputs;                        // values
  std::vector<int> arguments;                     // values, by slot
  std::vector<int> outputs;                       // values
  std::vector<std::pair<int, bool>> guards;       // value, wanted
  uint64_t operator_key = 0;
  uint64_t seed = 0;
  Placement placement = Placement::kHost;
  int reader = kNoReader;   // which of Plan::sources its inputs come from (the first if several); for errors
  int field = kManyFields;  // from which of that reader's outputs, if from one alone
  bool needs_origin = false;    // the origin of what that reader has read
  bool is_merge = false;        // takes whichever input exists
  std::vector<int> dead_after;  // values that are no longer needed once this has run
};

/// Whether it is a reader.
inline bool is_source(const Action& action) {
  return action.op != nullptr && action.op->scope() == operators::Scope::kSource;
}

enum class StepKind {
  kFeed,
  kSample,
  kGroup,     // an operator of group scope, or a function of the user that works on single samples
  kBatch,     // an operator of batch scope
  kFunction,  // a function of the user that works on batches
};

struct Step {
  StepKind kind = StepKind::kSample;
  // kSample: run in order on each sample; other kinds: exactly one, or all feeds.
  std::vector<Action> actions;
  int group_size = 1;  // kGroup: most samples at once
};

/// Whether it runs code of the user: batches, and groups within a batch, take it one after another, in order.
inline bool runs_python(const Step& step) {
  return step.kind == StepKind::kFeed || step.kind == StepKind::kFunction ||
         (step.kind == StepKind::kGroup && step.actions[0].op == nullptr);
}

/// Whether each sample goes on to the step when it is done with the one before. Others are barriers.
inline bool flows(const Step& step) {
  return step.kind == StepKind::kSample || step.kind == StepKind::kGroup;
}

/// The steps from one stream of samples to the next. The first phase's stream comes from readers and feeds, a
/// later one's from the expand operator that ends the previous phase.
struct Phase {
  std::vector<Step> steps;
  int expand = -1;  // index into Plan::expands; -1 for the last phase
};

class Plan : public std::enable_shared_from_this<Plan> {
 public:
  static Result<std::shared_ptr<const Plan>> compile(const Graph& graph, const PlanOptions& options);

  const Graph& graph() const { return graph_; }
  const PlanOptions& options() const { return options_; }
  const std::vector<Phase>& phases() const { return phases_; }
  const std::vector<Action>& expands() const { return expands_; }
  int num_values() const { return num_values_; }
  /// The delivered values, in the order of the graph's outputs.
  const std::vector<int>& outputs() const { return outputs_; }
  /// The readers in graph order: the first determines epochs and positions.
  const std::vector<Action>& sources() const { return sources_; }
  const std::vector<Action>& feeds() const { return feeds_; }
  /// Returns the data set of sources()[index], opened by the first caller and shared by all sessions. Thread
  /// safe; other callers wait meanwhile. An error is not remembered: the next caller tries again.
  Result<std::shared_ptr<dataset::Source>> open_source(size_t index) const FOREBAY_EXCLUDES(opened_mutex_);
  /// The next caller gets `other` for it, or opens it anew if that is null, unless it was replaced already.
  void replace_source(size_t index, const std::shared_ptr<dataset::Source>& opened,
                      std::shared_ptr<dataset::Source> other) const FOREBAY_EXCLUDES(opened_mutex_);

  bool has_device_actions() const { return has_device_actions_; }
  /// Whether a function of the user is among its steps. Feeds do not count.
  bool has_functions() const;

  /// The operators with batch scope: only graphs with such operators may depend on the batch size.
  std::vector<std::string> batch_dependent() const;

  /// Graph::fingerprint(), which together with the seed determines the results. Stored, so it costs nothing.
  uint64_t graph_fingerprint() const { return graph_fingerprint_; }
  /// A fingerprint of what decides, together with the seed, how many samples there are and in which order:
  /// readers, but for their shard; feeds; operators that drop, multiply or permute samples, and what they go
  /// by. What else happens to a sample is no part of it.
  uint64_t order_fingerprint() const { return order_fingerprint_; }

 private:
  friend class Compiler;
  Plan() = default;

  Graph graph_;
  uint64_t graph_fingerprint_ = 0;
  uint64_t order_fingerprint_ = 0;
  PlanOptions options_;
  std::vector<Phase> phases_;
  std::vector<Action> expands_;
  std::vector<Action> sources_;
  std::vector<Action> feeds_;
  std::vector<int> outputs_;
  int num_values_ = 0;
  bool has_device_actions_ = false;

  mutable Mutex opened_mutex_;
  mutable std::vector<std::shared_ptr<dataset::Source>> opened_ FOREBAY_GUARDED_BY(opened_mutex_);
};

}  // namespace forebay::pipeline
