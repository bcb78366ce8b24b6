// Operators written by a test, in place of those of the table.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "forebay/pipeline/plan/plan.h"

namespace forebay::pipeline::testing {

/// Runs a function on each sample.
class FunctionOperator final : public operators::Operator {
 public:
  using Function = std::function<Status(operators::Sample&)>;
  explicit FunctionOperator(Function function) : function_(std::move(function)) {}
  Status run(operators::Sample& sample) const override { return function_(sample); }
  Status run_batch(std::span<operators::Sample> samples) const override { return function_(samples[0]); }

 private:
  Function function_;
};

/// Replaces the operator of the action with that name. The plan keeps what it knows about its scope.
inline void replace_operator(const Plan& plan, std::string_view action_name,
                             const std::shared_ptr<const operators::Operator>& op) {
  const auto replace = [&](const std::vector<Action>& actions) {
    for (const Action& action : actions) {
      if (action.name == action_name) {
        const_cast<Action&>(action).op = op;  // the test made the plan and has not run it yet
      }
    }
  };
  replace(plan.expands());
  replace(plan.sources());
  for (const Phase& phase : plan.phases()) {
    for (const Step& step : phase.steps) {
      replace(step.actions);
    }
  }
}

/// Lets `function` do the work of the action with that name.
inline void replace_operator(const Plan& plan, std::string_view action_name,
                             FunctionOperator::Function function) {
  replace_operator(plan, action_name, std::make_shared<FunctionOperator>(std::move(function)));
}

}  // namespace forebay::pipeline::testing
