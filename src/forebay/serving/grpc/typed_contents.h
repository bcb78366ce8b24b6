// Tensors whose elements came as numbers of the message, and not as bytes.
#pragma once

#include <memory>

#include "forebay/serving/grpc/inference.pb.h"
#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// Gives `tensor`, of which name, datatype and shape are set, the elements of `contents`. Those of 4 and 8
/// bytes are not copied: the tensor keeps `owner`, whose message `contents` is part of. invalid_argument
/// where the elements lie in the field of another datatype, or a number does not fit the datatype;
/// unimplemented for FP16 and BF16, for which the protocol has no field.
Status read_typed_contents(const inference::InferTensorContents& contents,
                           const std::shared_ptr<const inference::ModelInferRequest>& owner,
                           NamedTensor& tensor);

}  // namespace forebay::serving
