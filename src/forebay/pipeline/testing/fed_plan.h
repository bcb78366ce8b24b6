// The smallest plan: a source that is fed, and nothing else. It opens no data.
#pragma once

#include <memory>

#include "forebay/base/check.h"
#include "forebay/pipeline/plan/plan.h"

namespace forebay::pipeline {

inline std::shared_ptr<const Plan> fed_plan() {
  Graph graph;
  Node source;
  source.op = kExternalSource;
  source.name = "fed";
  const Result<int> node = graph.add(std::move(source));
  FOREBAY_CHECK(node.ok() && graph.set_outputs({{*node, 0}}).ok());
  const auto plan = Plan::compile(graph, {.batch_size = 2, .seed = 1});
  FOREBAY_CHECK(plan.ok());
  return *plan;
}

}  // namespace forebay::pipeline
