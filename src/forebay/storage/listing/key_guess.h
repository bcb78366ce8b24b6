// Where to divide a run of sorted names that nobody has seen yet. Names are read as numbers: the digits
// behind what they have in common, in the alphabet that those seen so far use (decimal, hexadecimal, letters,
// bytes).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace forebay::storage {

/// What is known of the names in a range: some were seen, those behind them were not.
struct SeenNames {
  std::string_view first;          // of the page that was seen last
  std::string_view last;           // the greatest that was seen; not less than `first`
  size_t count = 0;                // of names from `first` to `last`
  std::string_view folder;         // all names behind `last` that are meant begin with this
  std::optional<std::string> end;  // the greatest that may come; none: unknown, within `folder`
};

/// A place to divide at.
struct KeyGuess {
  std::string key;          // greater than `last`, less than the end; need not be a name
  double names_left = 0;    // between `last` and the end, if names are spread as those seen
  bool is_bounded = false;  // the end is known, so that names_left is more than a guess
};

/// Divides what is left in the middle, or, where the end is unknown, `reach` times as far ahead as was seen.
/// None where names leave no room.
std::optional<KeyGuess> guess_key(const SeenNames& seen, double reach);

/// How many bytes two names have in common at their beginning.
size_t common_bytes(std::string_view a, std::string_view b);

}  // namespace forebay::storage
