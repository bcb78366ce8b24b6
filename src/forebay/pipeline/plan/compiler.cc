#include "forebay/pipeline/plan/compiler.h"

#include <algorithm>
#include <set>

#include "forebay/pipeline/plan/fuse_actions.h"

namespace forebay::pipeline {

using operators::Scope;

namespace {

bool runs_for_its_own_sake(const Node& node) {
  const bool* const preserve = node.constant<bool>("preserve");
  return node.op == kHostFunction && (node.num_outputs == 0 || (preserve != nullptr && *preserve));
}

bool is_copy(const Node& node) {
  return node.op == kCopyToDevice || node.op == kCopyToHost;
}

// The copies between host and device are `x.gpu()` and `x.cpu()` to who wrote them.
std::string copy_name(const Node& copy, const std::string& input) {
  return input + (copy.op == kCopyToDevice ? ".gpu()" : ".cpu()");
}

bool asks_for_origin(const Node& node) {
  const auto* const key = node.constant<std::string>("key");
  return node.op == "get_property" && key != nullptr && *key == "source_info";
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
  return std::shared_ptr<const Plan>(std::move(plan_));
}

std::vector<Edge> Compiler::dependencies(const Node& node) const {
  std::vector<Edge> edges = node.inputs;
  for (const auto& [name, edge] : node.tensors) {
    edges.push_back(edge);
  }
  for (const Guard& guard : node.guards) {
    edges.push_back(guard.predicate);
  }
  return edges;
}

Placement Compiler::placement_of(const Node& node) const {
  if (node.op == kCopyToDevice) {
    return Placement::kToDevice;
  }
  if (node.op == kCopyToHost) {
    return Placement::kToHost;
  }
  return node.device == Device::kGpu ? Placement::kDevice : Placement::kHost;
}

bool Compiler::is_on_device(const Edge& edge) const {
  const Placement placement = placement_of(graph().nodes()[edge.node]);
  return placement == Placement::kDevice || placement == Placement::kToDevice;
}

// Crossings are written by the user, as in DALI: an operator takes inputs of its own side, arguments always
// from the host.
Status Compiler::check_device(int index) const {
  const Node& node = graph().nodes()[index];
  const std::string& name = actions_.at(index).name;
  const Placement placement = placement_of(node);
  if (placement == Placement::kHost || placement == Placement::kToDevice) {
    for (const Edge& edge : node.inputs) {
      if (is_on_device(edge)) {
        return invalid_argument("'{}' runs on the CPU and its input is on the GPU: give it input.cpu()",
                                name);
      }
    }
  }
  if (placement == Placement::kDevice || placement == Placement::kToDevice) {
    if (!plan_->options_.has_device) {
      return unimplemented(
          "'{}' is placed on the GPU, and this build has no GPU back end: leave out .gpu() and "
          "device=\"gpu\"",
          name);
    }
    if (placement == Placement::kDevice && !actions_.at(index).op->runs_on_devices()) {
      return unimplemented(
          "'{}' has no GPU back end: leave out device=\"gpu\", and give it .cpu() of its inputs", name);
    }
  }
  if (placement == Placement::kDevice) {
    for (const Edge& edge : node.inputs) {
      if (!is_on_device(edge)) {
        return invalid_argument("'{}' runs on the GPU and its input is on the CPU: give it input.gpu()",
                                name);
      }
    }
  }
  for (const auto& [argument, edge] : node.tensors) {
    if (is_on_device(edge)) {
      return invalid_argument("argument '{}' of '{}' is on the GPU: arguments are CPU tensors", argument,
                              name);
    }
  }
  return ok_status();
}

// Nodes come after what they use, so one pass from the back finds all that is needed: by an output, or by a
// function that is there for what it does.
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
    for (const Edge& edge : dependencies(graph().nodes()[node])) {
      places_[edge.node].is_live = true;
    }
  }
}

Status Compiler::make_actions() {
  first_value_.resize(graph().nodes().size());
  for (int node = 0; node < static_cast<int>(graph().nodes().size()); ++node) {
    first_value_[node] = plan_->num_values_;
    plan_->num_values_ += graph().nodes()[node].num_outputs;
    if (places_[node].is_live) {
      FOREBAY_ASSIGN_OR_RETURN(actions_[node], make_action(node));
      FOREBAY_RETURN_IF_ERROR(check_device(node));
      plan_->has_device_actions_ |= actions_[node].placement != Placement::kHost;
    }
  }
  return ok_status();
}

std::string Compiler::action_name(const Node& node) const {
  if (!node.name.empty()) {
    return node.name;
  }
  return is_copy(node) ? copy_name(node, actions_.at(node.inputs[0].node).name) : node.op;
}

Result<Action> Compiler::make_action(int index) const {
  const Node& node = graph().nodes()[index];
  Action action;
  action.name = action_name(node);
  action.type = node.op;
  action.node = index;
  action.operator_key = graph().operator_key(index);
  action.seed = node.seed.value_or(plan_->options_.seed);
  action.is_merge = node.op == "_merge";
  action.placement = placement_of(node);
  operators::Arguments arguments;
  arguments.constants = node.constants;
  arguments.num_inputs = static_cast<int>(node.inputs.size());
  for (const Edge& edge : node.inputs) {
    action.inputs.push_back(value_of(edge));
  }
  for (const auto& [name, edge] : node.tensors) {
    arguments.tensors.emplace(name, static_cast<int>(action.arguments.size()));
    action.arguments.push_back(value_of(edge));
  }
  for (int output = 0; output < node.num_outputs; ++output) {
    action.outputs.push_back(first_value_[index] + output);
  }
  for (const Guard& guard : node.guards) {
    action.guards.emplace_back(value_of(guard.predicate), guard.wanted);
  }
  const bool is_border = node.op == kExternalSource || node.op == kHostFunction || is_copy(node);
  const auto& replaced = plan_->options_.replaced_operators;
  if (const auto found = replaced.find(action.name); found != replaced.end()) {
    action.op = found->second;
  } else if (!is_border) {
    FOREBAY_ASSIGN_OR_RETURN(const operators::OperatorSpec* spec, operators::find_operator(node.op));
    FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<operators::Operator> op, spec->create(arguments));
    action.op = std::move(op);
  }
  return action;
}

// Which reader each node's samples come from: that of its first input that has one, else of an argument.
// After a batch operator a place in the batch does not tell.
Status Compiler::trace_readers() {
  int readers = 0;
  std::vector<Provenance> known(graph().nodes().size());
  for (auto& [index, action] : actions_) {
    const Node& node = graph().nodes()[index];
    Provenance& of_node = known[index];
    of_node = provenance_of(node, known);
    action.needs_origin = asks_for_origin(node);
    if (action.needs_origin && of_node.reader == kMixedReaders) {
      return invalid_argument(
          "'{}' cannot tell the source_info of samples after an operator on the whole batch: "
          "take it before that",
          action.name);
    }
    if (action.op != nullptr && action.op->scope() == Scope::kSource) {
      of_node.reader = readers++;
    }
    action.reader = action.needs_origin && of_node.is_computed ? kNoReader : of_node.reader;
    if (action.op != nullptr && action.op->scope() == Scope::kBatch && of_node.reader >= 0) {
      of_node.reader = kMixedReaders;
    }
    of_node.is_computed = of_node.is_computed || action.type == kHostFunction;
  }
  return ok_status();
}

Compiler::Provenance Compiler::provenance_of(const Node& node, const std::vector<Provenance>& known) {
  std::vector<Edge> edges = node.inputs;
  for (const auto& [name, edge] : node.tensors) {
    edges.push_back(edge);
  }
  const auto first =
      std::ranges::find_if(edges, [&](const Edge& edge) { return known[edge.node].reader != kNoReader; });
  return first == edges.end() ? Provenance() : known[first->node];
}

Scope Compiler::scope_of(int node) const {
  const Action& action = actions_.at(node);
  if (action.type == kExternalSource) {
    return Scope::kSource;
  }
  if (is_copy(graph().nodes()[node])) {
    return Scope::kSample;
  }
  if (action.op != nullptr) {
    return action.op->scope();
  }
  const bool* const takes_batches = graph().nodes()[node].constant<bool>("batch_processing");
  return takes_batches != nullptr && *takes_batches ? Scope::kBatch : Scope::kGroup;
}

// Such steps stand between sample steps: all that comes before is done first.
bool Compiler::is_of_several(Scope scope) {
  return scope == Scope::kBatch || scope == Scope::kGroup;
}

bool Compiler::is_between(int node) const {
  return places_[node].level % 2 != 0;
}

Status Compiler::place_nodes() {
  for (const auto& [node, action] : actions_) {
    FOREBAY_RETURN_IF_ERROR(place_node(node));
  }
  return ok_status();
}

Status Compiler::place_node(int index) {
  const Node& node = graph().nodes()[index];
  const Scope scope = scope_of(index);
  Place& place = places_[index];
  if (scope == Scope::kSource) {
    place.level = node.op == kExternalSource ? -1 : 0;
    return ok_status();
  }
  place.is_floating = scope == Scope::kSample;
  for (const Edge& edge : dependencies(node)) {
    if (!places_[edge.node].is_floating) {
      place.phase = std::max(place.phase, places_[edge.node].phase);
      place.is_floating = false;
    }
  }
  for (const Edge& edge : dependencies(node)) {
    const Place& used = places_[edge.node];
    if (used.is_floating) {
      continue;
    }
    if (used.phase != place.phase) {
      return invalid_argument(
          "'{}' uses the output of '{}' from before a `keep` together with samples from after it; give it to "
          "`keep` as a further input, so that both hold the same samples",
          actions_.at(index).name, actions_.at(edge.node).name);
    }
    // It comes after the sample operators before it and before those after it.
    const bool here = is_of_several(scope);
    const int step = is_between(edge.node) ? (here ? 2 : 1) : (here ? 1 : 0);
    place.level = std::max(place.level, used.level + step);
  }
  if (is_of_several(scope)) {
    place.level = std::max(place.level, 1);
  }
  if (scope == Scope::kExpand) {
    ++place.phase;  // its outputs belong to the next stream; make_phases puts the operator between the two
    place.level = 0;
  }
  return ok_status();
}

Status Compiler::make_phases() {
  int last = 0;
  for (const auto& [node, action] : actions_) {
    last = std::max(last, places_[node].phase);
  }
  plan_->phases_.resize(last + 1);
  for (int phase = 0; phase < last; ++phase) {
    FOREBAY_RETURN_IF_ERROR(collect_expand(phase));
  }
  for (int phase = 0; phase <= last; ++phase) {
    make_steps(phase);
  }
  for (const Edge& edge : graph().outputs()) {
    const Place& place = places_[edge.node];
    if (!place.is_floating && place.phase != last) {
      return invalid_argument(
          "the output of '{}' comes from before a `keep` and other outputs from after it; give it "
          "to `keep` as a further input",
          actions_.at(edge.node).name);
    }
  }
  return ok_status();
}

Status Compiler::collect_expand(int phase) {
  for (const auto& [node, action] : actions_) {
    if (scope_of(node) != Scope::kExpand || places_[node].phase != phase + 1) {
      continue;
    }
    if (plan_->phases_[phase].expand >= 0) {
      return invalid_argument(
          "'{}' and '{}' both let samples through at the same place; use one `keep` for all inputs",
          plan_->expands_.back().name, action.name);
    }
    plan_->phases_[phase].expand = static_cast<int>(plan_->expands_.size());
    plan_->expands_.push_back(action);
  }
  return ok_status();
}

// The actions of a phase by level: one sample step for each even level, one step for each barrier, feeds
// first.
void Compiler::make_steps(int phase) {
  std::set<int> floating_used;
  const bool is_last = phase + 1 == static_cast<int>(plan_->phases_.size());
  for (const Edge& edge : graph().outputs()) {
    if (is_last && places_[edge.node].is_floating) {
      floating_used.insert(edge.node);
    }
  }
  // From the back, so that what a floating node uses is found after the node itself.
  for (auto item = actions_.rbegin(); item != actions_.rend(); ++item) {
    const int node = item->first;
    const Place& place = places_[node];
    const bool feeds_phase =
        !place.is_floating &&
        (place.phase == phase || (scope_of(node) == Scope::kExpand && place.phase == phase + 1));
    if (!feeds_phase && !floating_used.contains(node)) {
      continue;
    }
    for (const Edge& edge : dependencies(graph().nodes()[node])) {
      if (places_[edge.node].is_floating) {
        floating_used.insert(edge.node);
      }
    }
  }
  std::map<int, std::vector<Action>> levels;
  for (const auto& [node, action] : actions_) {
    const Place& place = places_[node];
    const Scope scope = scope_of(node);
    if (scope == Scope::kExpand ||
        (place.is_floating ? !floating_used.contains(node) : place.phase != phase)) {
      continue;
    }
    levels[place.level].push_back(action);
    if (scope == Scope::kSource) {
      (place.level < 0 ? plan_->feeds_ : plan_->sources_).push_back(action);
    }
  }
  std::vector<Step>& steps = plan_->phases_[phase].steps;
  for (auto& [level, actions] : levels) {
    if (level < 0) {
      steps.push_back({StepKind::kFeed, std::move(actions)});
    } else if (level % 2 == 0) {
      steps.push_back({StepKind::kSample, std::move(actions)});
    } else {
      for (Action& action : actions) {
        steps.push_back(step_of(std::move(action)));
      }
    }
  }
  if (phase > 0) {
    make_copies_in(&steps, plan_->expands_[plan_->phases_[phase - 1].expand]);
  }
  // The expand operator counts on single samples, at the end of a sample step.
  const bool expands = plan_->phases_[phase].expand >= 0;
  if (expands && (steps.empty() || steps.back().kind != StepKind::kSample)) {
    steps.push_back({StepKind::kSample, {}});
  }
}

// Of an action on several samples.
Step Compiler::step_of(Action action) const {
  Step step;
  const bool takes_groups = scope_of(action.node) == Scope::kGroup;
  if (takes_groups) {
    step.kind = StepKind::kGroup;
    step.group_size = action.op ? action.op->group_size() : operators::kLargestGroup;
  } else {
    step.kind = action.op ? StepKind::kBatch : StepKind::kFunction;
  }
  step.actions.push_back(std::move(action));
  return step;
}

// Behind an expand operator each sample begins as a copy that it makes. What it makes it of comes with the
// sample.
void Compiler::make_copies_in(std::vector<Step>* steps, Action expand) {
  if (steps->empty() || steps->front().kind != StepKind::kSample) {
    steps->insert(steps->begin(), {StepKind::kSample, {}});
  }
  expand.inputs.clear();
  expand.arguments.clear();
  expand.guards.clear();
  std::vector<Action>& actions = steps->front().actions;
  actions.insert(actions.begin(), std::move(expand));
}

// What a phase must leave behind: its outputs, or what its expand operator takes.
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
// expand. A sample that the memory limit refuses begins its step anew, so what comes from before the step
// lasts until its end.
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
    std::ranges::for_each(action->outputs, use);  // results that nobody uses
    for (const auto& [value, wanted] : action->guards) {
      use(value);
    }
  }
}

}  // namespace forebay::pipeline
