// The last lines of a process: cut into lines, bounded, and passed on to the log.
#include "forebay/serving/processes/last_lines.h"

#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/base/utf8.h"

namespace forebay::serving {

void LastLines::add(std::string_view piece, std::string_view who) {
  for (const char c : piece) {
    if (c == '\n') {
      end_line(who);
    } else if (open_.size() < kMaxLineBytes) {
      open_ += c;
    }
  }
}

void LastLines::end_line(std::string_view who) {
  std::string line = printable(std::exchange(open_, {}));
  if (line.empty()) {
    return;
  }
  log_info("{}: {}", who, line);
  lines_.push_back(std::move(line));
  if (lines_.size() > kMaxLines) {
    lines_.pop_front();
  }
}

std::string LastLines::text() const {
  std::string all;
  for (const std::string& line : lines_) {
    all += (all.empty() ? "" : "\n") + line;
  }
  if (!open_.empty()) {
    all += (all.empty() ? "" : "\n") + printable(open_);
  }
  return all;
}

}  // namespace forebay::serving
