// The columns of a Parquet file: the leaves of its schema, with the levels that say where values are missing
// and where lists begin, and the element type that a column has here.
// https://github.com/apache/parquet-format (parquet.thrift, LogicalTypes.md)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/dataset/parquet/thrift_reader.h"
#include "forebay/tensor/dtype.h"

namespace forebay::dataset {

/// How values are stored; the numbers are the format's.
enum class ParquetType : int8_t {
  kBoolean = 0,
  kInt32 = 1,
  kInt64 = 2,
  kInt96 = 3,
  kFloat = 4,
  kDouble = 5,
  kByteArray = 6,
  kFixedBytes = 7,
};

/// A node of the schema as it is in the file: a list of nodes in depth-first order.
struct ParquetSchemaNode {
  std::string name;
  int64_t type = -1;        // ParquetType; -1: a group
  int64_t type_length = 0;  // of kFixedBytes
  int64_t repetition = 0;   // 0 required, 1 optional, 2 repeated
  int64_t children = 0;
  int64_t converted = -1;    // ConvertedType
  int64_t logical = 0;       // the LogicalType's field; 0: none
  int64_t integer_bits = 0;  // of the logical type INTEGER
  bool integer_signed = true;
};

ParquetSchemaNode read_parquet_schema_node(ThriftReader& reader);

/// A column.
struct ParquetLeaf {
  std::string path;  // names from the root on, joined by dots
  ParquetType type = ParquetType::kInt32;
  uint32_t width = 0;  // bytes of a stored value; 0: each has its own length
  uint8_t max_definition = 0;
  uint8_t max_repetition = 0;
  uint8_t first_list = 0;  // the definition level from which on the outermost list is there; 0: no list
  uint8_t last_list = 0;   // the definition level from which on the innermost list has an element
  /// The element type as a tensor; kNone: no tensor holds it, and `unreadable` says why.
  tensor::DType dtype = tensor::DType::kNone;
  std::string unreadable;

  /// Whether a value is a tensor of rank 1 itself: its bytes.
  bool is_bytes() const {
    return type == ParquetType::kByteArray ||
           (type == ParquetType::kFixedBytes && dtype == tensor::DType::kUint8);
  }
};

/// data_loss if the nodes are no tree.
Result<std::vector<ParquetLeaf>> parquet_leaves(const std::vector<ParquetSchemaNode>& nodes);

/// Returns the number of the leaf that `name` means: its whole path, or that of a group above it that has no
/// other leaf, as a list has. not_found, or invalid_argument if several leaves are below it; unimplemented if
/// it cannot be read.
Result<size_t> find_parquet_leaf(const std::vector<ParquetLeaf>& leaves, std::string_view name);

}  // namespace forebay::dataset
