// What the control groups of this process allow. Both versions are known; where a container hides the upper
// groups, those that can be seen count.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace forebay::cli {

/// The least of the limits on memory, page cache included, from the process's own group up to the root;
/// nothing where none is set. `root` stands before /proc and /sys, for tests. Any thread.
std::optional<uint64_t> memory_limit_of_groups(const std::filesystem::path& root = "/");

/// How many processors are granted (version 2: quota over period), or nothing.
std::optional<double> processors_of_groups(const std::filesystem::path& root = "/");

}  // namespace forebay::cli
