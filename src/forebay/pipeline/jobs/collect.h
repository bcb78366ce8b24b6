// Turns a finished batch into what the user gets.
#pragma once

#include <vector>

#include "forebay/pipeline/jobs/job.h"
#include "forebay/pipeline/plan/plan.h"
#include "forebay/tensor/batch.h"

namespace forebay::pipeline {

/// The branches of a conditional may each run for some of the samples, and their results form one batch:
/// returns an error if the samples are of different kinds.
Status check_merges(const Plan& plan, const BatchJob& batch);

/// `tensor`, or a copy of it where its memory is read-only: what users are given they may write to.
Result<tensor::Tensor> writable(const tensor::Tensor& tensor);

/// Returns the outputs, in order, of the samples that are not broken: of one kind each, as the graph
/// declared. From then on the memory belongs to the user.
Result<std::vector<tensor::Batch>> collect_outputs(const Plan& plan, const BatchJob& batch);

}  // namespace forebay::pipeline
