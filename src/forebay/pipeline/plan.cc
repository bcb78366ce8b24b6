#include "forebay/pipeline/plan.h"

#include "forebay/pipeline/compiler.h"

namespace forebay::pipeline {

Result<std::shared_ptr<const Plan>> Plan::compile(const Graph& graph, const PlanOptions& options) {
  return Compiler(graph, options).compile();
}

std::vector<std::string> Plan::batch_dependent() const {
  std::vector<std::string> names;
  for (const Phase& phase : phases_) {
    for (const Step& step : phase.steps) {
      if (step.kind == StepKind::kBatch || step.kind == StepKind::kFunction) {
        names.push_back(step.actions[0].name);
      }
    }
  }
  return names;
}

}  // namespace forebay::pipeline
