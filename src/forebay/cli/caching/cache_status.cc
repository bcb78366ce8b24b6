// forebay cache status: what the host's cache holds and has done.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "forebay/cli/caching/cache_commands.h"
#include "forebay/control/cache_counts.h"

namespace forebay::cli {
namespace {

using control::count_in_json;

struct Row {
  const char* name;  // in the daemon's counts
  const char* words;
  bool is_bytes = false;
};

constexpr Row kRows[] = {
    {"hits", "reads answered from the cache"},
    {"misses", "reads that were not"},
    {"disk_hit_bytes", "bytes answered from disk", true},
    {"memory_hit_bytes", "bytes answered from memory", true},
    {"upstream_reads", "requests for bytes upstream"},
    {"hedged_reads", "of them made a second time, since the first took long"},
    {"touched_reads", "of files that were linked, or got another owner or mode, since they were listed"},
    {"upstream_bytes", "bytes read upstream", true},
    {"ahead_bytes", "of them before somebody asked", true},
    {"plans", "readers whose plan is followed"},
    {"entries", "entries held"},
    {"disk_bytes", "bytes on disk", true},
    {"quota_bytes", "bytes that it may take", true},
    {"limit_bytes", "of them now, with what the disk has to keep free", true},
    {"memory_bytes", "bytes in memory", true},
    {"index_bytes", "bytes of the index", true},
    {"pinned_bytes", "bytes pinned", true},
    {"pins_refused", "entries not pinned, for want of room for pins"},
    {"evictions", "entries evicted"},
    {"bypasses", "entries not taken in"},
    {"damaged", "damaged entries, read again"},
    {"directories_off", "directories off after an error"},
};

constexpr Row kWriteRows[] = {
    {"objects", "objects that wait to be stored"},
    {"bytes", "bytes of them", true},
    {"oldest_s", "seconds that the oldest has waited"},
    {"failing", "of them that could not be stored so far"},
    {"stored", "objects stored"},
    {"through", "objects written through, for want of room or a journal"},
    {"conflicts", "kept beside what somebody else had written"},
};

std::string in_words(const Row& row, uint64_t value) {
  constexpr double kMiB = 1 << 20;
  return row.is_bytes ? fmt::format("{:.1f} MiB", static_cast<double>(value) / kMiB) : std::to_string(value);
}

void print_row(const nlohmann::json& counts, const Row& row) {
  fmt::print("{:>14}  {}\n", in_words(row, count_in_json(counts, row.name)), row.words);
}

/// What is written back, once something was.
void print_writes(const nlohmann::json& counts) {
  const nlohmann::json writes = counts.value("write_back", nlohmann::json::object());
  const bool is_used = count_in_json(writes, "objects") + count_in_json(writes, "stored") +
                           count_in_json(writes, "through") + count_in_json(writes, "bytes") >
                       0;
  for (const Row& row : kWriteRows) {
    if (is_used) {
      print_row(writes, row);
    }
  }
  if (const std::string error = writes.value("last_error", ""); !error.empty()) {
    fmt::print("{:>14}  {}\n", "last error", error);
  }
  if (const std::string off = writes.value("off", ""); !off.empty()) {
    fmt::print("{:>14}  {}\n", "journal off", off);
  }
  for (const nlohmann::json& conflict : writes.value("last_conflicts", nlohmann::json::array())) {
    fmt::print("{:>14}  {}, kept as {}\n", "conflict", conflict.value("uri", ""),
               conflict.value("kept_as", ""));
  }
  for (const nlohmann::json& damage : writes.value("damaged", nlohmann::json::array())) {
    fmt::print("{:>14}  {}, put aside as {}\n", "damaged", damage.value("uri", ""), damage.value("file", ""));
  }
}

Status run_status(bool as_json) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string said, control::ask_cache_counts());
  FOREBAY_ASSIGN_OR_RETURN(const nlohmann::json counts, control::parse_cache_counts(said));
  if (as_json) {
    fmt::print("{}\n", counts.dump(1));
    return ok_status();
  }
  for (const Row& row : kRows) {
    print_row(counts, row);
  }
  print_writes(counts);
  return ok_status();
}

}  // namespace

void add_cache_status(CLI::App& cache, Invocation& invocation) {
  CLI::App* status =
      cache.add_subcommand("status", "What it holds and has done; of a path, how much of it is held");
  auto path = std::make_shared<std::string>();
  auto as_json = std::make_shared<bool>(false);
  status->add_option("path", *path, "A path or URI; without one, all that the daemon counts");
  status->add_flag("--json", *as_json, "Print JSON");
  status->callback([&invocation, path, as_json] {
    invocation.run = [path, as_json] {
      return path->empty() ? run_status(*as_json) : print_share_held(*path, *as_json);
    };
  });
}

}  // namespace forebay::cli
