// The outputs of an answer as a client asked for them: classes instead of values, tensors put into shared
// memory.
#pragma once

#include <optional>
#include <vector>

#include "forebay/serving/inference/inference.h"
#include "forebay/serving/protocol/shared_regions.h"

namespace forebay::serving {

struct AnswerOutput {
  NamedTensor tensor;
  bool is_binary = false;
  std::optional<SharedPlace> place;  // its bytes are there already, so many
};

/// The outputs that were `asked` for, or all if none was; `is_binary` of those that were not asked for by
/// name. `metadata` of the model (labels, extent of the batch) and `regions` may be null where nothing of
/// `asked` needs them. internal_error for an output that the model did not give, and for one that does not
/// lie in the host's memory; the errors of classify() and SharedRegions::write(), with the output's name.
Result<std::vector<AnswerOutput>> answer_outputs(std::vector<NamedTensor> outputs,
                                                 const std::vector<RequestedOutput>& asked, bool is_binary,
                                                 const ModelMetadata* metadata, const SharedRegions* regions);

}  // namespace forebay::serving
