#include "forebay/cache/rules/rule_database.h"

#include <cerrno>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "forebay/cache/rules/rule_table.h"
#include "forebay/cache/table/expiry.h"
#include "forebay/storage/home/forebay_home.h"
#include "forebay/storage/home/json_fields.h"
#include "forebay/storage/local/local_file.h"
#include "forebay/storage/uri.h"
#include "nlohmann/json.hpp"

namespace forebay::cache {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxRulePathBytes = 16'384;

Result<int8_t> priority_of(const Json& value) {
  constexpr int64_t kLeast = std::numeric_limits<int8_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int8_t>::max();
  const bool is_in_range = value.is_number_unsigned()
                               ? value.get<uint64_t>() <= static_cast<uint64_t>(kMost)
                               : value.is_number_integer() && value.get<int64_t>() >= kLeast;
  if (!is_in_range) {
    return invalid_argument("'priority' must be a whole number from {} to {}", kLeast, kMost);
  }
  return static_cast<int8_t>(value.get<int64_t>());
}

Result<uint32_t> seconds_of(const Json& value, const std::string& field) {
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t seconds, storage::number_of_json(value, field));
  if (seconds >= kNeverExpires) {
    return invalid_argument("'{}' of {} seconds", field, seconds);
  }
  return static_cast<uint32_t>(seconds);
}

Status take_rule_field(const std::string& field, const Json& value, AdmissionRule& rule) {
  if (field == "path") {
    FOREBAY_ASSIGN_OR_RETURN(rule.prefix, storage::text_of_json(value, field));
  } else if (field == "pinned") {
    FOREBAY_ASSIGN_OR_RETURN(rule.retention.is_pinned, storage::flag_of_json(value, field));
  } else if (field == "admit") {
    FOREBAY_ASSIGN_OR_RETURN(rule.is_cached, storage::flag_of_json(value, field));
  } else if (field == "priority") {
    FOREBAY_ASSIGN_OR_RETURN(rule.retention.priority, priority_of(value));
  } else if (field == "ttl_s") {
    FOREBAY_ASSIGN_OR_RETURN(rule.time_to_live_s, seconds_of(value, field));
  } else if (field == "quota_bytes") {
    FOREBAY_ASSIGN_OR_RETURN(rule.quota_bytes, storage::number_of_json(value, field));
  } else if (field == "ttl_since_s") {
    FOREBAY_ASSIGN_OR_RETURN(rule.ttl_since_s, seconds_of(value, field));
  } else {
    return invalid_argument("there is no field '{}'", field);
  }
  return ok_status();
}

Result<AdmissionRule> rule_of_json(const Json& json) {
  if (!json.is_object()) {
    return invalid_argument("a rule must be an object");
  }
  AdmissionRule rule;
  for (const auto& [field, value] : json.items()) {
    FOREBAY_RETURN_IF_ERROR(take_rule_field(field, value, rule));
  }
  FOREBAY_RETURN_IF_ERROR(check_rule(rule));
  rule.prefix = without_end_slashes(rule.prefix);
  return rule;
}

Json json_of_rule(const AdmissionRule& rule) {
  Json json = {{"path", storage::json_of_text(rule.prefix)}};
  if (rule.retention.is_pinned) {
    json["pinned"] = true;
  }
  if (rule.retention.priority != 0) {
    json["priority"] = rule.retention.priority;
  }
  if (rule.time_to_live_s != 0) {
    json["ttl_s"] = rule.time_to_live_s;
  }
  if (rule.ttl_since_s != 0) {
    json["ttl_since_s"] = rule.ttl_since_s;
  }
  if (!rule.is_cached) {
    json["admit"] = false;
  }
  if (rule.quota_bytes > 0) {
    json["quota_bytes"] = rule.quota_bytes;
  }
  return json;
}

/// Of a store, or of local files, which have no scheme.
bool names_a_folder(std::string_view path) {
  const bool is_local = path.starts_with('/');
  const size_t scheme_end = is_local ? 0 : path.find("://");
  if (!is_local && (scheme_end == 0 || scheme_end == std::string_view::npos)) {
    return false;
  }
  return path.find_first_not_of('/', scheme_end + 1) != std::string_view::npos;
}

/// Paths as they are compared, and each at most once.
Status tidy(Rules& rules) {
  std::set<std::string_view> paths;
  for (AdmissionRule& rule : rules) {
    FOREBAY_RETURN_IF_ERROR(check_rule(rule));
    rule.prefix = without_end_slashes(rule.prefix);
  }
  for (const AdmissionRule& rule : rules) {
    if (!paths.insert(rule.prefix).second) {
      return invalid_argument("{}: two rules for one path", rule.prefix);
    }
  }
  return rules.size() <= kMaxRules ? ok_status() : resource_exhausted("more than {} rules", kMaxRules);
}

/// When each time to live was given that is new.
void note_times(const Rules& before, uint32_t now_s, Rules& rules) {
  std::map<std::string_view, const AdmissionRule*> known;
  for (const AdmissionRule& rule : before) {
    known.emplace(rule.prefix, &rule);
  }
  for (AdmissionRule& rule : rules) {
    const auto found = known.find(rule.prefix);
    const bool is_new = found == known.end() || found->second->time_to_live_s != rule.time_to_live_s;
    if (is_new) {
      rule.ttl_since_s = rule.time_to_live_s == 0 ? 0 : now_s;
    }
  }
}

}  // namespace

Status check_rule(const AdmissionRule& rule) {
  const std::string& path = rule.prefix;
  if (!names_a_folder(path)) {
    return invalid_argument(
        "a rule of the cache is for a store or what lies below it, as in s3://bucket or /mnt/slow; not '{}'",
        path);
  }
  if (path.size() > kMaxRulePathBytes) {
    return invalid_argument("a rule's path of {} bytes; at most {} are taken", path.size(),
                            kMaxRulePathBytes);
  }
  return ok_status();
}

Result<Rules> parse_rules(std::string_view text, std::string_view file) {
  if (text.size() > kMaxRuleFileBytes) {
    return invalid_argument("{}: the rules of a cache have at most {} bytes", file, kMaxRuleFileBytes);
  }
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.size() != 1 || !json.contains("rules") || !json["rules"].is_array()) {
    return data_loss("{}: no rules of a cache; it must read {{\"rules\": [...]}}", file);
  }
  Rules rules;
  for (const Json& each : json["rules"]) {
    Result<AdmissionRule> rule = rule_of_json(each);
    if (!rule.ok()) {
      return annotate(rule.status(), fmt::format("{}: rule {}", file, rules.size() + 1));
    }
    rules.push_back(*std::move(rule));
  }
  FOREBAY_RETURN_IF_ERROR(annotate(tidy(rules), file));
  return rules;
}

std::string format_rules(const Rules& rules) {
  Json all = Json::array();
  for (const AdmissionRule& rule : rules) {
    all.push_back(json_of_rule(rule));
  }
  return Json{{"rules", std::move(all)}}.dump(1) + "\n";
}

Result<RuleDatabase> RuleDatabase::of_host() {
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  return RuleDatabase(home + "/cache_rules.json");
}

Result<Rules> RuleDatabase::rules() const {
  const Result<storage::OpenFile> opened = storage::open_file(file_, file_);
  if (opened.status().code() == StatusCode::kNotFound) {
    return Rules();
  }
  FOREBAY_RETURN_IF_ERROR(annotate(opened.status(), "the rules of the cache cannot be read"));
  FOREBAY_ASSIGN_OR_RETURN(const std::string text,
                           storage::read_whole(opened->descriptor.get(), file_, kMaxRuleFileBytes));
  return parse_rules(text, file_);
}

Status RuleDatabase::change(const std::function<Status(Rules&)>& how) const {
  FOREBAY_RETURN_IF_ERROR(storage::make_private_folder(std::string(storage::parent_path(file_))));
  FOREBAY_ASSIGN_OR_RETURN(const storage::WriterLock lock, storage::WriterLock::take(file_));
  FOREBAY_ASSIGN_OR_RETURN(const Rules before, rules());
  Rules changed = before;
  FOREBAY_RETURN_IF_ERROR(how(changed));
  FOREBAY_RETURN_IF_ERROR(tidy(changed));
  note_times(before, unix_seconds_ ? unix_seconds_() : system_seconds(), changed);
  return storage::replace_file(file_, format_rules(changed), at_point_);
}

}  // namespace forebay::cache
