// A finished batch as the user gets it.
#pragma once

#include <vector>

#include "forebay/pipeline/plan/plan.h"
#include "forebay/pipeline/schedule/job.h"
#include "forebay/tensor/batch.h"

namespace forebay::pipeline {

/// The branches of a conditional may run for some samples each, and what they give is one batch: an error
/// where its samples are of different kinds.
Status check_merges(const Plan& plan, const BatchJob& batch);

/// `tensor`, or a copy of it where its memory is read-only: what users are given they may write to.
Result<tensor::Tensor> writable(const tensor::Tensor& tensor);

/// The outputs, in order, of the samples that are whole: one kind each, as the graph promised. The memory is
/// the user's from then on.
Result<std::vector<tensor::Batch>> collect_outputs(const Plan& plan, const BatchJob& batch);

}  // namespace forebay::pipeline
