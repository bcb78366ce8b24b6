// The half of Session that serves requests which come by io_uring.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/fuse/session/session.h"

namespace forebay::fuse {
namespace {

constexpr size_t kLeastEntries = 8;

/// As the kernel counts them for its queues: "0-3", or "0,2-7".
size_t possible_cpus() {
  std::ifstream file("/sys/devices/system/cpu/possible");
  std::string text;
  size_t last = 0;
  const bool is_read = static_cast<bool>(std::getline(file, text));
  const size_t at = text.find_last_of(",-") + 1;  // 0 where there is none
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), last);
  if (is_read && error == std::errc() && end == text.data() + text.size()) {
    return last + 1;
  }
  return static_cast<size_t>(std::max(::sysconf(_SC_NPROCESSORS_CONF), 1L));
}

}  // namespace

/// A queue for each CPU that the kernel may have; false, and none, where they cannot be had: requests then
/// come by /dev/fuse. The kernel waits for all of them once it has agreed, so they are made before.
bool Session::make_rings() {
  const size_t cpus = possible_cpus();
  const auto failed = [this](const Status& why) {
    end(why);
    stop_others();
  };
  for (size_t cpu = 0; cpu < cpus; ++cpu) {
    const RingQueueOptions options = {
        .queue = static_cast<uint16_t>(cpu),
        .entries = std::max(kLeastEntries, (options_.most_threads + kLeastEntries) / cpus + 1),
        .failed = failed};
    Result<std::unique_ptr<RingQueue>> made =
        RingQueue::make(device_.descriptor(), options, [this](RingEntry& entry) { take_from_ring(entry); });
    if (!made.ok()) {
      log_warning("forebay fuse: requests come by /dev/fuse: {}", message(made.status()));
      rings_.clear();
      return false;
    }
    rings_.push_back(*std::move(made));
  }
  return true;
}

void Session::end_rings() {
  interrupts_.stop();
  for (const std::unique_ptr<RingQueue>& each : rings_) {
    each->stop();
  }
  workers_.reset();
  rings_.clear();
}

/// Answers what does not take long on the thread of its queue, so that its CPU has no other to wake.
void Session::take_from_ring(RingEntry& entry) noexcept {
  InHeader header{};
  try {
    header = *decode_header(entry.message());
    const Result<Request> request = decode_request(entry.message());
    if (!request.ok()) {
      log_warning("{}", message(request.status()));
      entry.send(header.unique, EINVAL, {});
    } else if (files_->may_wait(*request)) {
      take_long_from_ring(*request, entry);
    } else {
      answer(*request, {}, steady_clock().now_ns(), entry);
    }
  } catch (...) {
    answer_exception(header.unique, header.opcode, entry);
  }
}

void Session::take_long_from_ring(const Request& request, RingEntry& entry) {
  const int64_t arrived_ns = steady_clock().now_ns();
  const uint64_t unique = request.header.unique;
  const std::stop_token cancellation = calls_.begin(unique, request.header.pid);
  if (files_->answer_resident(request, cancellation, entry)) {
    calls_.end(unique);
    return;
  }
  // The request is decoded once more there: it borrows from the entry.
  const auto serve = [this, &entry, cancellation, arrived_ns, unique] {
    const Result<Request> again = decode_request(entry.message());
    if (again.ok()) {
      answer(*again, cancellation, arrived_ns, entry);
    }
    calls_.end(unique);
  };
  const auto dropped = [this, &entry, unique] {
    calls_.end(unique);
    entry.send(unique, EINTR, {});
  };
  workers_->add(unique, serve, dropped);
}

}  // namespace forebay::fuse
