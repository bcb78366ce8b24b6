// Which of several names was probably meant by one that does not exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace forebay {

/// Looks at names one by one and keeps the one that takes the fewest edits: characters put in, left out or
/// replaced (Levenshtein's distance). It keeps views: the names must outlive it.
class NearestName {
 public:
  explicit NearestName(std::string_view wanted) : wanted_(wanted) {}

  void look_at(std::string_view name);
  /// The first of the nearest names; "" if there was none.
  std::string_view found() const { return found_; }
  /// True if so little differs that it may be a slip: a third of the characters, and one in any case.
  bool is_near() const;

 private:
  const std::string_view wanted_;
  std::string_view found_;
  size_t edits_ = SIZE_MAX;
};

}  // namespace forebay
