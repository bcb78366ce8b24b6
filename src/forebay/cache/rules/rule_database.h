// The rules that users give the cache, on disk: one file of JSON under FOREBAY_HOME, replaced as a whole
// (storage/home/whole_file.h), so that pins outlast every process.
//
//   {"rules": [{"path": "s3://bucket/train", "pinned": true, "ttl_s": 3600, "ttl_since_s": 1790000000,
//               "priority": 5, "admit": false, "quota_bytes": 1000000000}]}
//
// Only `path` is required.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/cache/options/cache_options.h"
#include "forebay/storage/home/whole_file.h"

namespace forebay::cache {

using Rules = std::vector<AdmissionRule>;

inline constexpr size_t kMaxRules = 10'000;
/// Longer files are refused.
inline constexpr size_t kMaxRuleFileBytes = size_t{64} << 20;

/// invalid_argument unless the rule's path is a URI with a scheme and a store ("s3://bucket"): a rule for all
/// that there is, or will be, is an option of the cache's owner and no file's, and a pin of it would leave
/// nothing that may go.
Status check_rule(const AdmissionRule& rule);

/// data_loss or invalid_argument, which name `file` and the rule.
Result<Rules> parse_rules(std::string_view text, std::string_view file);
std::string format_rules(const Rules& rules);

/// Thread safe, and safe beside other processes that use the same file.
class RuleDatabase {
 public:
  /// `unix_seconds`: null for the system's clock.
  explicit RuleDatabase(std::string file, storage::AtPoint at_point = {},
                        std::function<uint32_t()> unix_seconds = {})
      : file_(std::move(file)), at_point_(std::move(at_point)), unix_seconds_(std::move(unix_seconds)) {}

  /// `cache_rules.json` under storage::forebay_home().
  static Result<RuleDatabase> of_host();

  /// None if there is no file. A broken one is an error: what is pinned must not go because the file cannot
  /// be read.
  Result<Rules> rules() const;

  /// Durable when it returns. `how` may change the rules, or refuse to. Paths have no slashes at their ends.
  /// Notes when each time to live was given that is new.
  Status change(const std::function<Status(Rules&)>& how) const;

  const std::string& file() const { return file_; }

 private:
  const std::string file_;
  const storage::AtPoint at_point_;
  const std::function<uint32_t()> unix_seconds_;
};

}  // namespace forebay::cache
