// Parsers of the two messages in which Caffe and Caffe2 keep a picture and its labels.
//
//   Datum { channels = 1, height = 2, width = 3, bytes data = 4, label = 5, bool encoded = 7 }
//   TensorProtos { repeated TensorProto protos = 1 }
//   TensorProto { repeated dims = 1, data_type = 2, float_data = 3, int32_data = 4, bytes byte_data = 5,
//                 repeated bytes string_data = 6, int64_data = 10 }
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

/// Borrows the message.
struct Datum {
  int64_t channels = 0;
  int64_t height = 0;
  int64_t width = 0;
  std::optional<Bytes> data;
  std::optional<int32_t> label;
  bool is_encoded = true;  // else the data are pixels
};

/// data_loss for a malformed message.
Result<Datum> parse_datum(Bytes message);

enum class ProtoType : int64_t { kFloat = 1, kInt32 = 2, kByte = 3, kString = 4, kInt64 = 10 };

/// Borrows the message.
struct TensorProto {
  std::vector<int64_t> dims;
  ProtoType type = ProtoType::kFloat;
  std::vector<float> floats;
  std::vector<int32_t> int32s;
  std::vector<int64_t> int64s;
  Bytes bytes;
  std::optional<Bytes> text;  // the first of string_data
};

/// data_loss for a malformed message.
Result<std::vector<TensorProto>> parse_tensor_protos(Bytes message);

}  // namespace forebay::dataset
