// The half of Session that agrees with the kernel: when a mount begins, and when another process goes on with
// it.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
#include <vector>

#include "forebay/fuse/session/session.h"

namespace forebay::fuse {
namespace {

constexpr long kReadBytesAtOnce = 1 << 20;
constexpr uint16_t kMaxBackground = 64;
constexpr uint16_t kCongestedFrom = 48;
constexpr uint32_t kLeastMaxWrite = 4096;  // that the kernel takes
// What serves files by itself lies in no overlay. Then overlays of this mount are possible, as without.
constexpr uint32_t kMaxStackDepth = 1;

constexpr uint64_t kWantedFlags = kAsyncRead | kDoReadDirectoryPlus | kReadDirectoryPlusAuto |
                                  kAsyncDirectIo | kParallelDirectoryOperations | kMaxPages |
                                  kAtomicOpenTruncate | kBigWrites | kInitExtended | kHasResend;
constexpr int kHalf = 32;             // of the flags
constexpr uint64_t kRequestStep = 2;  // the numbers between are those of interrupts

/// In pages, whose size is not the same on all machines.
uint16_t pages_of_a_request() {
  return static_cast<uint16_t>(std::clamp(kReadBytesAtOnce / ::sysconf(_SC_PAGESIZE), 1L, 256L));
}

}  // namespace

// Also where nothing is agreed yet: a process may have been killed with the kernel's first request. A kernel
// that does not know the word refuses it; then what was taken fails, since nobody else will answer it.
void Session::resume() {
  const std::optional<Agreement> agreement = options_.kept->agreement();
  if (agreement) {
    state_ = State::kReady;
    if ((agreement->flags & kPassthrough) != 0) {
      files_->backing_files().begin(&device_);
    }
  }
  const bool knows_resend = !agreement || (agreement->flags & kHasResend) != 0;
  const std::vector<uint64_t> under_way = options_.kept->under_way();
  if (knows_resend && device_.notify(Notification::kResend)) {
    if (options_.refuses_what_was_fatal) {
      refused_.insert(under_way.begin(), under_way.end());
    }
    options_.kept->forget_under_way();
    return;
  }
  for (const uint64_t unique : under_way) {
    device_.send(unique, EIO, {});
  }
  fail_unnoted();
}

// A thread that is killed while it reads takes a request that nobody notes any more. Kernels that do not send
// requests again number them one after the other, and hand them out in that order; an answer to one that was
// not taken, or is answered, is not heard.
void Session::fail_unnoted() {
  const uint64_t highest = options_.kept->highest_begun();
  const uint64_t reach = options_.unnoted_requests * kRequestStep;
  for (uint64_t unique = std::max(highest, reach) - reach; unique <= highest + reach;
       unique += kRequestStep) {
    if (unique != 0) {
      device_.send(unique, EIO, {});
    }
  }
}

void Session::reply_to_init(const Request& request, const Init& init) {
  if (init.major < kMajor || (init.major == kMajor && init.minor < kLeastMinor)) {
    device_.send(request.header.unique, EPROTO, {});
    end(unimplemented("the kernel speaks FUSE {}.{}; 7.31 is needed, which Linux has from 5.5 on", init.major,
                      init.minor));
    return;
  }
  // Where names are trusted for long, what a listing says of them spares a question for each.
  const bool has_passthrough = (init.flags & kPassthrough) != 0 && options_.may_pass_through;
  const bool has_rings = options_.may_use_rings && (init.flags & kOverIoUring) != 0 && make_rings();
  const uint64_t wanted = kWantedFlags | (has_rings ? uint64_t{kOverIoUring} : 0) |
                          (has_passthrough ? uint64_t{kPassthrough} : 0);
  const uint64_t flags =
      init.flags & wanted & ~(files_->trusts_for_long() ? uint64_t{kReadDirectoryPlusAuto} : 0);
  if (has_passthrough) {
    files_->backing_files().begin(&device_);
  }
  const InitOut out = {.major = kMajor,
                       .minor = init.major > kMajor ? kMinor : std::min(init.minor, kMinor),
                       .max_readahead = init.max_readahead,
                       .flags = static_cast<uint32_t>(flags),
                       .max_background = kMaxBackground,
                       .congestion_threshold = kCongestedFrom,
                       .max_write = files_->is_read_only() ? kLeastMaxWrite : kMaxWriteBytes,
                       .time_granularity_ns = 1,
                       .max_pages = pages_of_a_request(),
                       .flags2 = static_cast<uint32_t>(flags >> kHalf),
                       .max_stack_depth = has_passthrough ? kMaxStackDepth : 0};
  if (options_.kept && init.major == kMajor) {
    options_.kept->agree({out.minor, flags});
  }
  const Bytes bytes = std::as_bytes(std::span(&out, 1));
  const bool is_agreed = device_.send(request.header.unique, 0, {&bytes, 1}) && init.major == kMajor;
  for (const std::unique_ptr<RingQueue>& each : rings_) {
    if (is_agreed) {
      each->begin();
    } else {
      each->stop();
    }
  }
  const MutexLock lock(mutex_);
  if (is_agreed && state_ == State::kBegun) {
    state_ = State::kReady;
    changed_.notify_all();
  }
}

}  // namespace forebay::fuse
