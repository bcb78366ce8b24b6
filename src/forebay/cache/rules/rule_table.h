// Which rule holds for an object: the one for the longest path that it is at or below, by whole components,
// so that a rule for "s3://b/train" says nothing about "s3://b/training".
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/cache/options/cache_options.h"
#include "forebay/cache/policy/quota_policy.h"

namespace forebay::cache {

/// Whether `uri` is `folder` or lies below it. Slashes at the end of `folder` change nothing; everything lies
/// below an empty one.
bool lies_below(std::string_view uri, std::string_view folder);

/// `folder` as a rule table knows it: without slashes at its end.
std::string_view without_end_slashes(std::string_view folder);

/// URIs of side data begin so (store/side_data.h). No user's rule is about it: it goes after what has no
/// priority, since it is small and dear to make, and after kSideSeconds, since nobody says when it is of no
/// use any more.
inline constexpr std::string_view kSideScheme = "side://";
inline constexpr uint32_t kSideSeconds = 30 * 24 * 60 * 60;

/// Immutable.
class RuleTable {
 public:
  /// Of two rules for one path, the first holds.
  explicit RuleTable(const std::vector<AdmissionRule>& rules);

  /// The rule for a URI, which lives as long as the table; one that asks for nothing if there is none. Takes
  /// a step for each component, however many rules there are.
  const AdmissionRule& of(std::string_view uri) const;
  bool is_empty() const { return by_folder_.empty(); }
  bool has_pins() const { return has_pins_; }
  /// Bytes by the rule's prefix.
  const Quotas& quotas() const { return quotas_; }

 private:
  std::map<std::string, AdmissionRule, std::less<>> by_folder_;
  Quotas quotas_;
  bool has_pins_ = false;
  const AdmissionRule no_rule_;
  const AdmissionRule side_rule_;
};

using RuleTableRef = std::shared_ptr<const RuleTable>;

}  // namespace forebay::cache
