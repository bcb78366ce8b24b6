#include "forebay/dataset/webdataset/seen_extensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace forebay::dataset {
namespace {

// Names with dots in their stems may make an extension of each member.
constexpr size_t kMaxCounted = 1024;
constexpr size_t kMaxNamed = 20;

void append_extension(const std::string& extension, std::string* text) {
  if (extension.empty()) {
    return;  // of members without one
  }
  *text += fmt::format("{}'{}'", text->empty() ? "" : ", ", extension.substr(0, 80));
}

}  // namespace

void SeenExtensions::count(const std::string& extension, uint64_t members) {
  const auto known = counts_.find(extension);
  if (known != counts_.end()) {
    known->second += members;
  } else if (counts_.size() < kMaxCounted) {
    counts_.emplace(extension, members);
  }
}

void SeenExtensions::add(const WdsSample& sample) {
  for (const WdsComponent& component : sample.components) {
    count(component.extension, 1);
  }
}

void SeenExtensions::merge(const SeenExtensions& other) {
  for (const auto& [extension, members] : other.counts_) {
    count(extension, members);
  }
  for (size_t field = 0; field < is_filled_.size(); ++field) {
    is_filled_[field] = is_filled_[field] || other.is_filled_[field];
  }
}

std::string SeenExtensions::text() const {
  std::vector<std::pair<std::string, uint64_t>> sorted(counts_.begin(), counts_.end());
  std::ranges::stable_sort(sorted, std::greater<>(), &std::pair<std::string, uint64_t>::second);
  std::string text;
  for (size_t i = 0; i < std::min(sorted.size(), kMaxNamed); ++i) {
    append_extension(sorted[i].first, &text);
  }
  text += sorted.size() > kMaxNamed ? " and others" : "";
  return text.empty() ? "none" : text;
}

std::string extensions_text(const WdsSample& sample) {
  std::string text;
  for (const WdsComponent& component : sample.components) {
    append_extension(component.extension, &text);
  }
  return text.empty() ? "none" : text;
}

}  // namespace forebay::dataset
