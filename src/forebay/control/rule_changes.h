// What users ask of the cache for paths: pins and rules. They are kept on disk; a daemon that runs is told of
// them, one that starts later reads them.
//
// All functions block, those that tell the daemon until it has applied the rules to all that it holds, or
// `stop`: then they are kept all the same. A name is a path or URI, and stands for what is cached at and
// below it.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "forebay/cache/rules/rule_database.h"

namespace forebay::control {

/// What changes of a rule; nothing: it stays as it is.
struct RuleChange {
  std::optional<uint32_t> ttl_s;  // 0: kept as long as there is room
  std::optional<int> priority;    // -128 to 127; what has less goes first
  std::optional<bool> is_cached;
  std::optional<uint64_t> quota_bytes;  // what is kept takes no more; 0: as much as there is room for

  bool is_empty() const { return !ttl_s && !priority && !is_cached && !quota_bytes; }
};

/// How much the daemon has pinned.
struct PinnedBytes {
  uint64_t held = 0;
  uint64_t most = 0;
};

/// Keeps what is read of `name`, whatever else needs room. Nothing if no daemon runs.
/// failed_precondition if a rule keeps it out of the cache.
Result<std::optional<PinnedBytes>> pin(const std::string& name, const std::stop_token& stop = {});

/// not_found if `name` is not pinned; failed_precondition if it is with what lies above it.
Status unpin(const std::string& name, const std::stop_token& stop = {});

/// invalid_argument for a change of nothing, and a priority that is out of range; failed_precondition to keep
/// out what is pinned.
Status change_rule(const std::string& name, const RuleChange& change, const std::stop_token& stop = {});

/// Removes the rule, and the pin that it may be; not_found if there is none.
Status remove_rule(const std::string& name, const std::stop_token& stop = {});

/// The rules that hold at or below `name`; all if it is empty.
Result<cache::Rules> rules_of(const std::string& name);

}  // namespace forebay::control
