#include "forebay/plugin/names.h"

#include <algorithm>
#include <array>

namespace forebay::plugin {
namespace {

constexpr size_t kLongestName = 128;

// https://docs.python.org/3/reference/lexical_analysis.html#keywords: functions of Python are made of these
// names.
constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

constexpr std::array<std::string_view, 5> kCommonArguments = {"bytes_per_sample_hint", "device", "name",
                                                              "preserve", "seed"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); }) &&
         std::ranges::find(kKeywords, text) == kKeywords.end();
}

bool is_operator_name(std::string_view text) {
  if (text.size() > kLongestName) {
    return false;
  }
  for (;;) {
    const size_t point = text.find('.');
    const std::string_view part = text.substr(0, point);
    if (!is_identifier(part) || part.front() == '_') {
      return false;
    }
    if (point == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(point + 1);
  }
}

bool is_common_argument(std::string_view text) {
  return std::ranges::find(kCommonArguments, text) != kCommonArguments.end();
}

}  // namespace forebay::plugin
