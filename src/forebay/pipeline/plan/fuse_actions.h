// Replaces chains of actions that a fused operator covers.
#pragma once

#include <vector>

#include "forebay/pipeline/plan/plan.h"

namespace forebay::pipeline {

/// Fuses within each sample step of `phase`. `kept` are the values that are needed beyond it: delivered, or
/// carried on by an expand. A chain's inner values must have no use but the next action.
void fuse_actions(const std::vector<int>& kept, Phase* phase);

}  // namespace forebay::pipeline
