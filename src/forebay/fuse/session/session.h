// Serves one mount: threads that take the kernel's requests from /dev/fuse and answer them.
//
// A thread answers what it has taken itself, so that what is resident costs no change of threads. At least
// one thread always waits for the next request, since that may be an interrupt: where all others are busy, a
// new one is started, and where there are as many as there may be, what is not in memory waits in a queue for
// the first that is free. What waits there is bounded by what the kernel lets its programs ask.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <unordered_set>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/fuse/files/file_system.h"
#include "forebay/fuse/protocol/interrupts.h"
#include "forebay/fuse/session/calls_under_way.h"
#include "forebay/fuse/session/device.h"
#include "forebay/fuse/session/ring_queue.h"
#include "forebay/fuse/session/workers.h"
#include "forebay/fuse/state/kept_state.h"

namespace forebay::fuse {

/// Of one request, as the kernel is told.
inline constexpr uint32_t kMaxWriteBytes = 1 << 20;

struct SessionOptions {
  size_t most_threads = 128;   // at least 2
  bool may_use_rings = false;  // FUSE over io_uring, where the kernel has it enabled
  /// Whether the kernel may serve files itself (backing_files.h), which it lets only root ask for.
  bool may_pass_through = false;
  /// What the process before has left, if there was one: then the kernel is agreed with already, and what was
  /// under way is sent again, or fails with EIO. Null: nothing is kept.
  std::shared_ptr<KeptState> kept;
  /// That what the kernel sends again for the second time at least fails with EIO: for when processes that
  /// had it have died quickly.
  bool refuses_what_was_fatal = false;
  /// How many requests before and behind the last one that was noted a killed process may have taken, where
  /// the kernel does not send them again. An answer too many costs less than a microsecond.
  uint64_t unnoted_requests = 4096;
  /// Whether the system has one more thread; empty: that is tried.
  std::function<bool()> has_thread;
};

class Session {
 public:
  /// Begins to serve.
  Session(std::shared_ptr<FileSystem> files, FileDescriptor device, SessionOptions options = {});
  /// Waits until the mount has gone. Not where kernel and session never agreed, or it has ended with an
  /// error.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Waits until the kernel and this session have agreed, from when on the mount answers. The error if they
  /// cannot; deadline_exceeded if it takes longer.
  Status wait_until_ready(std::chrono::seconds longest);
  /// Waits until the mount has gone, however that comes, and ends what was under way. The error that ended it
  /// before.
  Status wait();
  /// The same, for so long; false if the mount is still there.
  bool wait_for(std::chrono::seconds longest);

 private:
  enum class State : uint8_t { kBegun, kReady, kEnded };
  /// A request with its own memory.
  struct Waiting {
    uint64_t unique = 0;
    std::vector<std::byte> message;
    std::stop_token cancellation;
    int64_t arrived_ns = 0;
  };
  enum class Queued : uint8_t {
    kNo,  // nobody would come for it
    kYes,
    kYesAndFree,  // and another thread reads, so that this one can serve what waits
  };

  void work(MutableBytes memory);
  bool serve_next(MutableBytes memory) noexcept;
  void serve_what_waits() noexcept;
  bool take(Bytes message) noexcept;
  bool take_request(Bytes message);
  bool take_long(const Request& request, Bytes message);
  bool take_behind_others(const Request& request, Waiting waiting);
  void answer(const Request& request, const std::stop_token& cancellation, int64_t arrived_ns,
              Replies& replies) noexcept;
  static void answer_exception(uint64_t unique, uint32_t opcode, Replies& replies) noexcept;
  bool make_rings();
  void end_rings();
  void take_from_ring(RingEntry& entry) noexcept;
  void take_long_from_ring(const Request& request, RingEntry& entry);
  bool leave_to_others();
  Queued put_into_queue(Waiting& waiting);
  std::optional<Waiting> next_waiting();
  void serve(const Waiting& waiting) noexcept;
  bool drop_waiting(uint64_t unique);
  void resume() FOREBAY_REQUIRES(mutex_);
  void fail_unnoted();
  void keep(Bytes message);
  bool refuses(const Request& request) const;
  void reply_to_init(const Request& request, const Init& init);
  void interrupt(const Request& request, const Interrupt& interrupt);
  bool end_call(uint64_t unique);
  void end(const Status& status);
  void stop_others();
  bool start_thread() FOREBAY_REQUIRES(mutex_);

  const std::shared_ptr<FileSystem> files_;
  Device device_;
  const SessionOptions options_;
  CallsUnderWay calls_;
  std::unordered_set<uint64_t> refused_;  // requests; not changed once threads run
  std::atomic<bool> has_failed_ = false;  // then no thread reads any more, though the mount is there
  Mutex mutex_;
  std::condition_variable changed_;
  State state_ FOREBAY_GUARDED_BY(mutex_) = State::kBegun;
  Status status_ FOREBAY_GUARDED_BY(mutex_);
  // Threads that wait for a request, or are about to: they do nothing that takes long.
  size_t readers_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t running_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::deque<Waiting> waiting_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ FOREBAY_GUARDED_BY(mutex_);
  Interrupts interrupts_;
  std::vector<std::unique_ptr<RingQueue>> rings_;  // set before the session is ready; a queue for each CPU
  std::unique_ptr<Workers> workers_;               // for what takes long of them
};

}  // namespace forebay::fuse
