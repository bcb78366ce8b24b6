// The elements of a tensor as text of JSON: numbers by to_chars, strings escaped.
#include "forebay/serving/protocol/elements_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "forebay/base/utf8.h"

namespace forebay::serving {
namespace {

constexpr size_t kMaxNumberBytes = 32;  // the longest double has 24

Status unsayable(const NamedTensor& tensor, std::string_view what) {
  return invalid_argument(
      "output '{}' has {}, which JSON cannot say; ask for it as binary data (the parameter "
      "'binary_data' of the output, or 'binary_data_output' of the request)",
      tensor.name, what);
}

template <class Value>
void append_number(Value value, std::string& text) {
  std::array<char, kMaxNumberBytes> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  const std::string_view number(digits.data(), static_cast<size_t>(end - digits.data()));
  text += number;
  if (std::is_floating_point_v<Value> && number.find_first_of(".e") == std::string_view::npos) {
    text += ".0";  // so that readers which tell integers from floats see a float
  }
}

template <class Value>
Status append_numbers(const NamedTensor& tensor, std::string& text) {
  const Bytes bytes = tensor.bytes();
  for (size_t at = 0; at < bytes.size(); at += sizeof(Value)) {
    Value value;
    std::memcpy(&value, bytes.data() + at, sizeof(Value));  // copy: one element, which need not be aligned
    if constexpr (std::is_floating_point_v<Value>) {
      if (!std::isfinite(value)) {
        return unsayable(tensor, std::isnan(value) ? "NaN" : "an infinity");
      }
    }
    text += at == 0 ? "" : ",";
    append_number(value, text);
  }
  return ok_status();
}

Status append_bools(const NamedTensor& tensor, std::string& text) {
  const char* separator = "";
  for (const std::byte byte : tensor.bytes()) {
    text += separator;
    text += byte == std::byte{0} ? "false" : "true";
    separator = ",";
  }
  return ok_status();
}

Status append_strings(const NamedTensor& tensor, std::string& text) {
  const char* separator = "";
  for (const Bytes element : elements_of(tensor)) {
    const std::string_view bytes(reinterpret_cast<const char*>(element.data()), element.size());
    if (!is_utf8(bytes)) {
      return unsayable(tensor, "bytes that are not UTF-8");
    }
    text += separator;
    text += nlohmann::json(bytes).dump();
    separator = ",";
  }
  return ok_status();
}

Status append_by_datatype(const NamedTensor& tensor, std::string& text) {
  switch (tensor.datatype) {
    case Datatype::kBool:
      return append_bools(tensor, text);
    case Datatype::kUint8:
      return append_numbers<uint8_t>(tensor, text);
    case Datatype::kUint16:
      return append_numbers<uint16_t>(tensor, text);
    case Datatype::kUint32:
      return append_numbers<uint32_t>(tensor, text);
    case Datatype::kUint64:
      return append_numbers<uint64_t>(tensor, text);
    case Datatype::kInt8:
      return append_numbers<int8_t>(tensor, text);
    case Datatype::kInt16:
      return append_numbers<int16_t>(tensor, text);
    case Datatype::kInt32:
      return append_numbers<int32_t>(tensor, text);
    case Datatype::kInt64:
      return append_numbers<int64_t>(tensor, text);
    case Datatype::kFp32:
      return append_numbers<float>(tensor, text);
    case Datatype::kFp64:
      return append_numbers<double>(tensor, text);
    case Datatype::kFp16:
    case Datatype::kBf16:
      return unsayable(tensor, fmt::format("elements of {}", name_of(tensor.datatype)));
    case Datatype::kBytes:
      return append_strings(tensor, text);
  }
  return internal_error("output '{}' has no datatype", tensor.name);
}

}  // namespace

Status append_elements(const NamedTensor& tensor, std::string& text) {
  text += '[';
  FOREBAY_RETURN_IF_ERROR(append_by_datatype(tensor, text));
  text += ']';
  return ok_status();
}

}  // namespace forebay::serving
