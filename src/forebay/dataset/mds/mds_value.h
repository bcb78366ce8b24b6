// The encodings of an MDS column, and its values as tensors.
//
// bytes, str, json, jpeg, png, str_decimal: uint8 [n], as stored. int, int8..., uint8..., float16...: a
// scalar of that type (int: int64). str_int, str_float: a scalar, int64 or float64, parsed. ndarray: its
// dtype and shape, whether they are the column's or stored with each value. pil: uint8 [height, width,
// channels].
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::dataset {

enum class MdsKind : uint8_t {
  kBytes,
  kScalar,
  kArray,
  kIntText,
  kFloatText,
  kPicture,
};

struct MdsEncoding {
  MdsKind kind = MdsKind::kBytes;
  std::optional<tensor::DType> dtype;  // kScalar; kArray: of all values
  std::optional<tensor::Shape> shape;  // kArray: of all values

  /// The bytes of each value, where the encoding says that.
  std::optional<uint64_t> size_bytes() const;
};

/// unimplemented for encodings that are not known, and for pkl, as reading it would run what it holds;
/// invalid_argument for one that contradicts itself.
Result<MdsEncoding> parse_mds_encoding(std::string_view text);

/// What a value is as a tensor, and which of its bytes are the elements.
struct MdsValue {
  tensor::TensorSpec spec;
  Bytes elements;
};

/// data_loss if the value does not fit its encoding. Not for kIntText and kFloatText.
Result<MdsValue> split_mds_value(const MdsEncoding& encoding, Bytes value);

/// The scalar of a kIntText or kFloatText.
Result<tensor::Tensor> parse_mds_text(const MdsEncoding& encoding, Bytes value);

}  // namespace forebay::dataset
