// forebay cache pin, unpin, rule: what users ask of the cache for paths.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/command/duration.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/output.h"
#include "forebay/cli/command/size_text.h"
#include "forebay/control/rule_changes.h"

namespace forebay::cli {
namespace {

using cache::AdmissionRule;

struct RuleOptions {
  std::string path;
  control::RuleChange change;
  std::string admit;  // empty: as it is
  bool is_to_remove = false;
  bool as_json = false;
};

Status run_pin(const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<control::PinnedBytes> pinned, control::pin(path));
  if (pinned) {
    fmt::print("pinned; {} of {} that may be pinned are held\n", size_text(pinned->held),
               size_text(pinned->most));
  } else {
    fmt::print("pinned, from when a daemon runs\n");
  }
  return ok_status();
}

nlohmann::json json_of_rule(const AdmissionRule& rule) {
  nlohmann::json json = {{"pinned", rule.retention.is_pinned},
                         {"priority", rule.retention.priority},
                         {"ttl_s", rule.time_to_live_s},
                         {"quota_bytes", rule.quota_bytes},
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
  if (rule.quota_bytes > 0) {
    text += fmt::format("  at most {}", size_text(rule.quota_bytes));
  }
  return text + "\n";
}

/// All rules, or those that hold at or below a path.
Status list_rules(const RuleOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const cache::Rules rules, control::rules_of(options.path));
  Output output;
  nlohmann::json all = nlohmann::json::array();
  for (const AdmissionRule& rule : rules) {
    if (options.as_json) {
      all.push_back(json_of_rule(rule));
    } else {
      output.print(text_of_rule(rule));
    }
  }
  if (options.as_json) {
    output.print(json_line(all) + "\n");
  }
  return output.flush();
}

Status run_rule(RuleOptions options) {
  if (!options.admit.empty()) {
    options.change.is_cached = options.admit == "always";
  }
  if (options.change.is_empty() && !options.is_to_remove) {
    return list_rules(options);
  }
  if (options.path.empty()) {
    return invalid_argument("a rule is for a path; name one");
  }
  return options.is_to_remove ? control::remove_rule(options.path)
                              : control::change_rule(options.path, options.change);
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
  command->callback([&invocation, path] { invocation.run = [path] { return control::unpin(*path); }; });
}

void add_cache_rule(CLI::App& cache, Invocation& invocation) {
  CLI::App* command = cache.add_subcommand(
      "rule", "Say how what lies at or below a path is kept; without options, list the rules");
  auto options = std::make_shared<RuleOptions>();
  command->add_option("path", options->path, "A path or URI");
  command
      ->add_option("--ttl", options->change.ttl_s,
                   "Read again what was read so long ago, as in 12h; 0: keep it")
      ->transform(CLI::Validator(to_seconds, "TIME", "time"));
  command->add_option("--priority", options->change.priority, "What has less goes first (0)")
      ->check(CLI::Range(-128, 127));
  command
      ->add_option("--quota", options->change.quota_bytes,
                   "What is kept takes no more than this, as in 200GiB; 0: as much as there is room for")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false));
  command->add_option("--admit", options->admit, "Whether it comes into the cache at all")
      ->check(CLI::IsMember({"always", "never"}));
  command->add_flag("--remove", options->is_to_remove, "Remove the rule, and the pin that it may be");
  command->add_flag("--json", options->as_json, "List the rules in JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_rule(*options); }; });
}

}  // namespace forebay::cli
