// What functions of the user are given of a batch, and what they must give.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "forebay/pipeline/jobs/collect.h"
#include "forebay/pipeline/jobs/job.h"
#include "forebay/pipeline/plan/plan.h"
#include "forebay/pipeline/session/border.h"

namespace forebay::pipeline {

/// The samples `indices` of the batch, as the function of `action` gets them: it may write to its inputs.
inline Result<std::vector<FunctionSample>> function_samples(const BatchJob& batch,
                                                            std::span<const int> indices,
                                                            const Action& action) {
  std::vector<FunctionSample> samples;
  for (const int index : indices) {
    const SampleJob& job = batch.samples[index];
    FunctionSample& sample = samples.emplace_back();
    sample.identity = job.identity;
    for (const int value : action.inputs) {
      FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor input, writable(job.values[value]));
      sample.inputs.push_back(std::move(input));
    }
    sample.outputs.resize(action.outputs.size());
  }
  return samples;
}

/// invalid_argument when the function gave a wrong number of outputs.
inline Status check_count(const FunctionSample& sample, const Action& action) {
  if (sample.outputs.size() != action.outputs.size()) {
    return invalid_argument("the function gave {} outputs, {} expected", sample.outputs.size(),
                            action.outputs.size());
  }
  return ok_status();
}

}  // namespace forebay::pipeline
