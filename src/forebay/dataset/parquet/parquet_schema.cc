#include "forebay/dataset/parquet/parquet_schema.h"

#include <algorithm>

#include "forebay/tensor/shape.h"

namespace forebay::dataset {
namespace {

using tensor::DType;

constexpr size_t kMaxLeaves = 1 << 16;
constexpr int kDeepestNode = 32;
constexpr int64_t kMaxFixedBytes = 1 << 20;

/// Fields of the union LogicalType, and values of ConvertedType.
constexpr int64_t kLogicalDecimal = 5;
constexpr int64_t kLogicalInteger = 10;
constexpr int64_t kLogicalNull = 11;
constexpr int64_t kLogicalFloat16 = 15;
constexpr int64_t kConvertedDecimal = 5;
constexpr int64_t kConvertedUint8 = 11;
constexpr int64_t kConvertedInt64 = 18;

struct IntegerKind {
  int64_t bits = 0;
  bool is_signed = true;
};

/// What an integer is according to its annotation; nothing else is known of `stored_bits`.
IntegerKind integer_kind(const ParquetSchemaNode& node, int64_t stored_bits) {
  if (node.logical == kLogicalInteger) {
    return {node.integer_bits, node.integer_signed};
  }
  if (node.converted >= kConvertedUint8 && node.converted <= kConvertedInt64) {
    const int64_t place = node.converted - kConvertedUint8;  // UINT_8 to UINT_64, then INT_8 to INT_64
    return {8 << (place % 4), place >= 4};
  }
  return {stored_bits, true};
}

DType dtype_of_integer(const IntegerKind& kind, int64_t stored_bits) {
  if (kind.bits > stored_bits) {
    return DType::kNone;
  }
  switch (kind.bits) {
    case 8:
      return kind.is_signed ? DType::kInt8 : DType::kUint8;
    case 16:
      return kind.is_signed ? DType::kInt16 : DType::kUint16;
    case 32:
      return kind.is_signed ? DType::kInt32 : DType::kUint32;
    case 64:
      return kind.is_signed ? DType::kInt64 : DType::kUint64;
    default:
      return DType::kNone;
  }
}

DType dtype_of_node(const ParquetSchemaNode& node) {
  switch (static_cast<ParquetType>(node.type)) {
    case ParquetType::kBoolean:
      return DType::kBool;
    case ParquetType::kInt32:
      return dtype_of_integer(integer_kind(node, 32), 32);
    case ParquetType::kInt64:
      return dtype_of_integer(integer_kind(node, 64), 64);
    case ParquetType::kFloat:
      return DType::kFloat;
    case ParquetType::kDouble:
      return DType::kFloat64;
    case ParquetType::kByteArray:
      return DType::kUint8;
    case ParquetType::kFixedBytes:
      return node.logical == kLogicalFloat16 && node.type_length == 2 ? DType::kFloat16 : DType::kUint8;
    default:
      return DType::kNone;
  }
}

uint32_t width_of(const ParquetSchemaNode& node) {
  switch (static_cast<ParquetType>(node.type)) {
    case ParquetType::kBoolean:
      return 1;
    case ParquetType::kInt32:
    case ParquetType::kFloat:
      return 4;
    case ParquetType::kInt64:
    case ParquetType::kDouble:
      return 8;
    case ParquetType::kInt96:
      return 12;
    case ParquetType::kFixedBytes:
      return static_cast<uint32_t>(node.type_length);
    default:
      return 0;
  }
}

/// Why no tensor holds the column's values; empty if one does.
std::string why_unreadable(const ParquetSchemaNode& node, const ParquetLeaf& leaf) {
  if (node.logical == kLogicalDecimal || node.converted == kConvertedDecimal) {
    return "it holds decimal numbers; cast them to floats or integers when the file is written";
  }
  if (node.logical == kLogicalNull) {
    return "all of it is null";
  }
  if (leaf.type == ParquetType::kInt96) {
    return "it holds times of 96 bits; write them as 64 bits";
  }
  if (leaf.dtype == DType::kNone) {
    return "its integers are annotated as something that they cannot be";
  }
  if (leaf.type == ParquetType::kByteArray && leaf.max_repetition > 0) {
    return "it holds lists of texts or of bytes; write an element a row, or join them";
  }
  if (leaf.max_repetition >= tensor::kMaxRank) {
    return "its lists are nested too deeply";
  }
  return {};
}

/// Walks the nodes in their order.
class SchemaWalk {
 public:
  explicit SchemaWalk(const std::vector<ParquetSchemaNode>& nodes) : nodes_(nodes) {}

  /// Walks the children of the root.
  Status root() {
    if (nodes_.empty() || nodes_[0].type >= 0) {
      return data_loss("a schema without a root");
    }
    next_ = 1;
    for (int64_t i = 0; i < nodes_[0].children; ++i) {
      FOREBAY_RETURN_IF_ERROR(node({}, 0));
    }
    return next_ == nodes_.size() ? ok_status()
                                  : data_loss("a schema with {} nodes too many", nodes_.size() - next_);
  }

  std::vector<ParquetLeaf> take_leaves() { return std::move(leaves_); }

 private:
  Status node(ParquetLeaf above, int depth) {
    if (next_ >= nodes_.size() || depth > kDeepestNode || leaves_.size() >= kMaxLeaves) {
      return data_loss("a schema that ends within a group, is more than {} deep, or has more than {} columns",
                       kDeepestNode, kMaxLeaves);
    }
    const ParquetSchemaNode& node = nodes_[next_++];
    above.path += (above.path.empty() ? "" : ".") + node.name;
    if (node.repetition < 0 || node.repetition > 2) {
      return data_loss("column '{}': a repetition of {}", above.path, node.repetition);
    }
    above.max_definition += node.repetition == 0 ? 0 : 1;
    if (node.repetition == 2) {
      ++above.max_repetition;
      above.last_list = above.max_definition;
      above.first_list = above.first_list == 0 ? above.max_definition : above.first_list;
    }
    if (node.type >= 0) {
      return leaf(node, std::move(above));
    }
    for (int64_t i = 0; i < node.children; ++i) {
      FOREBAY_RETURN_IF_ERROR(this->node(above, depth + 1));
    }
    return ok_status();
  }

  Status leaf(const ParquetSchemaNode& node, ParquetLeaf leaf) {
    const bool is_fixed = node.type == static_cast<int64_t>(ParquetType::kFixedBytes);
    if (node.type > static_cast<int64_t>(ParquetType::kFixedBytes) ||
        (is_fixed && (node.type_length < 1 || node.type_length > kMaxFixedBytes))) {
      return data_loss("column '{}': type {} of {} bytes", leaf.path, node.type, node.type_length);
    }
    leaf.type = static_cast<ParquetType>(node.type);
    leaf.width = width_of(node);
    leaf.dtype = dtype_of_node(node);
    leaf.unreadable = why_unreadable(node, leaf);
    leaves_.push_back(std::move(leaf));
    return ok_status();
  }

  const std::vector<ParquetSchemaNode>& nodes_;
  size_t next_ = 0;
  std::vector<ParquetLeaf> leaves_;
};

void read_logical_type(ThriftReader& reader, ParquetSchemaNode* node) {
  reader.structure([&](int16_t id, uint8_t type) {
    node->logical = id;
    if (id != kLogicalInteger || type != ThriftReader::kStruct) {
      reader.skip(type);
      return;
    }
    reader.structure([&](int16_t field, uint8_t field_type) {
      if (field == 1) {
        node->integer_bits = reader.integer(field_type);
      } else if (field == 2) {
        node->integer_signed = reader.boolean(field_type);
      } else {
        reader.skip(field_type);
      }
    });
  });
}

std::string some_names(const std::vector<const ParquetLeaf*>& leaves) {
  constexpr size_t kMost = 20;
  std::string names;
  for (size_t i = 0; i < std::min(leaves.size(), kMost); ++i) {
    names += (i == 0 ? "" : ", ") + leaves[i]->path;
  }
  return leaves.size() > kMost ? names + ", ..." : names;
}

}  // namespace

ParquetSchemaNode read_parquet_schema_node(ThriftReader& reader) {
  ParquetSchemaNode node;
  reader.structure([&](int16_t id, uint8_t type) {
    switch (id) {
      case 1:
        node.type = reader.integer(type);
        break;
      case 2:
        node.type_length = reader.integer(type);
        break;
      case 3:
        node.repetition = reader.integer(type);
        break;
      case 4:
        node.name = reader.text(type);
        break;
      case 5:
        node.children = reader.integer(type);
        break;
      case 6:
        node.converted = reader.integer(type);
        break;
      case 10:
        if (type == ThriftReader::kStruct) {
          read_logical_type(reader, &node);
        } else {
          reader.fail();
        }
        break;
      default:
        reader.skip(type);
    }
  });
  return node;
}

Result<std::vector<ParquetLeaf>> parquet_leaves(const std::vector<ParquetSchemaNode>& nodes) {
  SchemaWalk walk(nodes);
  FOREBAY_RETURN_IF_ERROR(walk.root());
  return walk.take_leaves();
}

Result<size_t> find_parquet_leaf(const std::vector<ParquetLeaf>& leaves, std::string_view name) {
  std::vector<const ParquetLeaf*> found;
  std::vector<const ParquetLeaf*> all;
  for (const ParquetLeaf& leaf : leaves) {
    const std::string_view path = leaf.path;
    all.push_back(&leaf);
    if (path == name || (path.starts_with(name) && path.substr(name.size()).starts_with("."))) {
      found.push_back(&leaf);
    }
  }
  if (found.empty()) {
    return not_found("there is no column '{}'; there are {}", name, some_names(all));
  }
  if (found.size() > 1) {
    return invalid_argument("column '{}' has several parts; name one of them: {}", name, some_names(found));
  }
  if (!found[0]->unreadable.empty()) {
    return unimplemented("column '{}' cannot be read: {}", name, found[0]->unreadable);
  }
  return static_cast<size_t>(found[0] - leaves.data());
}

}  // namespace forebay::dataset
