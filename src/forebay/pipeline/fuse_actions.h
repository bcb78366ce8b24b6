// Replaces chains of actions that a fused operator covers. A chain's inner values must have no other use.
#pragma once

#include <vector>

#include "forebay/base/status.h"
#include "forebay/pipeline/plan.h"

namespace forebay::pipeline {

/// Fuses within each sample step of `phase`; `kept` are values that are delivered.
Status fuse_actions(const Graph& graph, const std::vector<int>& kept, Phase* phase);

}  // namespace forebay::pipeline
