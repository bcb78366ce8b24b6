#include "forebay/fuse/supervisor/supervisor.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/fuse/mounts/mount_point.h"

namespace forebay::fuse {
namespace {

constexpr int64_t kNeverNs = std::numeric_limits<int64_t>::max();
constexpr size_t kDeathsUntilCareful = 3;

int64_t now_ns() {
  return steady_clock().now_ns();
}

}  // namespace

Supervisor::Supervisor(SupervisorOptions options, std::optional<Peer> server)
    : options_(std::move(options)), server_(std::move(server)), was_ready_(server_.has_value()) {
}

Status Supervisor::run() {
  while (!is_over_) {
    do_what_is_due();
    if (!is_over_) {
      wait();
    }
  }
  end_mount(options_.mount);
  return result_;
}

int64_t Supervisor::next_due_ns() const {
  if (!server_) {
    return next_start_ns_;
  }
  return next_kill_ns_ == 0 ? kNeverNs : next_kill_ns_;
}

void Supervisor::do_what_is_due() {
  if (next_due_ns() > now_ns()) {
    return;
  }
  if (!server_) {
    start_server();
  } else {
    log_warning("{}: the process that serves it does not end; it is killed", options_.mount.path);
    server_->kill();
    next_kill_ns_ = 0;
  }
}

/// Until somebody says something, or the next thing is due.
void Supervisor::wait() {
  const int64_t due_ns = next_due_ns();
  const int64_t left_ms = std::max<int64_t>(due_ns - now_ns(), 0) / kMillisecond + 1;
  std::array<pollfd, 2> look = {{{.fd = is_ending_ ? -1 : options_.signals.get(), .events = POLLIN},
                                 {.fd = server_ ? server_->socket() : -1, .events = POLLIN}}};
  if (::poll(look.data(), look.size(), due_ns == kNeverNs ? -1 : static_cast<int>(left_ms)) <= 0) {
    return;
  }
  if (look[0].revents != 0) {
    stop();
  }
  if (look[1].revents != 0) {
    hear_server();
  }
}

void Supervisor::start_server() {
  if (has_gone() || is_ending_) {
    is_over_ = true;
    return;
  }
  Result<Peer> started = options_.start_server(limit_.ends() >= kDeathsUntilCareful);
  if (started.ok()) {
    server_ = *std::move(started);
  } else {
    note_death(started.status());
  }
}

/// Whether the kernel has ended the connection.
bool Supervisor::has_gone() const {
  pollfd look = {.fd = options_.device.get(), .events = 0, .revents = 0};
  return ::poll(&look, 1, 0) != 0;
}

/// Ends the mount in order: the server hears of it, and closes the device, without which it would live on
/// where only programs that use it hold it.
void Supervisor::stop() {
  is_ending_ = true;
  next_start_ns_ = 0;
  next_kill_ns_ = now_ns() + options_.until_killed_ns;
  end_mount(options_.mount);
  if (server_) {
    server_->say(Word::kStop);
  }
}

void Supervisor::hear_server() {
  const std::optional<SaidWord> said = server_->hear();
  if (!said) {
    note_end();
    return;
  }
  switch (said->word) {
    case Word::kReady:  // should this process be killed now, the server has heard that it goes on
      server_->say(Word::kGo);
      result_ = std::exchange(was_ready_, true) ? ok_status() : options_.on_ready();
      if (!result_.ok()) {
        stop();
      }
      return;
    case Word::kEnding:
      is_ending_ = true;
      return;
    case Word::kEnded:
      last_word_ = said->text.empty() ? ok_status() : failed_precondition("{}", said->text);
      return;
    case Word::kGo:
    case Word::kStop:
      return;  // not the server's to say
  }
}

/// The server has ended: in order if it has said so, or if the mount has gone.
void Supervisor::note_end() {
  const std::string how = server_->collect();
  server_.reset();
  const std::optional<Status> last_word = std::exchange(last_word_, std::nullopt);
  if (last_word && (last_word->ok() || !was_ready_)) {
    result_.Update(*last_word);
    is_over_ = true;
  } else if (is_ending_ || has_gone()) {
    is_over_ = true;
  } else {
    note_death(last_word ? *last_word : unavailable("{}", how.empty() ? "killed" : how));
  }
}

void Supervisor::note_death(const Status& how) {
  const int64_t ended_ns = now_ns();
  const std::optional<int64_t> pause_ns = limit_.note_end(ended_ns);
  if (pause_ns) {
    log_warning("{}: the process that serves it has ended ({}); another one goes on", options_.mount.path,
                message(how));
    next_start_ns_ = ended_ns + *pause_ns;
    return;
  }
  result_ = unavailable("{}: the processes that serve it ended {} times within {} s ({}); the mount is ended",
                        options_.mount.path, limit_.ends(), RestartLimit::kWithinNs / kSecond, message(how));
  log_warning("{}", message(result_));
  is_over_ = true;
}

}  // namespace forebay::fuse
