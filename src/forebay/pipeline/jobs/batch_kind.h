// What the samples of a batch must have in common: their type and number of dimensions. A batch that mixes
// them is a mistake in the graph, not in a sample: no error policy skips it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::pipeline {

struct SampleKind {
  tensor::DType dtype = tensor::DType::kUint8;
  int rank = 0;
  std::optional<tensor::Layout> layout;  // of what branches of a conditional give: it must be one, too
  friend bool operator==(const SampleKind&, const SampleKind&) = default;
};

SampleKind kind_of(const tensor::Tensor& sample);
SampleKind kind_with_layout_of(const tensor::Tensor& sample);

/// invalid_argument naming the first two samples that differ. `kinds`: place in the batch, kind.
Status check_one_kind(const std::vector<std::pair<int, SampleKind>>& kinds);

/// The same for the samples of a whole batch, in order.
Status check_one_kind(const std::vector<tensor::Tensor>& samples);

}  // namespace forebay::pipeline
