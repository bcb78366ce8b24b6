// A progress bar on standard error, for people: nothing is drawn where standard error is no terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace forebay::cli {

/// One line of at most `width` columns: "name [####      ] 40 % note".
std::string draw_bar(std::string_view name, uint64_t done, uint64_t total, std::string_view note, int width);

/// Not thread safe.
class ProgressBar {
 public:
  ProgressBar(std::string name, uint64_t total);
  /// Ends the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Changes what `done` is out of, for work that is found on the way.
  void expect(uint64_t total) { total_ = total; }
  /// Draws at most ten times a second.
  void show(uint64_t done, std::string_view note = {});

 private:
  std::string name_;
  uint64_t total_ = 0;
  int64_t drawn_ns_ = 0;
  bool is_terminal_ = false;
};

}  // namespace forebay::cli
