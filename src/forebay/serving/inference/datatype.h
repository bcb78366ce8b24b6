// Element types of the Open Inference Protocol, by its names.
// Source: KServe's "Open Inference Protocol V2", tensor data types; BF16 as Triton adds it.
#pragma once

#include <cstddef>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/tensor/dtype.h"

namespace forebay::serving {

enum class Datatype : int8_t {
  kBool,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFp16,
  kBf16,
  kFp32,
  kFp64,
  kBytes,  // each element a string of bytes
};

std::string_view name_of(Datatype datatype);  // "BOOL", "UINT8", "FP32", "BYTES", ...
/// invalid_argument with the names that exist.
Result<Datatype> datatype_of(std::string_view name);
/// Bytes of an element; 0 for kBytes, whose elements have lengths of their own.
size_t size_of(Datatype datatype);

/// unimplemented for kBytes and kBf16, which no tensor of the library has.
Result<tensor::DType> dtype_of(Datatype datatype);
Datatype datatype_of(tensor::DType dtype);

}  // namespace forebay::serving
