#include "forebay/control/rule_changes.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "forebay/cache/client/host_connector.h"
#include "forebay/cache/rules/rule_table.h"
#include "forebay/control/cache_counts.h"
#include "forebay/control/cache_places.h"
#include "forebay/storage/uri.h"

namespace forebay::control {
namespace {

using cache::AdmissionRule;
using cache::Rules;

/// What rules for a path are kept under: the URIs of its stores that are cached.
Result<std::vector<std::string>> rule_paths(const std::string& name) {
  FOREBAY_ASSIGN_OR_RETURN(const CachePlaces places, cached_places(name));
  std::vector<std::string> uris;
  for (const CachePlace& place : places) {
    uris.emplace_back(cache::without_end_slashes(place.uri));
  }
  return uris;
}

Rules::iterator find_rule(Rules& rules, const std::string& path) {
  return std::ranges::find(rules, path, &AdmissionRule::prefix);
}

AdmissionRule& rule_at(Rules& rules, const std::string& path) {
  const auto found = find_rule(rules, path);
  return found != rules.end() ? *found : rules.emplace_back(AdmissionRule{.prefix = path});
}

/// Tells the daemon that runs. Returns its counts, in JSON; nothing if there is none.
Result<std::string> tell_daemon(const std::stop_token& stop) {
  const Result<std::shared_ptr<cache::HostClient>> client = connect_to_cache();
  if (cache::says_absent(client.status())) {
    return std::string();
  }
  const std::string kept = "the rule is kept, but the daemon that runs does not know it yet";
  FOREBAY_RETURN_IF_ERROR(annotate(client.status(), kept));
  Result<std::string> counts = (*client)->take_rules(stop);
  FOREBAY_RETURN_IF_ERROR(annotate(counts.status(), kept));
  return counts;
}

/// Changes the rules of a path's URIs, on disk and of the daemon that runs.
Result<std::string> change_rules(const std::string& name,
                                 const std::function<Status(Rules&, const std::string& uri)>& how,
                                 const std::stop_token& stop) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> uris, rule_paths(name));
  FOREBAY_ASSIGN_OR_RETURN(const cache::RuleDatabase database, cache::RuleDatabase::of_host());
  FOREBAY_RETURN_IF_ERROR(database.change([&](Rules& rules) {
    for (const std::string& uri : uris) {
      FOREBAY_RETURN_IF_ERROR(how(rules, uri));
    }
    return ok_status();
  }));
  return tell_daemon(stop);
}

Status pin_uri(Rules& rules, const std::string& uri) {
  AdmissionRule& rule = rule_at(rules, uri);
  if (!rule.is_cached) {
    return failed_precondition(
        "{}: a rule keeps it out of the cache; `forebay cache rule --admit always` lets it in", uri);
  }
  rule.retention.is_pinned = true;
  return ok_status();
}

Status unpin_uri(Rules& rules, const std::string& uri) {
  const auto found = find_rule(rules, uri);
  if (found == rules.end() || !found->retention.is_pinned) {
    const cache::RuleTable table(rules);
    const AdmissionRule& above = table.of(uri);
    return above.retention.is_pinned
               ? failed_precondition("{}: it is pinned with {}; unpin that", uri, above.prefix)
               : not_found("{}: it is not pinned", uri);
  }
  found->retention.is_pinned = false;
  if (*found == AdmissionRule{.prefix = uri}) {
    rules.erase(found);
  }
  return ok_status();
}

Status remove_uri(Rules& rules, const std::string& uri) {
  const auto found = find_rule(rules, uri);
  if (found == rules.end()) {
    return not_found("{}: there is no rule for it", uri);
  }
  rules.erase(found);
  return ok_status();
}

Status change_uri(const RuleChange& change, Rules& rules, const std::string& uri) {
  AdmissionRule& rule = rule_at(rules, uri);
  rule.time_to_live_s = change.ttl_s.value_or(rule.time_to_live_s);
  rule.retention.priority = static_cast<int8_t>(change.priority.value_or(rule.retention.priority));
  rule.is_cached = change.is_cached.value_or(rule.is_cached);
  rule.quota_bytes = change.quota_bytes.value_or(rule.quota_bytes);
  if (rule.retention.is_pinned && !rule.is_cached) {
    return failed_precondition("{}: it is pinned; unpin it first", uri);
  }
  return ok_status();
}

}  // namespace

Result<std::optional<PinnedBytes>> pin(const std::string& name, const std::stop_token& stop) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string text, change_rules(name, pin_uri, stop));
  if (text.empty()) {
    return std::optional<PinnedBytes>();
  }
  FOREBAY_ASSIGN_OR_RETURN(const nlohmann::json counts, parse_cache_counts(text));
  return std::optional<PinnedBytes>(
      {count_in_json(counts, "pinned_bytes"), count_in_json(counts, "most_pinned_bytes")});
}

Status unpin(const std::string& name, const std::stop_token& stop) {
  return change_rules(name, unpin_uri, stop).status();
}

Status change_rule(const std::string& name, const RuleChange& change, const std::stop_token& stop) {
  if (change.is_empty()) {
    return invalid_argument("{}: a rule that says nothing", storage::uri_for_message(name));
  }
  using Range = std::numeric_limits<int8_t>;
  if (change.priority && (*change.priority < Range::min() || *change.priority > Range::max())) {
    return invalid_argument("a priority of {}; it is between {} and {}", *change.priority, Range::min(),
                            Range::max());
  }
  const auto how = [&](Rules& rules, const std::string& uri) { return change_uri(change, rules, uri); };
  return change_rules(name, how, stop).status();
}

Status remove_rule(const std::string& name, const std::stop_token& stop) {
  return change_rules(name, remove_uri, stop).status();
}

Result<Rules> rules_of(const std::string& name) {
  std::vector<std::string> uris = {""};
  if (!name.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(uris, rule_paths(name));
  }
  FOREBAY_ASSIGN_OR_RETURN(const cache::RuleDatabase database, cache::RuleDatabase::of_host());
  FOREBAY_ASSIGN_OR_RETURN(Rules rules, database.rules());
  std::erase_if(rules, [&](const AdmissionRule& rule) {
    return std::ranges::none_of(uris, [&](const std::string& uri) {
      return cache::lies_below(rule.prefix, uri) || cache::lies_below(uri, rule.prefix);
    });
  });
  return rules;
}

}  // namespace forebay::control
