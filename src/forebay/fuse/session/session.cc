#include "forebay/fuse/session/session.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"

namespace forebay::fuse {
namespace {

constexpr size_t kRequestBytes = size_t{32} << 10;  // of what writes nothing
constexpr int kWaking = SIGURG;                     // nothing else happens by it
constexpr std::chrono::milliseconds kUntilWokenAgain(10);
constexpr size_t kLeastThreads = 2;  // one waits for interrupts

bool is_answered(uint32_t opcode) {
  const auto kind = static_cast<Opcode>(opcode);
  return kind != Opcode::kForget && kind != Opcode::kBatchForget && kind != Opcode::kInterrupt;
}

/// From now on a signal ends the read that a thread waits in, and nothing else.
void wake_by_signal() {
  struct sigaction before {};
  if (::sigaction(kWaking, nullptr, &before) == 0 &&
      (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)) {
    struct sigaction waking {};
    waking.sa_handler = [](int) {};
    ::sigaction(kWaking, &waking, nullptr);
  }
}

SessionOptions with_least_threads(SessionOptions options) {
  options.most_threads = std::max(options.most_threads, kLeastThreads);
  return options;
}

/// The errno of the exception that is being handled, which is logged.
int errno_of_exception() noexcept {
  int error = EIO;
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      error = ENOMEM;
      log_warning("forebay fuse: out of memory for a request, which is answered ENOMEM");
    } catch (const std::exception& exception) {
      log_warning("forebay fuse: a request is answered EIO: {}", exception.what());
    }
  } catch (...) {  // of the log, or of no kind that is known: there is the errno
    return error;
  }
  return error;
}

}  // namespace

Session::Session(std::shared_ptr<FileSystem> files, FileDescriptor device, SessionOptions options)
    : files_(std::move(files)),
      device_(std::move(device), options.kept),
      options_(with_least_threads(std::move(options))),
      interrupts_({.is_under_way = [this](uint64_t unique) { return calls_.thread_of(unique).has_value(); },
                   .end = [this](uint64_t unique) { end_call(unique); }}) {
  if (options_.may_use_rings) {
    workers_ = std::make_unique<Workers>(options_.most_threads);
  }
  const MutexLock lock(mutex_);
  if (options_.kept) {
    resume();
  }
  if (!start_thread()) {
    state_ = State::kEnded;
    status_ = resource_exhausted("a mount needs a thread, and there can be no more");
  }
}

Session::~Session() {
  if (wait_until_ready({}).code() == StatusCode::kDeadlineExceeded) {
    end(unavailable("the kernel has not answered the mount"));
    stop_others();
  }
  wait().IgnoreError();
  std::vector<std::thread> threads;
  {
    const MutexLock lock(mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  end_rings();
  files_->backing_files().end();
}

/// False where the system has no more threads, or no memory for one.
bool Session::start_thread() {
  if (options_.has_thread && !options_.has_thread()) {
    return false;
  }
  try {
    // Memory that no request has filled costs nothing.
    const size_t bytes = files_->is_read_only() ? kRequestBytes : kMaxWriteBytes + kRequestBytes;
    threads_.emplace_back([this, bytes, memory = std::make_unique_for_overwrite<std::byte[]>(bytes)] {
      work({memory.get(), bytes});
    });
  } catch (const std::exception&) {
    return false;
  }
  ++running_;
  return true;
}

Status Session::wait_until_ready(std::chrono::seconds longest) {
  UniqueMutexLock lock(mutex_);
  const auto is_decided = [this]() FOREBAY_REQUIRES(mutex_) { return state_ != State::kBegun; };
  if (!changed_.wait_for(lock.native(), longest, is_decided)) {
    return make_status(StatusCode::kDeadlineExceeded, "the kernel has not answered the mount for {} s",
                       longest.count());
  }
  if (state_ == State::kReady) {
    return ok_status();
  }
  return status_.ok() ? unavailable("the mount has gone before it was ready") : status_;
}

Status Session::wait() {
  UniqueMutexLock lock(mutex_);
  changed_.wait(lock.native(), [this]() FOREBAY_REQUIRES(mutex_) { return running_ == 0; });
  return status_;
}

bool Session::wait_for(std::chrono::seconds longest) {
  UniqueMutexLock lock(mutex_);
  return changed_.wait_for(lock.native(), longest,
                           [this]() FOREBAY_REQUIRES(mutex_) { return running_ == 0; });
}

void Session::end(const Status& status) {
  {
    const MutexLock lock(mutex_);
    if (state_ != State::kEnded) {
      state_ = State::kEnded;
      status_ = status;
    }
    has_failed_ = has_failed_ || !status.ok();
    waiting_.clear();
    changed_.notify_all();
  }
  calls_.end_all();
}

/// What waits for a free thread, if another one reads requests meanwhile; else this one does from now on.
std::optional<Session::Waiting> Session::next_waiting() {
  const MutexLock lock(mutex_);
  if (readers_ == 0 || waiting_.empty()) {
    ++readers_;
    return std::nullopt;
  }
  std::optional<Waiting> taken = std::move(waiting_.front());
  waiting_.pop_front();
  return taken;
}

void Session::serve_what_waits() noexcept {
  while (const std::optional<Waiting> waiting = next_waiting()) {
    serve(*waiting);
  }
}

void Session::work(MutableBytes memory) {
  serve_what_waits();
  while (!has_failed_ && serve_next(memory)) {
  }
  {
    const MutexLock lock(mutex_);
    --readers_;
    --running_;
    changed_.notify_all();
  }
  if (has_failed_) {
    stop_others();
  }
}

/// Wakes threads that wait for a request that nobody is going to make. One that was about to wait when it was
/// woken is woken again.
void Session::stop_others() {
  wake_by_signal();
  UniqueMutexLock lock(mutex_);
  const auto have_stopped = [this]() FOREBAY_REQUIRES(mutex_) { return running_ == 0; };
  while (!changed_.wait_for(lock.native(), kUntilWokenAgain, have_stopped)) {
    for (std::thread& thread : threads_) {
      ::pthread_kill(thread.native_handle(), kWaking);
    }
  }
}

/// Waits for a request and sees that it is answered; false once there are none any more.
bool Session::serve_next(MutableBytes memory) noexcept {
  try {
    const Result<Bytes> received = device_.receive(memory);
    if (!received.ok()) {
      end(received.status().code() == StatusCode::kNotFound ? ok_status() : received.status());
      return false;
    }
    if (!received->empty()) {
      keep(*received);
      if (take(*received)) {
        serve_what_waits();
      }
    }
  } catch (...) {  // without memory for an error: the next read has it again
    errno_of_exception();
  }
  return true;
}

/// Notes a request that has to be answered, for the case that this process is killed before.
void Session::keep(Bytes message) {
  if (!options_.kept) {
    return;
  }
  const Result<InHeader> header = decode_header(message);
  if (header.ok() && is_answered(header->opcode)) {
    options_.kept->begin(header->unique);
  }
}

/// Answers a request. True if that may have taken long, so that this thread reads no more.
bool Session::take(Bytes message) noexcept {
  try {
    return take_request(message);
  } catch (...) {
    const Result<InHeader> header = decode_header(message);
    if (header.ok()) {
      answer_exception(header->unique, header->opcode, device_);
    }
    return false;
  }
}

bool Session::take_request(Bytes message) {
  const Result<Request> request = decode_request(message);
  if (!request.ok()) {
    log_warning("{}", forebay::message(request.status()));
    const Result<InHeader> header = decode_header(message);
    if (header.ok() && is_answered(header->opcode)) {
      device_.send(header->unique, EINVAL, {});
    }
  } else if (const auto* const init = std::get_if<Init>(&request->operation)) {
    reply_to_init(*request, *init);
  } else if (const auto* const interrupted = std::get_if<Interrupt>(&request->operation)) {
    interrupt(*request, *interrupted);
  } else if (std::holds_alternative<Destroy>(request->operation)) {
    device_.send(request->header.unique, 0, {});
  } else if (refuses(*request)) {
    device_.send(request->header.unique, EIO, {});
  } else if (files_->may_wait(*request)) {
    return take_long(*request, message);
  } else {
    answer(*request, {}, steady_clock().now_ns(), device_);
  }
  return false;
}

/// Whether processes before may have died of it. What gives something back is done all the same.
bool Session::refuses(const Request& request) const {
  return refused_.contains(request.header.unique) && !std::holds_alternative<Release>(request.operation) &&
         !std::holds_alternative<ReleaseDirectory>(request.operation);
}

/// No thread ends by an exception, and no program waits for what one has ended.
void Session::answer(const Request& request, const std::stop_token& cancellation, int64_t arrived_ns,
                     Replies& replies) noexcept {
  try {
    files_->answer(request, cancellation, replies, arrived_ns);
  } catch (...) {
    answer_exception(request.header.unique, request.header.opcode, replies);
  }
}

/// To be called where an exception is handled. The kernel hears no second answer, if there was one.
void Session::answer_exception(uint64_t unique, uint32_t opcode, Replies& replies) noexcept {
  const int error = errno_of_exception();
  try {
    if (is_answered(opcode)) {
      replies.send(unique, error, {});
    }
  } catch (...) {  // of the log
    return;
  }
}

bool Session::take_long(const Request& request, Bytes message) {
  const int64_t arrived_ns = steady_clock().now_ns();
  const uint64_t unique = request.header.unique;
  const std::stop_token cancellation = calls_.begin(unique, request.header.pid);
  if (leave_to_others()) {
    answer(request, cancellation, arrived_ns, device_);
    calls_.end(unique);
    return true;
  }
  try {
    // What is in memory is answered also where all threads wait for a store that may have gone.
    if (!files_->answer_resident(request, cancellation, device_)) {
      return take_behind_others(request,
                                {unique, {message.begin(), message.end()}, cancellation, arrived_ns});
    }
  } catch (...) {
    answer_exception(unique, request.header.opcode, device_);
  }
  calls_.end(unique);
  return false;
}

/// True if this thread has to serve what waits, since another one reads by now and would not.
bool Session::take_behind_others(const Request& request, Waiting waiting) {
  const Queued queued = put_into_queue(waiting);
  if (queued == Queued::kNo) {
    answer(request, waiting.cancellation, waiting.arrived_ns, device_);
    calls_.end(waiting.unique);
  }
  return queued == Queued::kYesAndFree;
}

/// True if another thread reads requests from now on while this one answers: one that does already, or a new
/// one.
bool Session::leave_to_others() {
  const MutexLock lock(mutex_);
  const bool is_left =
      readers_ > 1 || (running_ < options_.most_threads && state_ != State::kEnded && start_thread());
  readers_ -= is_left ? 1 : 0;
  return is_left;
}

// A thread that is busy serves what waits before it reads. Where there is none, since the system has no more
// threads than this one, nobody would.
Session::Queued Session::put_into_queue(Waiting& waiting) {
  const MutexLock lock(mutex_);
  if (running_ == readers_) {
    return Queued::kNo;
  }
  waiting_.push_back(std::move(waiting));
  const bool is_free = readers_ > 1;
  readers_ -= is_free ? 1 : 0;
  return is_free ? Queued::kYesAndFree : Queued::kYes;
}

/// Answers what has waited.
void Session::serve(const Waiting& waiting) noexcept {
  try {
    const Result<Request> request = decode_request(waiting.message);
    if (request.ok()) {
      answer(*request, waiting.cancellation, waiting.arrived_ns, device_);
    }
  } catch (...) {
    answer_exception(waiting.unique, static_cast<uint32_t>(Opcode::kRead), device_);
  }
  calls_.end(waiting.unique);
}

/// Takes a request out of the queue; false if it is not there.
bool Session::drop_waiting(uint64_t unique) {
  const MutexLock lock(mutex_);
  return std::erase_if(waiting_, [unique](const Waiting& each) { return each.unique == unique; }) > 0;
}

/// Ends a call, also one that waits; false if there is none.
bool Session::end_call(uint64_t unique) {
  if (workers_ && workers_->drop(unique)) {
    return true;
  }
  if (drop_waiting(unique)) {
    calls_.end(unique);
    device_.send(unique, EINTR, {});
    return true;
  }
  return calls_.interrupt(unique);
}

// A request that is not known has been answered meanwhile; the kernel asks again if it has not. It does not
// ask again of one that goes on, since its program only hears a signal that it has wanted.
void Session::interrupt(const Request& request, const Interrupt& interrupt) {
  const uint32_t thread = calls_.thread_of(interrupt.unique).value_or(0);
  if (thread != 0 && !is_asked_to_end(thread) && interrupts_.watch(interrupt.unique, thread)) {
    return;
  }
  if (!end_call(interrupt.unique)) {
    device_.send(request.header.unique, EAGAIN, {});
  }
}

}  // namespace forebay::fuse
