#include "forebay/cache/rules/rule_table.h"

namespace forebay::cache {

std::string_view without_end_slashes(std::string_view folder) {
  return folder.substr(0, folder.find_last_not_of('/') + 1);
}

bool lies_below(std::string_view uri, std::string_view folder) {
  folder = without_end_slashes(folder);
  return uri.starts_with(folder) &&
         (folder.empty() || uri.size() == folder.size() || uri[folder.size()] == '/');
}

RuleTable::RuleTable(const std::vector<AdmissionRule>& rules)
    : side_rule_{
          .prefix = std::string(kSideScheme), .retention = {.priority = 1}, .time_to_live_s = kSideSeconds} {
  for (const AdmissionRule& rule : rules) {
    const bool is_new = by_folder_.emplace(without_end_slashes(rule.prefix), rule).second;
    if (is_new && rule.quota_bytes > 0) {
      quotas_.emplace(rule.prefix, rule.quota_bytes);
    }
    has_pins_ = has_pins_ || rule.retention.is_pinned;
  }
}

const AdmissionRule& RuleTable::of(std::string_view uri) const {
  if (uri.starts_with(kSideScheme)) {
    return side_rule_;
  }
  for (std::string_view folder = uri; !by_folder_.empty();) {
    folder = without_end_slashes(folder);
    if (const auto rule = by_folder_.find(folder); rule != by_folder_.end()) {
      return rule->second;
    }
    if (folder.empty()) {
      break;
    }
    const size_t slash = folder.rfind('/');
    folder = folder.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  return no_rule_;
}

}  // namespace forebay::cache
