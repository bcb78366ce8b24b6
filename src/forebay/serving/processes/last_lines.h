// The last lines that a process wrote: what an error about its end quotes.
#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace forebay::serving {

/// Keeps kMaxLines lines, each cut at kMaxLineBytes. Not thread safe.
class LastLines {
 public:
  static constexpr size_t kMaxLines = 12;
  static constexpr size_t kMaxLineBytes = 400;

  /// Takes what was written, in pieces of any size. Whole lines go to `log` too, as "`who`: line".
  void add(std::string_view piece, std::string_view who);
  /// One string; empty if nothing was written.
  std::string text() const;

 private:
  void end_line(std::string_view who);

  std::deque<std::string> lines_;
  std::string open_;  // the line that has not ended yet
};

}  // namespace forebay::serving
