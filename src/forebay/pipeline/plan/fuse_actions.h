// Replaces chains of actions by fused operators.
#pragma once

#include <vector>

#include "forebay/pipeline/plan/plan.h"

namespace forebay::pipeline {

/// Fuses within each sample step of `phase`. `kept` are the values needed beyond the phase: delivered, or
/// carried on by an expand. A chain's inner values must only be used by the next action.
void fuse_actions(const std::vector<int>& kept, Phase* phase);

}  // namespace forebay::pipeline
