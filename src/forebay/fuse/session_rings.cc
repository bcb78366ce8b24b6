// The half of Session that serves requests which come by io_uring.
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/log.h"
#include "forebay/fuse/session.h"

namespace forebay::fuse {

/// A queue for each CPU that the system may have, or none: the kernel then goes on by /dev/fuse.
void Session::begin_rings() {
  const long cpus = ::sysconf(_SC_NPROCESSORS_CONF);
  workers_ = std::make_unique<Workers>(options_.most_threads);
  for (long cpu = 0; cpu < cpus; ++cpu) {
    Result<std::unique_ptr<RingQueue>> queue =
        RingQueue::begin(device_.descriptor(), {.queue = static_cast<uint16_t>(cpu)},
                         [this](RingEntry& entry) { take_from_ring(entry); });
    if (!queue.ok()) {
      log_info("forebay fuse: requests come by /dev/fuse: {}", message(queue.status()));
      end_rings();
      return;
    }
    rings_.push_back(*std::move(queue));
  }
}

void Session::end_rings() {
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
