// What this machine offers and what it lacks, as facts that a person can act on. Reads /proc and /sys, tries
// what cannot be read; changes nothing. Everything here may be called from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace forebay::cli {

enum class Verdict { kGood, kLimited, kAbsent };

/// "good", "limited", "absent".
const char* name_of(Verdict verdict);

struct Finding {
  std::string name;
  Verdict verdict = Verdict::kGood;
  std::string detail;
  std::string advice;  // what to do about it, or what its lack costs; empty when all is well
};

/// The least of the limits that the process's control groups (version 2) set in `file` ("memory.max"), from
/// its own group up to the root; nothing where none does. `root` stands before /proc and /sys, for tests.
std::optional<uint64_t> control_group_limit(const std::filesystem::path& root, const std::string& file);

/// How many processors the control groups grant ("cpu.max": quota over period), or nothing.
std::optional<double> control_group_processors(const std::filesystem::path& root);

/// The word in brackets: "madvise" of "always [madvise] never".
std::string chosen_word(const std::string& text);

/// Every finding, in the order in which they are told.
std::vector<Finding> examine_machine();

}  // namespace forebay::cli
