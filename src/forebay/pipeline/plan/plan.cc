#include "forebay/pipeline/plan/plan.h"

#include <algorithm>

#include "forebay/base/caught.h"
#include "forebay/pipeline/plan/compiler.h"

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

bool Plan::has_functions() const {
  return std::ranges::any_of(phases_, [](const Phase& phase) {
    return std::ranges::any_of(
        phase.steps, [](const Step& step) { return runs_python(step) && step.kind != StepKind::kFeed; });
  });
}

Result<std::shared_ptr<dataset::Source>> Plan::open_source(size_t index) const {
  const MutexLock lock(opened_mutex_);
  opened_.resize(sources_.size());
  if (opened_[index] == nullptr) {
    const Action& action = sources_[index];
    FOREBAY_ASSIGN_OR_RETURN(const dataset::OrderOptions order,
                             action.op->order_options(action.seed, options_.batch_size));
    FOREBAY_ASSIGN_OR_RETURN(opened_[index], caught([&] { return action.op->open_source(order); }));
  }
  return opened_[index];
}

void Plan::replace_source(size_t index, const std::shared_ptr<dataset::Source>& opened,
                          std::shared_ptr<dataset::Source> other) const {
  const MutexLock lock(opened_mutex_);
  if (opened_[index] == opened) {
    opened_[index] = std::move(other);
  }
}

}  // namespace forebay::pipeline
