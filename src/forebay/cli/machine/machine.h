// What this machine offers and what it lacks, as facts that a person can act on. Reads /proc and /sys, tries
// what cannot be read; changes nothing. Everything here may be called from any thread.
#pragma once

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

/// The word in brackets: "madvise" of "always [madvise] never".
std::string chosen_word(const std::string& text);

/// Every finding, in the order in which they are told.
std::vector<Finding> examine_machine();

}  // namespace forebay::cli
