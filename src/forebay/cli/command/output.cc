#include "forebay/cli/command/output.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <utility>

namespace forebay::cli {
namespace {

constexpr size_t kBufferBytes = 1 << 16;

}  // namespace

Output::Output() {
  ::signal(SIGPIPE, SIG_IGN);
}

Output::~Output() {
  flush().IgnoreError();
}

void Output::print(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) {
    flush().IgnoreError();
  }
}

void Output::print(Bytes bytes) {
  flush().IgnoreError();
  write_out(bytes);
}

Status Output::flush() {
  const std::string waiting = std::exchange(buffer_, {});
  write_out(std::as_bytes(std::span(waiting)));
  return status_;
}

void Output::write_out(Bytes bytes) {
  while (!bytes.empty() && !is_closed_) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      is_closed_ = true;
      status_ = errno == EPIPE ? ok_status() : errno_status(errno, "standard output");
    }
  }
}

}  // namespace forebay::cli
