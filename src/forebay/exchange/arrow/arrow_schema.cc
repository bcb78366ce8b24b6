#include "forebay/exchange/arrow/arrow_schema.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

namespace forebay::exchange {
namespace {

using tensor::ColumnType;
using tensor::Field;
using tensor::Metadata;
using tensor::TensorShape;
using tensor::TypeId;

constexpr int64_t kMaxMetadataBytes = int64_t{16} << 20;
constexpr size_t kMaxTextBytes = size_t{1} << 16;  // limit for a name or format
constexpr const char* kExtensionName = "ARROW:extension:name";
constexpr const char* kExtensionMetadata = "ARROW:extension:metadata";
constexpr const char* kTensorExtension = "arrow.fixed_shape_tensor";

// Reads Arrow's metadata, from a pointer of unknown length or from a range, but never past the limit.
class MetadataReader {
 public:
  MetadataReader(const std::byte* data, int64_t limit) : data_(data), limit_(limit) {}

  Result<Metadata> read() {
    FOREBAY_ASSIGN_OR_RETURN(const int32_t pairs, number());
    Metadata metadata;
    for (int32_t i = 0; i < pairs; ++i) {
      FOREBAY_ASSIGN_OR_RETURN(std::string key, text());
      FOREBAY_ASSIGN_OR_RETURN(std::string value, text());
      metadata.emplace_back(std::move(key), std::move(value));
    }
    return metadata;
  }

 private:
  Result<int32_t> number() {
    int32_t value = 0;
    if (limit_ - at_ < static_cast<int64_t>(sizeof(value))) {
      return invalid_argument("Arrow metadata end too early, or are larger than {} bytes", kMaxMetadataBytes);
    }
    std::memcpy(&value, data_ + at_, sizeof(value));
    at_ += sizeof(value);
    if (value < 0) {
      return invalid_argument("Arrow metadata have a negative length");
    }
    return value;
  }

  Result<std::string> text() {
    FOREBAY_ASSIGN_OR_RETURN(const int32_t bytes, number());
    if (limit_ - at_ < bytes) {
      return invalid_argument("Arrow metadata end too early, or are larger than {} bytes", kMaxMetadataBytes);
    }
    const auto* first = reinterpret_cast<const char*>(data_ + at_);
    at_ += bytes;
    return std::string(first, static_cast<size_t>(bytes));
  }

  const std::byte* data_;
  int64_t limit_;
  int64_t at_ = 0;
};

std::string value_of(const Metadata& metadata, std::string_view key) {
  for (const auto& [name, value] : metadata) {
    if (name == key) {
      return value;
    }
  }
  return {};
}

// {"shape": [2, 3], "dim_names": ["C", "W"], "permutation": [1, 0]}
Result<TensorShape> tensor_shape_of(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("shape") || !json["shape"].is_array() ||
      json["shape"].size() > tensor::kMaxRank) {
    return invalid_argument("the metadata of arrow.fixed_shape_tensor have no shape of at most {} dimensions",
                            tensor::kMaxRank);
  }
  TensorShape shape;
  for (const auto& extent : json["shape"]) {
    if (!extent.is_number_integer()) {
      return invalid_argument("the shape of arrow.fixed_shape_tensor is not made of integers");
    }
    shape.shape.push_back(extent.get<int64_t>());
  }
  const auto names = json.value("dim_names", nlohmann::json());
  for (const auto& name : names.is_array() ? names : nlohmann::json::array()) {
    shape.dim_names.push_back(name.is_string() ? name.get<std::string>() : std::string());
  }
  const auto permutation = json.value("permutation", nlohmann::json());
  for (const auto& axis : permutation.is_array() ? permutation : nlohmann::json::array()) {
    const int64_t number = axis.is_number_integer() ? axis.get<int64_t>() : -1;
    if (number < 0 || number >= shape.shape.rank()) {
      return invalid_argument("the permutation of arrow.fixed_shape_tensor names axes that do not exist");
    }
    shape.permutation.push_back(static_cast<int>(number));
  }
  return shape;
}

std::string text_of(const TensorShape& shape) {
  nlohmann::json json;
  json["shape"] = std::vector<int64_t>(shape.shape.begin(), shape.shape.end());
  if (!shape.dim_names.empty()) {
    json["dim_names"] = shape.dim_names;
  }
  if (!shape.permutation.empty()) {
    json["permutation"] = shape.permutation;
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Interprets the extension of a field, moving it from the metadata into the type.
Status take_extension(Field& field, ColumnType& type) {
  if (value_of(field.metadata, kExtensionName) != kTensorExtension || type.id != TypeId::kFixedSizeList) {
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(type.tensor, tensor_shape_of(value_of(field.metadata, kExtensionMetadata)));
  std::erase_if(field.metadata, [](const auto& pair) {
    return pair.first == kExtensionName || pair.first == kExtensionMetadata;
  });
  return ok_status();
}

class SchemaReader {
 public:
  Result<Field> read(const arrow::Schema& schema, int depth) {
    if (schema.release == nullptr || schema.format == nullptr) {
      return invalid_argument("the Arrow schema has been released, or has no format");
    }
    const int64_t children = schema.n_children;
    nodes_ += 1 + std::max<int64_t>(0, children);
    if (depth > tensor::kMaxTypeDepth || children < 0 || children > tensor::kMaxTypeNodes ||
        nodes_ > tensor::kMaxTypeNodes || (children > 0 && schema.children == nullptr)) {
      return invalid_argument("the Arrow schema nests too deep or has {} children", children);
    }
    Field field;
    const std::string_view format = bounded(schema.format);
    field.name = bounded(schema.name);
    field.is_nullable = (schema.flags & arrow::kFlagNullable) != 0;
    if (schema.metadata != nullptr) {
      MetadataReader reader(reinterpret_cast<const std::byte*>(schema.metadata), kMaxMetadataBytes);
      FOREBAY_ASSIGN_OR_RETURN(field.metadata, reader.read());
    }
    FOREBAY_ASSIGN_OR_RETURN(ColumnType type, type_of_format(format));
    FOREBAY_RETURN_IF_ERROR(read_children(schema, type, depth));
    if (schema.dictionary != nullptr) {
      FOREBAY_ASSIGN_OR_RETURN(type, dictionary_of(schema, type, depth));
    }
    FOREBAY_RETURN_IF_ERROR(take_extension(field, type));
    field.type = std::make_shared<const ColumnType>(std::move(type));
    return field;
  }

 private:
  static std::string_view bounded(const char* text) {
    return text == nullptr ? std::string_view() : std::string_view(text, strnlen(text, kMaxTextBytes));
  }

  Status read_children(const arrow::Schema& schema, ColumnType& type, int depth) {
    const bool is_list =
        type.id == TypeId::kList || type.id == TypeId::kLargeList || type.id == TypeId::kFixedSizeList;
    const bool fits = type.id == TypeId::kStruct || schema.n_children == (is_list ? 1 : 0);
    if (!fits) {
      return invalid_argument("an Arrow schema of format '{}' has {} children", bounded(schema.format),
                              schema.n_children);
    }
    for (int64_t i = 0; i < schema.n_children; ++i) {
      if (schema.children[i] == nullptr) {
        return invalid_argument("child {} of an Arrow schema is missing", i);
      }
      FOREBAY_ASSIGN_OR_RETURN(Field child, read(*schema.children[i], depth + 1));
      type.children.push_back(std::move(child));
    }
    return ok_status();
  }

  Result<ColumnType> dictionary_of(const arrow::Schema& schema, const ColumnType& index, int depth) {
    if (!tensor::is_integer(index.id)) {
      return invalid_argument("the indices of an Arrow dictionary have the format '{}'",
                              bounded(schema.format));
    }
    FOREBAY_ASSIGN_OR_RETURN(const Field values, read(*schema.dictionary, depth + 1));
    ColumnType type;
    type.id = TypeId::kDictionary;
    type.index_id = index.id;
    type.value_type = values.type;
    type.is_ordered = (schema.flags & arrow::kFlagDictionaryOrdered) != 0;
    return type;
  }

  int64_t nodes_ = 0;
};

// Owned by an exported schema.
struct SchemaContent {
  std::string format;
  std::string name;
  std::string metadata;
  std::vector<arrow::Schema> children;
  std::vector<arrow::Schema*> child_pointers;
  arrow::Schema dictionary{};

  ~SchemaContent() {
    for (arrow::Schema& child : children) {
      arrow::release(child);
    }
    arrow::release(dictionary);
  }
};

void release_schema(arrow::Schema* schema) {
  delete static_cast<SchemaContent*>(schema->private_data);
  schema->release = nullptr;
}

}  // namespace

Result<Metadata> parse_metadata(Bytes bytes) {
  return MetadataReader(bytes.data(), static_cast<int64_t>(bytes.size())).read();
}

std::string pack_metadata(const Metadata& metadata) {
  std::string packed;
  const auto put = [&packed](size_t number) {
    const auto value = static_cast<int32_t>(number);
    packed.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  put(metadata.size());
  for (const auto& [key, value] : metadata) {
    put(key.size());
    packed += key;
    put(value.size());
    packed += value;
  }
  return packed;
}

Result<Field> field_of(const arrow::Schema& schema) {
  FOREBAY_ASSIGN_OR_RETURN(Field field, SchemaReader().read(schema, 0));
  FOREBAY_RETURN_IF_ERROR(tensor::check_type(*field.type));
  return field;
}

Status export_schema(const Field& field, arrow::Schema* out) {
  const ColumnType& type = *field.type;
  auto content = std::make_unique<SchemaContent>();
  content->format = format_of(type);
  content->name = field.name;
  Metadata metadata = field.metadata;
  if (type.tensor) {
    metadata.emplace_back(kExtensionName, kTensorExtension);
    metadata.emplace_back(kExtensionMetadata, text_of(*type.tensor));
  }
  content->metadata = metadata.empty() ? std::string() : pack_metadata(metadata);
  content->children.resize(type.children.size());
  for (size_t i = 0; i < type.children.size(); ++i) {
    FOREBAY_RETURN_IF_ERROR(export_schema(type.children[i], &content->children[i]));
    content->child_pointers.push_back(&content->children[i]);
  }
  if (type.id == TypeId::kDictionary) {
    FOREBAY_RETURN_IF_ERROR(export_schema(Field{"", type.value_type}, &content->dictionary));
  }
  *out = {};
  out->format = content->format.c_str();
  out->name = content->name.c_str();
  out->metadata = metadata.empty() ? nullptr : content->metadata.data();
  out->flags =
      (field.is_nullable ? arrow::kFlagNullable : 0) | (type.is_ordered ? arrow::kFlagDictionaryOrdered : 0);
  out->n_children = static_cast<int64_t>(content->children.size());
  out->children = content->child_pointers.empty() ? nullptr : content->child_pointers.data();
  out->dictionary = type.id == TypeId::kDictionary ? &content->dictionary : nullptr;
  out->release = &release_schema;
  out->private_data = content.release();
  return ok_status();
}

}  // namespace forebay::exchange
