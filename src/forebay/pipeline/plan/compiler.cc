#include "forebay/pipeline/plan/compiler.h"

#include <algorithm>
#include <set>

#include "forebay/base/random/random.h"
#include "forebay/dataset/order/order.h"
#include "forebay/pipeline/plan/fuse_actions.h"

namespace forebay::pipeline {
namespace {

// The operator that gives the samples of a batch in another order.
constexpr std::string_view kPermuteBatch = "permute_batch";

bool runs_for_its_own_sake(const Node& node) {
  const bool* const preserve = node.constant<bool>("preserve");
  return node.op == kHostFunction && (node.num_outputs == 0 || (preserve != nullptr && *preserve));
}

}  // namespace

Result<std::shared_ptr<const Plan>> Compiler::compile() {
  if (graph().outputs().empty()) {
    return invalid_argument("the pipeline has no outputs: return at least one from its definition");
  }
  if (plan_->options_.batch_size < 1) {
    return invalid_argument("batch_size={} must be at least 1", plan_->options_.batch_size);
  }
  mark_live();
  FOREBAY_RETURN_IF_ERROR(make_actions());
  FOREBAY_RETURN_IF_ERROR(trace_readers());
  FOREBAY_RETURN_IF_ERROR(place_nodes());
  FOREBAY_RETURN_IF_ERROR(make_phases());
  for (const Edge& edge : graph().outputs()) {
    plan_->outputs_.push_back(value_of(edge));
  }
  for (Phase& phase : plan_->phases_) {
    if (plan_->options_.fuse) {
      fuse_actions(values_beyond(phase), &phase);
    }
  }
  mark_deaths();
  plan_->graph_fingerprint_ = graph().fingerprint();
  FOREBAY_ASSIGN_OR_RETURN(plan_->order_fingerprint_, order_fingerprint());
  return std::shared_ptr<const Plan>(std::move(plan_));
}

// Of all that a place in the stream depends on.
Result<uint64_t> Compiler::order_fingerprint() const {
  uint64_t fingerprint = graph().fingerprint_of_rules(rules_of_order());
  const int batch_size = plan_->options_.batch_size;
  for (const Action& source : plan_->sources_) {
    const Result<dataset::OrderOptions> order = source.op->order_options(source.seed, batch_size);
    FOREBAY_RETURN_IF_ERROR(annotate(order.status(), source.name));
    if (dataset::depends_on_batch_size(*order)) {
      fingerprint = mix64(fingerprint, static_cast<uint64_t>(batch_size));
    }
  }
  return fingerprint;
}

// The nodes that decide how many samples there are, and in which order.
std::vector<int> Compiler::rules_of_order() const {
  std::vector<int> rules;
  for (const std::vector<Action>* actions : {&plan_->sources_, &plan_->feeds_, &plan_->expands_}) {
    for (const Action& action : *actions) {
      rules.push_back(action.node);
    }
  }
  for (size_t node = 0; node < places_.size(); ++node) {
    if (places_[node].is_live && graph().nodes()[node].op == kPermuteBatch) {
      rules.push_back(static_cast<int>(node));
    }
  }
  return rules;
}

// Nodes come after what they use, so one pass from the back finds everything that is needed by an output or
// by a function that runs for its side effects.
void Compiler::mark_live() {
  places_.resize(graph().nodes().size());
  for (size_t node = 0; node < places_.size(); ++node) {
    places_[node].is_live = runs_for_its_own_sake(graph().nodes()[node]);
  }
  for (const Edge& edge : graph().outputs()) {
    places_[edge.node].is_live = true;
  }
  for (int node = static_cast<int>(places_.size()) - 1; node >= 0; --node) {
    if (!places_[node].is_live) {
      continue;
    }
    for (const Edge& edge : graph().nodes()[node].dependencies()) {
      places_[edge.node].is_live = true;
    }
  }
}

// What a phase must leave behind: its outputs, or the inputs of its expand operator.
std::vector<int> Compiler::values_beyond(const Phase& phase) const {
  if (phase.expand < 0) {
    return plan_->outputs_;
  }
  const Action& expand = plan_->expands_[phase.expand];
  std::vector<int> values = expand.inputs;
  values.insert(values.end(), expand.arguments.begin(), expand.arguments.end());
  for (const auto& [value, wanted] : expand.guards) {
    values.push_back(value);
  }
  return values;
}

// A value dies after the last action of its phase that uses it, unless it is delivered or carried on by an
// expand. A sample refused by the memory limit starts its step over, so a value from before the step lives
// until the end of the step.
void Compiler::mark_deaths() {
  for (Phase& phase : plan_->phases_) {
    const std::vector<int> beyond = values_beyond(phase);
    std::set<int> seen(beyond.begin(), beyond.end());
    for (auto step = phase.steps.rbegin(); step != phase.steps.rend(); ++step) {
      mark_deaths(&*step, &seen);
    }
  }
}

void Compiler::mark_deaths(Step* step, std::set<int>* seen) {
  std::set<int> made;
  for (const Action& action : step->actions) {
    made.insert(action.outputs.begin(), action.outputs.end());
  }
  for (auto action = step->actions.rbegin(); action != step->actions.rend(); ++action) {
    const auto use = [&](int value) {
      if (seen->insert(value).second) {
        (made.contains(value) ? *action : step->actions.back()).dead_after.push_back(value);
      }
    };
    std::ranges::for_each(action->inputs, use);
    std::ranges::for_each(action->arguments, use);
    std::ranges::for_each(action->outputs, use);  // results that nothing uses
    for (const auto& [value, wanted] : action->guards) {
      use(value);
    }
  }
}

}  // namespace forebay::pipeline
