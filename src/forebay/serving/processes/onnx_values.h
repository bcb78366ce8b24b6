// Tensors of the protocol as ONNX Runtime's values, and back.
#pragma once

#include "forebay/serving/inference/inference.h"
#include "forebay/serving/processes/onnx_library.h"

namespace forebay::serving {

/// unimplemented for the types that the protocol has not: complex numbers, and those of 8 bits and fewer.
Result<Datatype> datatype_of_onnx(int element_type);
int onnx_type_of(Datatype datatype);

struct OnnxShape {
  int element_type = 0;
  std::vector<int64_t> extents;  // -1: any
};
Result<OnnxShape> shape_of(const OnnxLibrary& library, const OrtShapeInfo* info);

/// Borrows the tensor's memory, except for strings, which are copied. invalid_argument for strings with zeros
/// in them, which ONNX Runtime's interface would cut.
Result<OrtValueRef> onnx_value(const OnnxLibrary& library, const OrtMemoryInfo* memory,
                               const NamedTensor& tensor);

/// Takes the value over: the tensor's memory is its own, except for strings, which are copied.
Result<NamedTensor> tensor_of(const OnnxLibrary& library, std::string name, OrtValueRef value);

}  // namespace forebay::serving
