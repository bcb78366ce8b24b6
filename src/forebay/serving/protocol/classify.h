// The classification extension: the highest values of a tensor with their places and names.
// Source: Triton's "Classification Extension".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// The `count` highest values of `tensor`, or of each row if `has_batch` (the first extent counts the rows),
/// as "value:index[:label]": a tensor of kBytes of the shape [rows, count] or [count], of the same name. A
/// row of fewer elements gives all it has. Floats are written with six decimals, as printf's %f has them;
/// equal values stand in the order of their indices, NaN last. An index beyond `labels` has no label.
/// invalid_argument for tensors of BOOL, BF16 and BYTES, and for a `count` below 1.
Result<NamedTensor> classify(const NamedTensor& tensor, int64_t count, const std::vector<std::string>& labels,
                             bool has_batch);

/// The same of an output of `model`, which has its labels and says whether there are rows; null: no labels
/// and one row.
Result<NamedTensor> classify_output(const NamedTensor& output, int64_t count, const ModelMetadata* model);

}  // namespace forebay::serving
