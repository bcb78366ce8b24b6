// Element types of the Open Inference Protocol: names, sizes, the library's own.
#include "forebay/serving/inference/datatype.h"

#include <array>

#include "forebay/base/check.h"

namespace forebay::serving {
namespace {

struct Row {
  Datatype datatype;
  std::string_view name;
  size_t bytes;
  tensor::DType dtype;
};

constexpr std::array kRows = {
    Row{Datatype::kBool, "BOOL", 1, tensor::DType::kBool},
    Row{Datatype::kUint8, "UINT8", 1, tensor::DType::kUint8},
    Row{Datatype::kUint16, "UINT16", 2, tensor::DType::kUint16},
    Row{Datatype::kUint32, "UINT32", 4, tensor::DType::kUint32},
    Row{Datatype::kUint64, "UINT64", 8, tensor::DType::kUint64},
    Row{Datatype::kInt8, "INT8", 1, tensor::DType::kInt8},
    Row{Datatype::kInt16, "INT16", 2, tensor::DType::kInt16},
    Row{Datatype::kInt32, "INT32", 4, tensor::DType::kInt32},
    Row{Datatype::kInt64, "INT64", 8, tensor::DType::kInt64},
    Row{Datatype::kFp16, "FP16", 2, tensor::DType::kFloat16},
    Row{Datatype::kBf16, "BF16", 2, tensor::DType::kNone},
    Row{Datatype::kFp32, "FP32", 4, tensor::DType::kFloat},
    Row{Datatype::kFp64, "FP64", 8, tensor::DType::kFloat64},
    Row{Datatype::kBytes, "BYTES", 0, tensor::DType::kNone},
};

const Row& row_of(Datatype datatype) {
  const Row& row = kRows[static_cast<size_t>(datatype)];
  FOREBAY_CHECK(row.datatype == datatype);
  return row;
}

}  // namespace

std::string_view name_of(Datatype datatype) {
  return row_of(datatype).name;
}

size_t size_of(Datatype datatype) {
  return row_of(datatype).bytes;
}

Result<Datatype> datatype_of(std::string_view name) {
  std::string names;
  for (const Row& row : kRows) {
    if (row.name == name) {
      return row.datatype;
    }
    names += names.empty() ? "" : ", ";
    names += row.name;
  }
  return invalid_argument("datatype '{}' is none of {}", name, names);
}

Result<tensor::DType> dtype_of(Datatype datatype) {
  const Row& row = row_of(datatype);
  if (row.dtype == tensor::DType::kNone) {
    return unimplemented("tensors of {} cannot be given to a pipeline", row.name);
  }
  return row.dtype;
}

Datatype datatype_of(tensor::DType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) {
      return row.datatype;
    }
  }
  FOREBAY_CHECK(false);
  return Datatype::kBytes;
}

}  // namespace forebay::serving
