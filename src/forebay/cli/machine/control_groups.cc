#include "forebay/cli/machine/control_groups.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace forebay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnified = "0::/";      // of version 2
constexpr std::string_view kMemory = ":memory:/";  // of version 1, behind the hierarchy's number
constexpr uint64_t kNoLimit = uint64_t{1} << 60;   // version 1 says the largest number of pages

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A group and every one above it, nearest first, as folders.
std::vector<fs::path> with_those_above(const fs::path& mount, fs::path below) {
  std::vector<fs::path> groups;
  for (; !below.empty(); below = below.parent_path()) {
    groups.push_back(mount / below);
  }
  groups.push_back(mount);
  return groups;
}

/// The process's groups in the hierarchy whose lines in /proc/self/cgroup have `mark`.
std::vector<fs::path> groups_of(const fs::path& root, std::string_view mark, const fs::path& mount) {
  std::istringstream lines(read_text(root / "proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    if (const size_t found = line.find(mark); found != std::string::npos) {
      return with_those_above(root / mount, line.substr(found + mark.size()));
    }
  }
  return {root / mount};
}

std::optional<uint64_t> least_number(const std::vector<fs::path>& groups, const char* file) {
  std::optional<uint64_t> least;
  for (const fs::path& group : groups) {
    std::istringstream text(read_text(group / file));
    uint64_t limit = 0;
    if (text >> limit && limit < kNoLimit) {  // "max" is not a number
      least = std::min(least.value_or(limit), limit);
    }
  }
  return least;
}

}  // namespace

std::optional<uint64_t> memory_limit_of_groups(const fs::path& root) {
  const auto unified = least_number(groups_of(root, kUnified, "sys/fs/cgroup"), "memory.max");
  const auto own = least_number(groups_of(root, kMemory, "sys/fs/cgroup/memory"), "memory.limit_in_bytes");
  return unified && own ? std::min(unified, own) : unified ? unified : own;
}

std::optional<double> processors_of_groups(const fs::path& root) {
  std::optional<double> least;
  for (const fs::path& group : groups_of(root, kUnified, "sys/fs/cgroup")) {
    std::istringstream text(read_text(group / "cpu.max"));
    double quota = 0;
    double period = 0;
    if (text >> quota >> period && period > 0) {
      least = std::min(least.value_or(quota / period), quota / period);
    }
  }
  return least;
}

}  // namespace forebay::cli
