#include "forebay/tensor/columns/column_type.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace forebay::tensor {
namespace {

struct Facts {
  std::string_view name;
  ColumnLayout layout;
  int8_t width;  // of a value for kFixed, of an offset for kText and kList
};

constexpr std::array<Facts, kTypeIdCount> kFacts = {{
    {"null", ColumnLayout::kNothing, 0},
    {"bool", ColumnLayout::kBits, 0},
    {"int8", ColumnLayout::kFixed, 1},
    {"int16", ColumnLayout::kFixed, 2},
    {"int32", ColumnLayout::kFixed, 4},
    {"int64", ColumnLayout::kFixed, 8},
    {"uint8", ColumnLayout::kFixed, 1},
    {"uint16", ColumnLayout::kFixed, 2},
    {"uint32", ColumnLayout::kFixed, 4},
    {"uint64", ColumnLayout::kFixed, 8},
    {"float16", ColumnLayout::kFixed, 2},
    {"float", ColumnLayout::kFixed, 4},
    {"float64", ColumnLayout::kFixed, 8},
    {"fixed_binary", ColumnLayout::kFixed, 0},  // byte_width
    {"decimal128", ColumnLayout::kFixed, 16},
    {"date32", ColumnLayout::kFixed, 4},
    {"date64", ColumnLayout::kFixed, 8},
    {"time32", ColumnLayout::kFixed, 4},
    {"time64", ColumnLayout::kFixed, 8},
    {"timestamp", ColumnLayout::kFixed, 8},
    {"duration", ColumnLayout::kFixed, 8},
    {"utf8", ColumnLayout::kText, 4},
    {"large_utf8", ColumnLayout::kText, 8},
    {"binary", ColumnLayout::kText, 4},
    {"large_binary", ColumnLayout::kText, 8},
    {"list", ColumnLayout::kList, 4},
    {"large_list", ColumnLayout::kList, 8},
    {"fixed_size_list", ColumnLayout::kFixedList, 0},
    // The width of index_id.
    {"struct", ColumnLayout::kStruct, 0},
    {"dictionary", ColumnLayout::kFixed, 0},
}};

constexpr std::array<std::pair<DType, TypeId>, 12> kNumbers = {{
    {DType::kBool, TypeId::kBool},
    {DType::kInt8, TypeId::kInt8},
    {DType::kInt16, TypeId::kInt16},
    {DType::kInt32, TypeId::kInt32},
    {DType::kInt64, TypeId::kInt64},
    {DType::kUint8, TypeId::kUint8},
    {DType::kUint16, TypeId::kUint16},
    {DType::kUint32, TypeId::kUint32},
    {DType::kUint64, TypeId::kUint64},
    {DType::kFloat16, TypeId::kFloat16},
    {DType::kFloat, TypeId::kFloat},
    {DType::kFloat64, TypeId::kFloat64},
}};

const Facts& facts_of(TypeId id) {
  FOREBAY_CHECK(static_cast<int>(id) < kTypeIdCount);
  return kFacts[static_cast<int>(id)];
}

bool equal_types(const ColumnTypeRef& a, const ColumnTypeRef& b) {
  if (a == b) {
    return true;
  }
  return a != nullptr && b != nullptr && *a == *b;
}

constexpr std::string_view kUnitNames[] = {"s", "ms", "us", "ns"};

std::string_view unit_name(TimeUnit unit) {
  return kUnitNames[static_cast<int>(unit)];
}

bool has_unit(TypeId id) {
  return id == TypeId::kTime32 || id == TypeId::kTime64 || id == TypeId::kTimestamp ||
         id == TypeId::kDuration;
}

std::string names_of(const std::vector<Field>& fields) {
  std::string text;
  for (const Field& field : fields) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", field.name, field.type->to_string());
  }
  return text;
}

size_t child_count(TypeId id, size_t given) {
  switch (facts_of(id).layout) {
    case ColumnLayout::kList:
    case ColumnLayout::kFixedList:
      return 1;
    case ColumnLayout::kStruct:
      return given;
    default:
      return 0;
  }
}

Status check_tensor_shape(const ColumnType& type, const std::string& path) {
  const TensorShape& tensor = *type.tensor;
  const auto volume = tensor.shape.checked_volume();
  if (!volume || *volume != type.list_size) {
    return invalid_argument("{}: a tensor shape {} does not have {} elements", path, tensor.shape.to_string(),
                            type.list_size);
  }
  const size_t rank = tensor.shape.rank();
  if (!tensor.dim_names.empty() && tensor.dim_names.size() != rank) {
    return invalid_argument("{}: {} names for {} axes", path, tensor.dim_names.size(), rank);
  }
  std::vector<int> sorted = tensor.permutation;
  std::sort(sorted.begin(), sorted.end());
  for (size_t axis = 0; axis < sorted.size(); ++axis) {
    if (sorted.size() != rank || sorted[axis] != static_cast<int>(axis)) {
      return invalid_argument("{}: the permutation does not name each of {} axes once", path, rank);
    }
  }
  return ok_status();
}

Status check_parameters(const ColumnType& type, const std::string& path) {
  if (static_cast<int>(type.id) >= kTypeIdCount) {
    return invalid_argument("{}: no type has the number {}", path, static_cast<int>(type.id));
  }
  constexpr int64_t kMaxWidth = int64_t{1} << 31;
  if (type.id == TypeId::kFixedBinary && (type.byte_width < 0 || type.byte_width >= kMaxWidth)) {
    return invalid_argument("{}: a byte width of {}", path, type.byte_width);
  }
  if (type.id == TypeId::kFixedSizeList && (type.list_size < 0 || type.list_size >= kMaxWidth)) {
    return invalid_argument("{}: a list size of {}", path, type.list_size);
  }
  constexpr int kMaxPrecision = 38;
  if (type.id == TypeId::kDecimal128 && (type.precision < 1 || type.precision > kMaxPrecision)) {
    return invalid_argument("{}: a precision of {}", path, type.precision);
  }
  if (has_unit(type.id) && type.unit > TimeUnit::kNano) {
    return invalid_argument("{}: no unit of time has the number {}", path, static_cast<int>(type.unit));
  }
  const bool is_coarse = type.unit <= TimeUnit::kMilli;
  if ((type.id == TypeId::kTime32 && !is_coarse) || (type.id == TypeId::kTime64 && is_coarse)) {
    return invalid_argument("{}: {} has no unit {}", path, name_of(type.id), unit_name(type.unit));
  }
  if (type.tensor && type.id != TypeId::kFixedSizeList) {
    return invalid_argument("{}: {} has no tensor shape", path, name_of(type.id));
  }
  return type.tensor ? check_tensor_shape(type, path) : ok_status();
}

Status check_node(const ColumnType& type, const std::string& path, int depth, int64_t& nodes) {
  if (depth > kMaxTypeDepth || ++nodes > kMaxTypeNodes) {
    return invalid_argument("{}: types nest no deeper than {} and have no more than {} parts", path,
                            kMaxTypeDepth, kMaxTypeNodes);
  }
  FOREBAY_RETURN_IF_ERROR(check_parameters(type, path));
  if (type.children.size() != child_count(type.id, type.children.size())) {
    return invalid_argument("{}: {} has {} children", path, name_of(type.id), type.children.size());
  }
  if ((type.id == TypeId::kDictionary) != (type.value_type != nullptr)) {
    return invalid_argument("{}: {} with{} a type of values", path, name_of(type.id),
                            type.value_type ? "" : "out");
  }
  if (type.id == TypeId::kDictionary) {
    if (!is_integer(type.index_id)) {
      return invalid_argument("{}: indices into a dictionary are integers", path);
    }
    FOREBAY_RETURN_IF_ERROR(check_node(*type.value_type, path + ".dictionary", depth + 1, nodes));
  }
  for (const Field& child : type.children) {
    if (child.type == nullptr) {
      return invalid_argument("{}: child '{}' has no type", path, child.name);
    }
    FOREBAY_RETURN_IF_ERROR(check_node(*child.type, path + "." + child.name, depth + 1, nodes));
  }
  return ok_status();
}

ColumnTypeRef shared(ColumnType type) {
  return std::make_shared<const ColumnType>(std::move(type));
}

ColumnTypeRef list_like(TypeId id, ColumnTypeRef element, bool elements_nullable, int64_t size = 0) {
  return shared(
      {.id = id, .list_size = size, .children = {{"item", std::move(element), elements_nullable, {}}}});
}

}  // namespace

bool operator==(const Field& a, const Field& b) {
  return a.name == b.name && a.is_nullable == b.is_nullable && a.metadata == b.metadata &&
         equal_types(a.type, b.type);
}

bool operator==(const ColumnType& a, const ColumnType& b) {
  return a.id == b.id && a.byte_width == b.byte_width && a.list_size == b.list_size &&
         a.precision == b.precision && a.scale == b.scale && a.unit == b.unit && a.timezone == b.timezone &&
         (a.id != TypeId::kDictionary || a.index_id == b.index_id) && a.is_ordered == b.is_ordered &&
         a.tensor == b.tensor && equal_types(a.value_type, b.value_type) && a.children == b.children;
}

ColumnLayout ColumnType::layout() const {
  return facts_of(id).layout;
}

int ColumnType::buffer_count() const {
  switch (layout()) {
    case ColumnLayout::kNothing:
      return 0;
    case ColumnLayout::kFixedList:
    case ColumnLayout::kStruct:
      return 1;
    case ColumnLayout::kText:
      return 3;
    default:
      return 2;
  }
}

int64_t ColumnType::value_width() const {
  if (id == TypeId::kFixedBinary) {
    return byte_width;
  }
  const Facts& facts = facts_of(id == TypeId::kDictionary ? index_id : id);
  return facts.layout == ColumnLayout::kFixed ? facts.width : 0;
}

int ColumnType::offset_width() const {
  const Facts& facts = facts_of(id);
  return facts.layout == ColumnLayout::kText || facts.layout == ColumnLayout::kList ? facts.width : 0;
}

std::string ColumnType::to_string() const {
  switch (id) {
    case TypeId::kFixedBinary:
      return fmt::format("fixed_binary<{}>", byte_width);
    case TypeId::kDecimal128:
      return fmt::format("decimal128<{}, {}>", precision, scale);
    case TypeId::kTimestamp:
      return timezone.empty() ? fmt::format("timestamp<{}>", unit_name(unit))
                              : fmt::format("timestamp<{}, {}>", unit_name(unit), timezone);
    case TypeId::kTime32:
    case TypeId::kTime64:
    case TypeId::kDuration:
      return fmt::format("{}<{}>", name_of(id), unit_name(unit));
    case TypeId::kList:
    case TypeId::kLargeList:
      return fmt::format("{}<{}>", name_of(id), children[0].type->to_string());
    case TypeId::kFixedSizeList:
      if (tensor) {
        return fmt::format("tensor<{}, {}>", children[0].type->to_string(), tensor->shape.to_string());
      }
      return fmt::format("fixed_size_list<{}, {}>", children[0].type->to_string(), list_size);
    case TypeId::kStruct:
      return fmt::format("struct<{}>", names_of(children));
    case TypeId::kDictionary:
      return fmt::format("dictionary<{}, {}>", name_of(index_id), value_type->to_string());
    default:
      return std::string(name_of(id));
  }
}

Status check_type(const ColumnType& type) {
  int64_t nodes = 0;
  return check_node(type, "type", 1, nodes);
}

ColumnTypeRef column_type(TypeId id) {
  ColumnType type{.id = id};
  FOREBAY_CHECK(check_type(type).ok());  // fails if the type needs parameters
  return shared(std::move(type));
}

ColumnTypeRef column_type(DType dtype) {
  const auto* found =
      std::find_if(kNumbers.begin(), kNumbers.end(), [&](auto& pair) { return pair.first == dtype; });
  FOREBAY_CHECK(found != kNumbers.end());
  return column_type(found->second);
}

ColumnTypeRef fixed_binary_type(int64_t byte_width) {
  return shared({.id = TypeId::kFixedBinary, .byte_width = byte_width});
}

ColumnTypeRef decimal128_type(int precision, int scale) {
  return shared({.id = TypeId::kDecimal128, .precision = precision, .scale = scale});
}

ColumnTypeRef timestamp_type(TimeUnit unit, std::string timezone) {
  return shared({.id = TypeId::kTimestamp, .unit = unit, .timezone = std::move(timezone)});
}

ColumnTypeRef duration_type(TimeUnit unit) {
  return shared({.id = TypeId::kDuration, .unit = unit});
}

ColumnTypeRef time_type(TimeUnit unit) {
  return shared({.id = unit <= TimeUnit::kMilli ? TypeId::kTime32 : TypeId::kTime64, .unit = unit});
}

ColumnTypeRef list_type(ColumnTypeRef element, bool elements_nullable) {
  return list_like(TypeId::kList, std::move(element), elements_nullable);
}

ColumnTypeRef large_list_type(ColumnTypeRef element, bool elements_nullable) {
  return list_like(TypeId::kLargeList, std::move(element), elements_nullable);
}

ColumnTypeRef fixed_size_list_type(ColumnTypeRef element, int64_t size, bool elements_nullable) {
  return list_like(TypeId::kFixedSizeList, std::move(element), elements_nullable, size);
}

ColumnTypeRef struct_type(std::vector<Field> fields) {
  return shared({.id = TypeId::kStruct, .children = std::move(fields)});
}

ColumnTypeRef dictionary_type(TypeId index_id, ColumnTypeRef value_type, bool is_ordered) {
  return shared({.id = TypeId::kDictionary,
                 .index_id = index_id,
                 .value_type = std::move(value_type),
                 .is_ordered = is_ordered});
}

ColumnTypeRef tensor_type(DType dtype, const Shape& row) {
  ColumnType type = *fixed_size_list_type(column_type(dtype), row.volume());
  type.tensor = TensorShape{row, {}, {}};
  return shared(std::move(type));
}

std::string_view name_of(TypeId id) {
  return facts_of(id).name;
}

bool is_integer(TypeId id) {
  return id >= TypeId::kInt8 && id <= TypeId::kUint64;
}

DType dtype_of(TypeId id) {
  const auto* found =
      std::find_if(kNumbers.begin(), kNumbers.end(), [&](auto& pair) { return pair.second == id; });
  return found == kNumbers.end() ? DType::kNone : found->first;
}

}  // namespace forebay::tensor
