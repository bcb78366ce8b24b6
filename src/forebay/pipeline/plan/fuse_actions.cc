#include "forebay/pipeline/plan/fuse_actions.h"

#include <algorithm>
#include <map>

#include "forebay/operators/fusion/fusion.h"

namespace forebay::pipeline {
namespace {

using Uses = std::map<int, int>;  // value -> number of uses

Uses count_uses(const std::vector<int>& kept, const Phase& phase) {
  Uses uses;
  const auto use = [&](int value) { ++uses[value]; };
  std::ranges::for_each(kept, use);
  for (const Step& step : phase.steps) {
    for (const Action& action : step.actions) {
      std::ranges::for_each(action.inputs, use);
      std::ranges::for_each(action.arguments, use);
      for (const auto& [value, wanted] : action.guards) {
        use(value);
      }
    }
  }
  return uses;
}

bool is_link(const Action& action) {
  return action.op != nullptr && action.inputs.size() == 1 && action.outputs.size() == 1 &&
         !action.is_merge && action.placement == Placement::kHost;
}

// The positions of the longest chain that starts at `first`.
std::vector<size_t> chain_from(const std::vector<Action>& actions, size_t first, const Uses& uses) {
  std::vector<size_t> chain = {first};
  for (size_t next = first + 1; next < actions.size(); ++next) {
    const Action& last = actions[chain.back()];
    const Action& action = actions[next];
    const bool follows = is_link(action) && action.inputs[0] == last.outputs[0] &&
                         action.guards == last.guards && uses.at(last.outputs[0]) == 1;
    if (follows) {
      chain.push_back(next);
    }
  }
  return chain;
}

Action fused_action(const std::vector<Action>& actions, const std::vector<size_t>& chain,
                    const operators::Fusion& fusion) {
  const Action& first = actions[chain[0]];
  Action fused = actions[chain[fusion.count - 1]];
  fused.op = fusion.op;
  fused.type = fusion.name;
  fused.inputs = first.inputs;
  fused.arguments.clear();
  fused.name.clear();
  for (int step = 0; step < fusion.count; ++step) {
    const Action& action = actions[chain[step]];
    fused.arguments.insert(fused.arguments.end(), action.arguments.begin(), action.arguments.end());
    fused.name += (step == 0 ? "" : " + ") + action.name;
  }
  return fused;
}

operators::Fusion try_fuse(const std::vector<Action>& actions, const std::vector<size_t>& chain) {
  std::vector<operators::FusionStep> steps;
  int slot = 0;
  for (const size_t position : chain) {
    const Action& action = actions[position];
    const auto spec = operators::find_operator(action.type);
    if (!spec.ok()) {
      return {};
    }
    const auto slots = static_cast<int>(action.arguments.size());
    steps.push_back({*spec, action.op, slot, slots, action.seed, action.operator_key, action.name});
    slot += slots;
  }
  return operators::fuse(steps);
}

// Fuses one chain; returns false if none is left. The fused action takes the place of the chain's last one,
// so all arguments are available when it runs.
bool fuse_one(std::vector<Action>* actions, const Uses& uses) {
  for (size_t first = 0; first < actions->size(); ++first) {
    if (!is_link((*actions)[first]) || (*actions)[first].type.starts_with("_fused")) {
      continue;
    }
    const std::vector<size_t> chain = chain_from(*actions, first, uses);
    if (chain.size() < 2) {
      continue;
    }
    const operators::Fusion fusion = try_fuse(*actions, chain);
    if (fusion.op == nullptr || fusion.count < 2) {
      continue;
    }
    (*actions)[chain[fusion.count - 1]] = fused_action(*actions, chain, fusion);
    for (int step = fusion.count - 2; step >= 0; --step) {
      actions->erase(actions->begin() + static_cast<std::ptrdiff_t>(chain[step]));
    }
    return true;
  }
  return false;
}

}  // namespace

void fuse_actions(const std::vector<int>& kept, Phase* phase) {
  const Uses uses = count_uses(kept, *phase);
  for (Step& step : phase->steps) {
    while (step.kind == StepKind::kSample && fuse_one(&step.actions, uses)) {
    }
  }
}

}  // namespace forebay::pipeline
