// Where each node stands, and the phases and steps that follow from it.
#include <algorithm>
#include <set>
#include <utility>

#include "forebay/pipeline/plan/compiler.h"

namespace forebay::pipeline {

using operators::Scope;

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
  for (const Edge& edge : node.dependencies()) {
    if (!places_[edge.node].is_floating) {
      place.phase = std::max(place.phase, places_[edge.node].phase);
      place.is_floating = false;
    }
  }
  for (const Edge& edge : node.dependencies()) {
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

// The floating nodes that a phase uses.
std::set<int> Compiler::floating_in(int phase) const {
  std::set<int> used;
  const bool is_last = phase + 1 == static_cast<int>(plan_->phases_.size());
  for (const Edge& edge : graph().outputs()) {
    if (is_last && places_[edge.node].is_floating) {
      used.insert(edge.node);
    }
  }
  // From the back, so that what a floating node uses is found after the node itself.
  for (auto item = actions_.rbegin(); item != actions_.rend(); ++item) {
    const int node = item->first;
    const Place& place = places_[node];
    const bool feeds_phase =
        !place.is_floating &&
        (place.phase == phase || (scope_of(node) == Scope::kExpand && place.phase == phase + 1));
    if (!feeds_phase && !used.contains(node)) {
      continue;
    }
    for (const Edge& edge : graph().nodes()[node].dependencies()) {
      if (places_[edge.node].is_floating) {
        used.insert(edge.node);
      }
    }
  }
  return used;
}

// The actions of a phase by level. Also notes the feeds and readers among them.
std::map<int, std::vector<Action>> Compiler::levels_of(int phase) {
  const std::set<int> floating = floating_in(phase);
  std::map<int, std::vector<Action>> levels;
  for (const auto& [node, action] : actions_) {
    const Place& place = places_[node];
    const Scope scope = scope_of(node);
    const bool is_here = place.is_floating ? floating.contains(node) : place.phase == phase;
    if (scope == Scope::kExpand || !is_here) {
      continue;
    }
    levels[place.level].push_back(action);
    if (scope == Scope::kSource) {
      (place.level < 0 ? plan_->feeds_ : plan_->sources_).push_back(action);
    }
  }
  return levels;
}

// One sample step for each even level, one step for each action on several samples, feeds first.
void Compiler::make_steps(int phase) {
  std::vector<Step>& steps = plan_->phases_[phase].steps;
  for (auto& [level, actions] : levels_of(phase)) {
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

}  // namespace forebay::pipeline
