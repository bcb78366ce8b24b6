// forebay cache pin, unpin, rule: what users ask of the cache for paths. The rules are kept on disk; a daemon
// that runs is told of them, one that starts later reads them.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "forebay/cache/rules/rule_database.h"
#include "forebay/cache/rules/rule_table.h"
#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/caching/cache_counts.h"
#include "forebay/cli/caching/duration.h"
#include "forebay/cli/objects/json_text.h"
#include "forebay/cli/objects/output.h"
#include "forebay/cli/size_text.h"

namespace forebay::cli {
namespace {

using cache::AdmissionRule;
using cache::Rules;

struct RuleOptions {
  std::string path;
  std::optional<uint32_t> ttl_s;
  std::optional<int> priority;
  std::string admit;  // empty: as it is
  bool is_to_remove = false;
  bool as_json = false;

  bool changes() const { return ttl_s || priority || !admit.empty() || is_to_remove; }
};

/// What rules for a path are kept under: the URIs of its stores that are cached.
Result<std::vector<std::string>> rule_paths(const std::string& name) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<CachePlace> places, cached_places(name));
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

/// Changes the rules of a path's URIs, on disk and of the daemon that runs. Returns the counts of that, in
/// JSON; nothing if there is none.
Result<std::string> change_rules(const std::string& path,
                                 const std::function<Status(Rules&, const std::string& uri)>& how) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> uris, rule_paths(path));
  FOREBAY_ASSIGN_OR_RETURN(const cache::RuleDatabase database, cache::RuleDatabase::of_host());
  FOREBAY_RETURN_IF_ERROR(database.change([&](Rules& rules) {
    for (const std::string& uri : uris) {
      FOREBAY_RETURN_IF_ERROR(how(rules, uri));
    }
    return ok_status();
  }));
  const Result<std::shared_ptr<cache::HostClient>> client = connect_to_cache();
  if (client.status().code() == StatusCode::kNotFound || client.status().code() == StatusCode::kUnavailable) {
    return std::string();
  }
  const std::string kept = "the rule is kept, but the daemon that runs does not know it yet";
  FOREBAY_RETURN_IF_ERROR(annotate(client.status(), kept));
  Result<std::string> counts = (*client)->take_rules();
  FOREBAY_RETURN_IF_ERROR(annotate(counts.status(), kept));
  return counts;
}

Status run_pin(const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(
      const std::string text, change_rules(path, [](Rules& rules, const std::string& uri) {
        AdmissionRule& rule = rule_at(rules, uri);
        if (!rule.is_cached) {
          return failed_precondition(
              "{}: a rule keeps it out of the cache; `forebay cache rule --admit always` lets it in", uri);
        }
        rule.retention.is_pinned = true;
        return ok_status();
      }));
  if (text.empty()) {
    fmt::print("pinned, from when a daemon runs\n");
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(const nlohmann::json counts, parse_cache_counts(text));
  fmt::print("pinned; {} of {} that may be pinned are held\n",
             size_text(count_in_json(counts, "pinned_bytes")),
             size_text(count_in_json(counts, "most_pinned_bytes")));
  return ok_status();
}

Status unpin(Rules& rules, const std::string& uri) {
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

Status take_rule_options(const RuleOptions& options, Rules& rules, const std::string& uri) {
  if (options.is_to_remove) {
    const auto found = find_rule(rules, uri);
    if (found == rules.end()) {
      return not_found("{}: there is no rule for it", uri);
    }
    rules.erase(found);
    return ok_status();
  }
  AdmissionRule& rule = rule_at(rules, uri);
  rule.time_to_live_s = options.ttl_s.value_or(rule.time_to_live_s);
  rule.retention.priority = static_cast<int8_t>(options.priority.value_or(rule.retention.priority));
  if (!options.admit.empty()) {
    rule.is_cached = options.admit == "always";
  }
  if (rule.retention.is_pinned && !rule.is_cached) {
    return failed_precondition("{}: it is pinned; unpin it first", uri);
  }
  return ok_status();
}

nlohmann::json json_of_rule(const AdmissionRule& rule) {
  nlohmann::json json = {{"pinned", rule.retention.is_pinned},
                         {"priority", rule.retention.priority},
                         {"ttl_s", rule.time_to_live_s},
                         {"admit", rule.is_cached ? "always" : "never"}};
  put_name(json, "path", rule.prefix);
  return json;
}

std::string text_of_rule(const AdmissionRule& rule) {
  std::string text = rule.prefix;
  text += rule.retention.is_pinned ? "  pinned" : "";
  text += rule.is_cached ? "" : "  never admitted";
  if (rule.retention.priority != 0) {
    text += fmt::format("  priority {}", rule.retention.priority);
  }
  if (rule.time_to_live_s > 0) {
    text += fmt::format("  for {}", duration_text(rule.time_to_live_s));
  }
  return text + "\n";
}

/// All rules, or those that hold at or below a path.
Status list_rules(const RuleOptions& options) {
  std::vector<std::string> uris = {""};
  if (!options.path.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(uris, rule_paths(options.path));
  }
  FOREBAY_ASSIGN_OR_RETURN(const cache::RuleDatabase database, cache::RuleDatabase::of_host());
  FOREBAY_ASSIGN_OR_RETURN(const Rules rules, database.rules());
  Output output;
  nlohmann::json all = nlohmann::json::array();
  for (const AdmissionRule& rule : rules) {
    const bool is_asked_for = std::ranges::any_of(uris, [&](const std::string& uri) {
      return cache::lies_below(rule.prefix, uri) || cache::lies_below(uri, rule.prefix);
    });
    if (is_asked_for && options.as_json) {
      all.push_back(json_of_rule(rule));
    } else if (is_asked_for) {
      output.print(text_of_rule(rule));
    }
  }
  if (options.as_json) {
    output.print(json_line(all) + "\n");
  }
  return output.flush();
}

Status run_rule(const RuleOptions& options) {
  if (!options.changes()) {
    return list_rules(options);
  }
  if (options.path.empty()) {
    return invalid_argument("a rule is for a path; name one");
  }
  return change_rules(
             options.path,
             [&](Rules& rules, const std::string& uri) { return take_rule_options(options, rules, uri); })
      .status();
}

}  // namespace

void add_cache_pin(CLI::App& cache, Invocation& invocation) {
  CLI::App* command = cache.add_subcommand("pin", "Keep what is read of a path, whatever else needs room");
  auto path = std::make_shared<std::string>();
  command->add_option("path", *path, "A path or URI")->required();
  command->callback([&invocation, path] { invocation.run = [path] { return run_pin(*path); }; });
}

void add_cache_unpin(CLI::App& cache, Invocation& invocation) {
  CLI::App* command = cache.add_subcommand("unpin", "Let what is held of a path go again");
  auto path = std::make_shared<std::string>();
  command->add_option("path", *path, "A path or URI that was pinned")->required();
  command->callback(
      [&invocation, path] { invocation.run = [path] { return change_rules(*path, unpin).status(); }; });
}

void add_cache_rule(CLI::App& cache, Invocation& invocation) {
  CLI::App* command = cache.add_subcommand(
      "rule", "Say how what lies at or below a path is kept; without options, list the rules");
  auto options = std::make_shared<RuleOptions>();
  command->add_option("path", options->path, "A path or URI");
  command->add_option("--ttl", options->ttl_s, "Read again what was read so long ago, as in 12h; 0: keep it")
      ->transform(CLI::Validator(to_seconds, "TIME", "time"));
  command->add_option("--priority", options->priority, "What has less goes first (0)")
      ->check(CLI::Range(-128, 127));
  command->add_option("--admit", options->admit, "Whether it comes into the cache at all")
      ->check(CLI::IsMember({"always", "never"}));
  command->add_flag("--remove", options->is_to_remove, "Remove the rule, and the pin that it may be");
  command->add_flag("--json", options->as_json, "List the rules in JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_rule(*options); }; });
}

}  // namespace forebay::cli
