#include "forebay/engine/testing/history.h"

#include <algorithm>

namespace forebay::engine::testing {
namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  return (hash ^ value) * 1099511628211u + 0x9e3779b97f4a7c15u;
}

Use& use_of(std::vector<Use>& uses, int variable) {
  const auto known =
      std::find_if(uses.begin(), uses.end(), [&](const Use& use) { return use.variable == variable; });
  return known != uses.end() ? *known : uses.emplace_back(Use{variable, false, false});
}

}  // namespace

std::vector<Use> uses_of(const PlannedTask& task) {
  std::vector<Use> uses;
  for (const int variable : task.writes) {
    use_of(uses, variable).writes = true;
  }
  for (const int variable : task.reads) {
    use_of(uses, variable).reads = true;
  }
  return uses;
}

uint64_t input_of(const PlannedTask& task, const std::vector<Cell>& cells) {
  uint64_t hash = static_cast<uint64_t>(task.number);
  for (const Use& use : uses_of(task)) {
    if (use.reads) {
      hash = mix(hash, cells[use.variable].value);
    }
  }
  return hash;
}

uint64_t output_of(const PlannedTask& task, int variable, uint64_t input) {
  return mix(mix(input, static_cast<uint64_t>(task.number)), static_cast<uint64_t>(variable));
}

}  // namespace forebay::engine::testing
