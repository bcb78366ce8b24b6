#include "forebay/cli/caching/screen.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string_view>

#include "forebay/base/clock.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/storage/local/local_file.h"

namespace forebay::cli {
namespace {

constexpr std::string_view kEnter = "\033[?1049h\033[?25l";  // another page, no cursor
constexpr std::string_view kLeave = "\033[?25h\033[?1049l";
constexpr std::string_view kHome = "\033[H";
constexpr std::string_view kEraseLine = "\033[K";
constexpr std::string_view kEraseBelow = "\033[J";
constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kLookNs = 250 * kNsPerMs;  // at the size

void print(std::string_view text) {
  storage::write_all(STDOUT_FILENO, std::as_bytes(std::span(text)), "standard output").IgnoreError();
}

ScreenSize size_of_terminal() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

bool is_same(const ScreenSize& a, const ScreenSize& b) {
  return a.columns == b.columns && a.rows == b.rows;
}

/// Reads what was typed; true if it asks for the end. At the end of the input nothing more is to be waited
/// for.
bool wants_to_quit(bool* is_open) {
  char keys[64];
  const ssize_t count = ::read(STDIN_FILENO, keys, sizeof(keys));
  *is_open = count > 0 || (count < 0 && errno == EINTR);
  return std::string_view(keys, count > 0 ? static_cast<size_t>(count) : 0).find_first_of("qQ") !=
         std::string_view::npos;
}

}  // namespace

Screen::Screen() {
  has_keys_ = ::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &before_) == 0;
  if (has_keys_) {
    termios keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // Ctrl-C stays a signal
    ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  print(kEnter);
}

Screen::~Screen() {
  print(kLeave);
  if (has_keys_) {
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
}

ScreenSize Screen::size() const {
  return size_of_terminal();
}

// In one piece, and over what is there, so that nothing flickers.
void Screen::show(const std::vector<std::string>& lines) {
  std::string picture(kHome);
  for (size_t i = 0; i < lines.size(); ++i) {
    picture += lines[i];
    picture += kEraseLine;
    picture += i + 1 < lines.size() ? "\r\n" : "";
  }
  picture += kEraseBelow;
  print(picture);
}

Waited wait_for_key(int64_t time_ns, const std::stop_token& stop) {
  const FileDescriptor bell(::eventfd(0, EFD_CLOEXEC));
  const std::stop_callback ring(stop, [&] {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(bell.get(), &one, sizeof(one));
  });
  const ScreenSize size = size_of_terminal();
  const int64_t end_ns = steady_clock().now_ns() + time_ns;
  static bool has_keys = ::isatty(STDIN_FILENO) == 1;
  for (int64_t left_ns = time_ns; left_ns > 0; left_ns = end_ns - steady_clock().now_ns()) {
    pollfd waited[] = {{bell.get(), POLLIN, 0}, {has_keys ? STDIN_FILENO : -1, POLLIN, 0}};
    const int wait_ms = static_cast<int>((std::min(left_ns, kLookNs) + kNsPerMs - 1) / kNsPerMs);
    if (::poll(waited, 2, wait_ms) > 0) {
      if (waited[0].revents != 0 || (waited[1].revents != 0 && wants_to_quit(&has_keys))) {
        return Waited::kQuit;
      }
    }
    if (!is_same(size, size_of_terminal())) {
      return Waited::kResize;
    }
  }
  return Waited::kTime;
}

}  // namespace forebay::cli
