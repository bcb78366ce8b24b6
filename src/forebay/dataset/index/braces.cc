#include "forebay/dataset/index/braces.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace forebay::dataset {
namespace {

// No name of a data set has more.
constexpr size_t kLongestText = 4096;
constexpr int kMaxBraces = 64;
constexpr size_t kMaxNameBytes = size_t{64} << 20;  // of all names together

struct BraceGroup {
  size_t begin = 0;  // of the brace that opens it
  size_t end = 0;    // of the one that closes it
  std::vector<std::string_view> parts;
};

/// The braces that open at `begin`, with what lies between commas; nothing if they are not closed.
std::optional<BraceGroup> brace_group_at(std::string_view text, size_t begin) {
  BraceGroup group{.begin = begin, .end = 0, .parts = {}};
  int depth = 0;
  size_t part = begin + 1;
  for (size_t i = begin; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth == 0 || (depth == 1 && text[i] == ',')) {
      group.parts.push_back(text.substr(part, i - part));
      part = i + 1;
    }
    if (depth == 0) {
      group.end = i;
      return group;
    }
  }
  return std::nullopt;
}

std::optional<int64_t> brace_number_of(std::string_view digits) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole && number >= 0 ? std::optional(number) : std::nullopt;
}

struct BraceRange {
  int64_t first = 0;
  int64_t last = 0;
  int64_t step = 1;
  size_t width = 0;
  bool is_of_letters = false;

  size_t count() const {
    return static_cast<size_t>((std::max(first, last) - std::min(first, last)) / step) + 1;
  }
  std::string at(size_t i) const {
    const int64_t distance = static_cast<int64_t>(i) * step;
    const int64_t value = first < last ? first + distance : first - distance;
    return is_of_letters ? std::string(1, static_cast<char>(value)) : fmt::format("{:0{}}", value, width);
  }
};

/// "000..010", "10..1", "0..100..10" or "a..f".
std::optional<BraceRange> brace_range_of(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view first = text.substr(0, dots);
  std::string_view last = text.substr(dots + 2);
  BraceRange range;
  if (const size_t more = last.find(".."); more != std::string_view::npos) {
    const std::optional<int64_t> step = brace_number_of(last.substr(more + 2));
    if (!step || *step == 0) {
      return std::nullopt;
    }
    range.step = *step;
    last = last.substr(0, more);
  }
  const auto is_letter = [](std::string_view end) {
    return end.size() == 1 && ((end[0] >= 'a' && end[0] <= 'z') || (end[0] >= 'A' && end[0] <= 'Z'));
  };
  if (is_letter(first) && is_letter(last)) {
    range.first = first[0];
    range.last = last[0];
    range.is_of_letters = true;
    return range;
  }
  const std::optional<int64_t> from = brace_number_of(first);
  const std::optional<int64_t> to = brace_number_of(last);
  if (!from || !to) {
    return std::nullopt;
  }
  range.first = *from;
  range.last = *to;
  const auto is_padded = [](std::string_view end) { return end.size() > 1 && end[0] == '0'; };
  range.width = is_padded(first) || is_padded(last) ? std::max(first.size(), last.size()) : 0;
  return range;
}

size_t longest_of(const std::vector<std::string>& names) {
  size_t longest = 0;
  for (const std::string& name : names) {
    longest = std::max(longest, name.size());
  }
  return longest;
}

Status too_many_names(std::string_view text, size_t most) {
  return invalid_argument("'{}': braces that stand for more than {} names", text, most);
}

class Expansion {
 public:
  Expansion(std::string_view whole, size_t most) : whole_(whole), most_(most) {}

  Result<std::vector<std::string>> of(std::string_view text) {
    for (size_t begin = text.find('{'); begin != std::string_view::npos; begin = text.find('{', begin + 1)) {
      const std::optional<BraceGroup> group = brace_group_at(text, begin);
      const std::optional<BraceRange> range =
          group && group->parts.size() == 1 ? brace_range_of(group->parts[0]) : std::nullopt;
      if (!range && (!group || group->parts.size() < 2)) {
        continue;
      }
      if (++braces_ > kMaxBraces) {
        return invalid_argument("'{}': more than {} braces", whole_, kMaxBraces);
      }
      FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> ends, of(text.substr(group->end + 1)));
      const size_t most = most_ / ends.size();  // before any is made
      FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> middles,
                               range ? values_of(*range, most) : alternatives_of(*group, most));
      return joined(text.substr(0, begin), middles, ends);
    }
    return std::vector<std::string>{std::string(text)};
  }

 private:
  Result<std::vector<std::string>> values_of(const BraceRange& range, size_t most) const {
    if (range.count() > most) {
      return too_many_names(whole_, most_);
    }
    std::vector<std::string> values;
    for (size_t i = 0; i < range.count(); ++i) {
      values.push_back(range.at(i));
    }
    return values;
  }

  Result<std::vector<std::string>> alternatives_of(const BraceGroup& group, size_t most) {
    std::vector<std::string> all;
    for (const std::string_view part : group.parts) {
      FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> some, of(part));
      if (some.size() > most - all.size()) {
        return too_many_names(whole_, most_);
      }
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

  Result<std::vector<std::string>> joined(std::string_view beginning, const std::vector<std::string>& middles,
                                          const std::vector<std::string>& ends) const {
    const size_t longest = beginning.size() + longest_of(middles) + longest_of(ends);
    if (middles.size() * ends.size() > kMaxNameBytes / std::max<size_t>(longest, 1)) {
      return invalid_argument("'{}': braces that stand for more than {} bytes of names", whole_,
                              kMaxNameBytes);
    }
    std::vector<std::string> all;
    all.reserve(middles.size() * ends.size());
    for (const std::string& middle : middles) {
      for (const std::string& end : ends) {
        all.push_back(std::string(beginning) + middle + end);
      }
    }
    return all;
  }

  const std::string_view whole_;
  const size_t most_;
  int braces_ = 0;
};

}  // namespace

Result<std::vector<std::string>> expand_braces(std::string_view text, size_t most) {
  if (text.size() > kLongestText) {
    return std::vector<std::string>{std::string(text)};
  }
  return Expansion(text, most).of(text);
}

}  // namespace forebay::dataset
