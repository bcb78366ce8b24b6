#include "forebay/cli/command/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "forebay/base/clock.h"

namespace forebay::cli {
namespace {

constexpr int64_t kEveryNs = 100'000'000;
constexpr int kColumns = 79;
constexpr int kBarColumns = 30;

}  // namespace

std::string draw_bar(std::string_view name, uint64_t done, uint64_t total, std::string_view note, int width) {
  const double share =
      total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const int filled = static_cast<int>(share * kBarColumns);
  std::string line =
      fmt::format("{} [{:<{}}] {:3.0f} %", name, std::string(filled, '#'), kBarColumns, share * 100);
  if (!note.empty()) {
    line += fmt::format(" {}", note);
  }
  line.resize(std::min<size_t>(line.size(), std::max(0, width)));
  return line;
}

ProgressBar::ProgressBar(std::string name, uint64_t total)
    : name_(std::move(name)), total_(total), is_terminal_(isatty(STDERR_FILENO) == 1) {
}

ProgressBar::~ProgressBar() {
  if (drawn_ns_ != 0) {
    std::fputc('\n', stderr);
  }
}

void ProgressBar::show(uint64_t done, std::string_view note) {
  const int64_t now_ns = steady_clock().now_ns();
  if (!is_terminal_ || (done < total_ && now_ns - drawn_ns_ < kEveryNs)) {
    return;
  }
  drawn_ns_ = now_ns;
  fmt::print(stderr, "\r{}\033[K", draw_bar(name_, done, total_, note, kColumns));
}

}  // namespace forebay::cli
