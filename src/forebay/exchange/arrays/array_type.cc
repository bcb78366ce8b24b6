#include "forebay/exchange/arrays/array_type.h"

#include <array>
#include <charconv>

#include "forebay/exchange/arrays/strided_array.h"
#include "forebay/exchange/byte_order.h"

namespace forebay::exchange {
namespace {

struct Name {
  dlpack::DataType type;
  char kind;           // in a typestring
  const char* format;  // in a buffer
};

constexpr const char* kLong = sizeof(long) == 8 ? "l" : "q";
constexpr const char* kUnsignedLong = sizeof(long) == 8 ? "L" : "Q";

constexpr std::array<Name, 14> kNames = {{
    {{dlpack::kUInt, 8, 1}, 'u', "B"},
    {{dlpack::kUInt, 16, 1}, 'u', "H"},
    {{dlpack::kUInt, 32, 1}, 'u', "I"},
    {{dlpack::kUInt, 64, 1}, 'u', kUnsignedLong},
    {{dlpack::kInt, 8, 1}, 'i', "b"},
    {{dlpack::kInt, 16, 1}, 'i', "h"},
    {{dlpack::kInt, 32, 1}, 'i', "i"},
    {{dlpack::kInt, 64, 1}, 'i', kLong},
    {{dlpack::kFloat, 16, 1}, 'f', "e"},
    {{dlpack::kFloat, 32, 1}, 'f', "f"},
    {{dlpack::kFloat, 64, 1}, 'f', "d"},
    {{dlpack::kComplex, 64, 1}, 'c', "Zf"},
    {{dlpack::kComplex, 128, 1}, 'c', "Zd"},
    {{dlpack::kBool, 8, 1}, 'b', "?"},
}};

Result<Name> name_row(dlpack::DataType type) {
  for (const Name& name : kNames) {
    if (name.type == type) {
      return name;
    }
  }
  return invalid_argument("this protocol has no name for elements of {}", name_of(type));
}

Result<dlpack::DataType> type_of_kind(char kind, size_t bytes, std::string_view what) {
  for (const Name& name : kNames) {
    if (name.kind == kind && size_t{name.type.bits} == bytes * 8) {
      return name.type;
    }
  }
  return invalid_argument("{} is not a format of numbers in this machine's byte order", what);
}

char kind_of_format(std::string_view code) {
  if (code == "Zf" || code == "Zd") {
    return 'c';
  }
  if (code.size() != 1) {
    return 0;
  }
  for (const auto& [codes, kind] :
       {std::pair<std::string_view, char>{"?", 'b'}, {"BHILQNc", 'u'}, {"bhilqn", 'i'}, {"efd", 'f'}}) {
    if (codes.find(code[0]) != std::string_view::npos) {
      return kind;
    }
  }
  return 0;
}

}  // namespace

Result<const char*> buffer_format_of(dlpack::DataType type) {
  FOREBAY_ASSIGN_OR_RETURN(const Name name, name_row(type));
  return name.format;
}

Result<dlpack::DataType> type_of_buffer_format(std::string_view format, size_t item_bytes) {
  std::string_view code = format;
  const bool has_order =
      code.size() > 1 && std::string_view("<>=@|!").find(code[0]) != std::string_view::npos;
  const bool is_foreign = has_order && item_bytes > 1 &&
                          (code[0] == '!' || (code[0] != kNativeOrder && (code[0] == '<' || code[0] == '>')));
  code.remove_prefix(has_order ? 1 : 0);
  return type_of_kind(is_foreign ? char{0} : kind_of_format(code), item_bytes,
                      fmt::format("the buffer format '{}'", format));
}

Result<std::string> typestring_of(dlpack::DataType type) {
  FOREBAY_ASSIGN_OR_RETURN(const Name name, name_row(type));
  return fmt::format("{}{}{}", type.bits == 8 ? '|' : kNativeOrder, name.kind, type.bits / 8);
}

Result<dlpack::DataType> type_of_typestring(std::string_view typestring) {
  size_t bytes = 0;
  char kind = 0;
  if (typestring.size() >= 3 && typestring.size() <= 4) {
    const auto [end, error] =
        std::from_chars(typestring.data() + 2, typestring.data() + typestring.size(), bytes);
    const bool is_number = error == std::errc{} && end == typestring.data() + typestring.size();
    const bool is_native = typestring[0] == kNativeOrder || typestring[0] == '=' ||
                           (typestring[0] == '|' && bytes == 1) || bytes == 1;
    kind = is_number && is_native ? typestring[1] : char{0};
  }
  return type_of_kind(kind, bytes, fmt::format("the typestring '{}'", typestring));
}

}  // namespace forebay::exchange
