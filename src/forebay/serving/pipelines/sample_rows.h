// A request's tensors as samples, and samples' tensors as the answer's: the rows of a batch, lent where
// possible.
#pragma once

#include <string>
#include <vector>

#include "forebay/serving/inference/inference.h"
#include "forebay/tensor/tensor.h"

namespace forebay::serving {

/// Takes `given` apart along its first extent where `has_batch`, else as one row. Of kBytes each row must
/// have one element, whose bytes become a tensor of uint8. Shares the memory of `given`, whose sizes
/// check_size() found right. `layout` is given to rows of its rank.
Result<std::vector<tensor::Tensor>> rows_of(const NamedTensor& given, bool has_batch,
                                            const tensor::Layout& layout);

/// The rows as one tensor, with the extent of the batch in front where `has_batch`. One row shares its
/// memory; several are copied (counted). invalid_argument, naming the output and two rows, where their shapes
/// or types differ.
Result<NamedTensor> tensor_of_rows(std::string name, const std::vector<tensor::Tensor>& rows, bool has_batch);

}  // namespace forebay::serving
