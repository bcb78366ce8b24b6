#include "forebay/exchange/arrays/record_type.h"

#include <algorithm>
#include <set>

#include "forebay/exchange/arrays/element_type.h"
#include "forebay/exchange/arrays/record_reader.h"

namespace forebay::exchange {
namespace {

Status check_names(const std::vector<RecordMember>& members) {
  std::set<std::string_view> names;
  for (const RecordMember& member : members) {
    if (!names.insert(member.name).second) {
      return invalid_argument("two members of a record are called '{}'", member.name);
    }
  }
  return ok_status();
}

// The code of an element in standard sizes.
char code_of(tensor::DType dtype) {
  switch (dtype) {
    case tensor::DType::kUint8:
      return 'B';
    case tensor::DType::kUint16:
      return 'H';
    case tensor::DType::kUint32:
      return 'I';
    case tensor::DType::kUint64:
      return 'Q';
    case tensor::DType::kInt8:
      return 'b';
    case tensor::DType::kInt16:
      return 'h';
    case tensor::DType::kInt32:
      return 'i';
    case tensor::DType::kInt64:
      return 'q';
    case tensor::DType::kFloat16:
      return 'e';
    case tensor::DType::kFloat:
      return 'f';
    case tensor::DType::kFloat64:
      return 'd';
    case tensor::DType::kBool:
      return '?';
    default:
      return 0;
  }
}

std::string padding_of(int64_t bytes) {
  return bytes == 0 ? "" : fmt::format("{}x", bytes);
}

// "(2,3)"
std::string shape_of(const tensor::Shape& extents) {
  return fmt::format("({})", fmt::join(extents.begin(), extents.end(), ","));
}

Result<std::string> item_of(const tensor::RecordField& field) {
  const char code = code_of(field.dtype);
  if (code == 0) {
    return invalid_argument("field '{}' has a type that record formats do not have", field.name);
  }
  if (field.name.empty() || field.name.find(':') != std::string::npos) {
    return invalid_argument("a record format cannot name a field '{}'", field.name);
  }
  const std::string shape = field.is_array() ? shape_of(field.extents()) : "";
  return fmt::format("{}{}:{}:", shape, code, field.name);
}

// Uses '=': standard sizes, this machine's byte order, no implicit padding.
Result<std::string> format_of(const tensor::RecordLayout& layout) {
  std::vector<tensor::RecordField> fields = layout.fields();
  std::sort(fields.begin(), fields.end(),
            [](const auto& a, const auto& b) { return a.offset_bytes < b.offset_bytes; });
  std::string format = "T{=";
  int64_t end = 0;
  for (const tensor::RecordField& field : fields) {
    FOREBAY_ASSIGN_OR_RETURN(const std::string item, item_of(field));
    format += padding_of(field.offset_bytes - end) + item;
    end = field.offset_bytes + field.size_bytes();
  }
  return format + padding_of(layout.stride_bytes() - end) + "}";
}

}  // namespace

const RecordMember* RecordType::find(std::string_view name) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [name](const RecordMember& member) { return member.name == name; });
  return found == members.end() ? nullptr : &*found;
}

bool is_record_format(std::string_view format) {
  const size_t start = format.find_first_not_of("@=<>!^ \t\n");
  return start != std::string_view::npos && format.substr(start, 2) == "T{";
}

Result<RecordTypeRef> parse_record_format(std::string_view format, int64_t item_bytes) {
  RecordReader reader(format);
  FOREBAY_ASSIGN_OR_RETURN(RecordPart record, reader.read());
  if (item_bytes < 1 || item_bytes > tensor::kMaxRecordBytes || record.members.empty()) {
    return invalid_argument(
        "a record of {} members and {} bytes is not supported; it must have 1 to {} bytes",
        record.members.size(), item_bytes, tensor::kMaxRecordBytes);
  }
  std::string whole(format);
  if (record.bytes != item_bytes && record.unpadded_bytes != item_bytes) {
    // NumPy omits the padding at the end; ctypes, which always names the byte order, omits the padding in
    // between.
    if (record.unpadded_bytes > item_bytes || reader.names_byte_order()) {
      return invalid_argument("a record format describes {} bytes, but the records have {}", record.bytes,
                              item_bytes);
    }
    whole.insert(whole.rfind('}'), padding_of(item_bytes - record.unpadded_bytes));
  }
  FOREBAY_RETURN_IF_ERROR(check_names(record.members));
  return std::make_shared<const RecordType>(
      RecordType{std::move(whole), item_bytes, std::move(record.members)});
}

Result<RecordTypeRef> record_type_of(const tensor::RecordLayout& layout) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string format, format_of(layout));
  return parse_record_format(format, layout.stride_bytes());
}

Result<tensor::RecordLayout> record_layout_of(const RecordType& type) {
  std::vector<tensor::RecordField> fields;
  for (const RecordMember& member : type.members) {
    const auto dtype = dtype_of_dlpack(member.type.code, member.type.bits, member.type.lanes);
    if (!dtype.ok()) {
      return invalid_argument("member '{}' of the record has a type that columns do not have", member.name);
    }
    const auto element_bytes = static_cast<int64_t>(tensor::size_of(*dtype));
    if (member.strides_bytes != dense_strides(member.shape, element_bytes)) {
      return invalid_argument("member '{}' of the record is not contiguous", member.name);
    }
    if (member.shape.size() > tensor::kMaxRank) {
      return invalid_argument("member '{}' of the record has {} dimensions, a column's rows have at most {}",
                              member.name, member.shape.size(), tensor::kMaxRank);
    }
    const tensor::Shape row(std::span<const int64_t>(member.shape.data(), member.shape.size()));
    fields.push_back({member.name, *dtype, row.volume(), member.offset_bytes, row});
  }
  return tensor::RecordLayout::make(std::move(fields), type.item_bytes);
}

}  // namespace forebay::exchange
