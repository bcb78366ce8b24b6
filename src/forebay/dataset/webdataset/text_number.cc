#include "forebay/dataset/webdataset/text_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace forebay::dataset {
namespace {

constexpr size_t kMaxShown = 40;

bool is_class(std::string_view extension) {
  extension.remove_prefix(extension.starts_with('.') ? 1 : 0);
  return absl::EqualsIgnoreCase({extension.data(), extension.size()}, "cls");
}

std::string_view trimmed(std::string_view text) {
  const absl::string_view inner = absl::StripAsciiWhitespace({text.data(), text.size()});
  return {inner.data(), inner.size()};
}

/// Whether it was written as text, as a number or not: then its bytes are no number in binary.
bool is_text(std::string_view content) {
  return !content.empty() && std::ranges::all_of(content, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return absl::ascii_isprint(byte) || absl::ascii_isspace(byte);
  });
}

/// Digits with a sign, as T; false if it does not hold the number.
template <class T>
bool parse_decimal(std::string_view digits, T* value) {
  digits.remove_prefix(digits.starts_with('+') ? 1 : 0);
  const char* const end = digits.data() + digits.size();
  if constexpr (std::is_same_v<T, tensor::Float16> || std::is_same_v<T, bool>) {  // bool is never asked for
    float number = 0;
    const auto [last, error] = std::from_chars(digits.data(), end, number);
    *value = static_cast<T>(number);
    return error == std::errc() && last == end && std::isfinite(static_cast<float>(*value));
  } else {
    const auto [last, error] = std::from_chars(digits.data(), end, *value);
    return error == std::errc() && last == end && std::isfinite(static_cast<double>(*value));
  }
}

}  // namespace

std::vector<std::string> extensions_of(const std::string& entry) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= entry.size()) {
    const size_t end = std::min(entry.find(';', begin), entry.size());
    if (end > begin) {
      parts.push_back(entry.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return parts;
}

bool is_number_in_text(const WebdatasetOptions& options, size_t field) {
  return field < options.dtypes.size() && tensor::size_of(options.dtypes[field]) > 1 &&
         std::ranges::all_of(extensions_of(options.ext[field]), is_class);
}

Result<tensor::Tensor> number_in_text(Bytes content, tensor::DType dtype) {
  const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  const std::string_view digits = trimmed(text);
  if (!is_text(text)) {
    if (content.empty() || content.size() % tensor::size_of(dtype) != 0) {
      return data_loss("a class that is no number: '{}'", text.substr(0, kMaxShown));
    }
    const auto count = static_cast<int64_t>(content.size() / tensor::size_of(dtype));
    return tensor::Tensor::copy_of_bytes(content, {tensor::Shape{count}, dtype, {}});
  }
  FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor number, tensor::Tensor::allocate({tensor::Shape{1}, dtype, {}}));
  const bool fits = tensor::visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return parse_decimal(digits, number.mutable_view().span<T>().data());
  });
  return fits ? Result<tensor::Tensor>(std::move(number))
              : data_loss("the class '{}' is no number that fits {}", digits.substr(0, kMaxShown),
                          tensor::name_of(dtype));
}

}  // namespace forebay::dataset
