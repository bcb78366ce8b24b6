#include "forebay/dataset/index/index_words.h"

#include <algorithm>
#include <charconv>

namespace forebay::dataset {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{1} << 60;  // of any object: sums of two stay far from 2^64
constexpr std::string_view kBlanks = " \t\r";

}  // namespace

std::string_view next_line(std::string_view* text) {
  const std::string_view line = text->substr(0, std::min(text->find('\n'), text->size()));
  text->remove_prefix(std::min(line.size() + 1, text->size()));
  return line;
}

std::string_view next_word(std::string_view* line) {
  line->remove_prefix(std::min(line->find_first_not_of(kBlanks), line->size()));
  const std::string_view word = line->substr(0, std::min(line->find_first_of(kBlanks), line->size()));
  line->remove_prefix(word.size());
  return word;
}

std::optional<uint64_t> next_number(std::string_view* line) {
  const std::string_view word = next_word(line);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size() || value > kMaxBytes) {
    return std::nullopt;
  }
  return value;
}

}  // namespace forebay::dataset
