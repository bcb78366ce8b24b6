// The life of one process of a model, told in order: begin, serve, fail, pause, begin again.
#include "forebay/serving/processes/process_instance.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "forebay/base/clock.h"

namespace forebay::serving {
namespace {

/// A process that has closed its end has so long to end, before it is killed.
constexpr int64_t kObituaryPatienceNs = 2 * kSecond;
constexpr int64_t kLongestPollNs = 60 * kSecond;

int64_t saturated_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kNoDeadlineNs : sum;
}

// Rounded up, so that what is waited for has come when poll() returns.
int poll_ms(int64_t now_ns, int64_t until_ns) {
  if (until_ns <= now_ns) {
    return 0;
  }
  const int64_t left_ns = std::min(until_ns - now_ns, kLongestPollNs);
  return static_cast<int>((left_ns + kMillisecond - 1) / kMillisecond);
}

}  // namespace

ProcessInstance::ProcessInstance(std::shared_ptr<ProcessPool> pool, size_t number)
    : pool_(std::move(pool)), number_(number), bell_(pool_->bell(number)) {
}

void ProcessInstance::run() {
  while (!pool_->is_ending()) {
    Status status = begin();
    if (status.ok()) {
      status = serve();
    }
    if (status.ok() || pool_->is_ending()) {
      break;
    }
    link_.reset();
    bell_.is_idle = false;
    pool_->wake_all();  // a request may have rung here while another instance is idle
    const std::optional<int64_t> pause_ns = pool_->note_failure(number_, count_failure(), status);
    if (!pause_ns) {
      break;
    }
    pause(*pause_ns);
  }
  end_worker();
}

int ProcessInstance::count_failure() {
  const int64_t loaded_ns = std::exchange(well_since_ns_, kNoDeadlineNs);
  if (loaded_ns != kNoDeadlineNs && steady_clock().now_ns() - loaded_ns >= pool_->options().steady_after_ns) {
    failures_in_row_ = 0;
  }
  return failures_in_row_ < std::numeric_limits<int>::max() ? ++failures_in_row_ : failures_in_row_;
}

ProcessInstance::Awake ProcessInstance::wait(int64_t until_ns) {
  const int64_t before_ns = steady_clock().now_ns();
  const int64_t next_ns = std::min(until_ns, pool_->queue().expire(before_ns));
  std::array<pollfd, 4> watched = {pollfd{bell_.wake.get(), POLLIN, 0}, pollfd{-1, POLLIN, 0},
                                   pollfd{-1, POLLIN, 0}, pollfd{-1, POLLIN, 0}};
  if (link_ != nullptr) {
    WorkerProcess& worker = link_->process();
    watched[1].fd = worker.socket();
    watched[2].fd = worker.process();
    watched[3].fd = worker.has_output_ended() ? -1 : worker.output();
  }
  ::poll(watched.data(), watched.size(), poll_ms(before_ns, next_ns));
  if (watched[0].revents != 0) {
    eventfd_t ignored = 0;
    ::eventfd_read(bell_.wake.get(), &ignored);
  }
  if (watched[3].revents != 0) {
    link_->process().read_output();
  }
  if (next_ns < until_ns) {
    pool_->queue().expire(steady_clock().now_ns());
    pool_->note_progress();
  }
  return {.is_said = watched[1].revents != 0, .has_ended = watched[2].revents != 0};
}

void ProcessInstance::pause(int64_t ns) {
  const int64_t until_ns = steady_clock().now_ns() + ns;
  while (!pool_->is_ending() && steady_clock().now_ns() < until_ns) {
    wait(until_ns);
  }
}

Status ProcessInstance::begin() {
  FOREBAY_ASSIGN_OR_RETURN(link_, WorkerLink::start(pool_->options(), pool_->who()));
  const int64_t until_ns = saturated_sum(steady_clock().now_ns(), pool_->options().start_patience_ns);
  while (!pool_->is_ending()) {
    const Awake awake = wait(until_ns);
    if (awake.is_said) {
      FOREBAY_ASSIGN_OR_RETURN(std::optional<HeardMessage> heard, hear());
      if (heard) {
        return take_ready(*std::move(heard));
      }
    } else if (awake.has_ended) {
      return obituary();
    }
    if (steady_clock().now_ns() >= until_ns) {
      return put_down(make_status(StatusCode::kDeadlineExceeded, "it was not loaded within {} s",
                                  pool_->options().start_patience_ns / kSecond));
    }
  }
  link_->process().kill();  // it is loading, so it would not hear that it is to end
  return cancelled("the model is being unloaded");
}

Status ProcessInstance::take_ready(HeardMessage heard) {
  if (const auto* const ready = std::get_if<ReadyMessage>(&heard.message)) {
    FOREBAY_RETURN_IF_ERROR(pool_->note_ready(number_, *ready));
    well_since_ns_ = steady_clock().now_ns();
    return ok_status();
  }
  if (const auto* const failed = std::get_if<FailedMessage>(&heard.message)) {
    return annotate(failed->status, "it could not be loaded");
  }
  return put_down(invalid_argument("an answer came before any request"));
}

Status ProcessInstance::serve() {
  for (;;) {
    if (pool_->is_ending()) {
      return ok_status();
    }
    std::optional<WaitingRequest> waiting = pool_->queue().take();
    if (!waiting) {
      bell_.is_idle = true;  // and look once more: who pushes looks for idle threads after that
      waiting = pool_->queue().take();
    }
    if (waiting) {
      bell_.is_idle = false;
      FOREBAY_RETURN_IF_ERROR(run_request(*std::move(waiting)));
      continue;
    }
    const Awake awake = wait(kNoDeadlineNs);
    if (awake.is_said) {
      FOREBAY_ASSIGN_OR_RETURN(const std::optional<HeardMessage> heard, hear());
      if (heard) {
        return put_down(invalid_argument("a message came that answers nothing"));
      }
    } else if (awake.has_ended) {
      return obituary();
    }
  }
}

Status ProcessInstance::run_request(WaitingRequest waiting) {
  const ProcessModelOptions& options = pool_->options();
  Running running = {.waiting = std::move(waiting), .started_ns = steady_clock().now_ns()};
  const int64_t deadline_ns = running.waiting.request.deadline_ns;
  if (deadline_ns <= running.started_ns) {
    answer_late(running, running.started_ns);
    return ok_status();
  }
  if (const Status status = link_->prepare(running.waiting.request); !status.ok()) {
    answer(running.waiting, annotate(status, pool_->who()));
    return ok_status();
  }
  running.waiting.request.inputs.clear();  // their memory is free for others while the worker computes
  running.sent_ns = steady_clock().now_ns();
  running.kill_ns = std::min(saturated_sum(deadline_ns, options.kill_after_ns),
                             saturated_sum(running.sent_ns, options.longest_run_ns));
  Status status = link_->send();
  if (absl::IsCancelled(status)) {
    status = obituary();
  }
  if (status.ok()) {
    status = await_answer(running);
  }
  if (!running.waiting.is_answered()) {
    answer(running.waiting,
           status.ok() ? pool_->status() : unavailable("{}: {}", pool_->who(), message(status)));
  }
  return status;
}

Status ProcessInstance::await_answer(Running& running) {
  while (!pool_->is_ending()) {
    const bool is_answered = running.waiting.is_answered();
    const int64_t deadline_ns = running.waiting.request.deadline_ns;
    const Awake awake = wait(is_answered ? running.kill_ns : std::min(deadline_ns, running.kill_ns));
    if (awake.is_said) {
      FOREBAY_ASSIGN_OR_RETURN(std::optional<HeardMessage> heard, hear());
      if (heard) {
        return take_answer(running, *std::move(heard));
      }
    } else if (awake.has_ended) {
      return obituary();
    }
    const int64_t now_ns = steady_clock().now_ns();
    if (!is_answered && now_ns >= deadline_ns) {
      answer_late(running, now_ns);
    }
    if (now_ns >= running.kill_ns) {
      return put_down(make_status(StatusCode::kDeadlineExceeded,
                                  "it was killed, as it did not answer a request for {} ms",
                                  (now_ns - running.sent_ns) / kMillisecond));
    }
  }
  link_->process().kill();  // it is busy, so it would not hear that it is to end
  return ok_status();
}

Status ProcessInstance::take_answer(Running& running, HeardMessage heard) {
  auto* const said = std::get_if<AnswerMessage>(&heard.message);
  if (said == nullptr) {
    return put_down(invalid_argument("something else came where an answer was expected"));
  }
  const int64_t heard_ns = steady_clock().now_ns();
  Result<std::vector<NamedTensor>> outputs = std::vector<NamedTensor>();
  if (const Status status = link_->read(*said, std::move(heard.descriptor), pool_->metadata(), &outputs);
      !status.ok()) {
    return put_down(status);
  }
  failures_in_row_ = 0;
  if (running.waiting.is_answered()) {
    return ok_status();
  }
  if (!outputs.ok()) {
    answer(running.waiting, annotate(outputs.status(), pool_->who()));
    return ok_status();
  }
  const int64_t there_ns = heard_ns - running.sent_ns;
  Timing timing;
  timing.compute_ns = std::clamp<int64_t>(said->timing.compute_ns, 0, there_ns);
  timing.output_ns = std::clamp<int64_t>(said->timing.output_ns, 0, there_ns - timing.compute_ns);
  timing.input_ns = running.sent_ns - running.started_ns + there_ns - timing.compute_ns - timing.output_ns;
  timing.queue_ns = running.started_ns - running.waiting.arrived_ns;
  timing.output_ns += steady_clock().now_ns() - heard_ns;
  answer(running.waiting, InferResponse{.model = pool_->options().name,
                                        .version = pool_->options().version,
                                        .id = running.waiting.request.id,
                                        .outputs = *std::move(outputs),
                                        .timing = timing});
  return ok_status();
}

void ProcessInstance::answer_late(Running& running, int64_t now_ns) {
  answer(running.waiting,
         make_status(StatusCode::kDeadlineExceeded, "{}: the deadline passed {} ms after the request came",
                     pool_->who(), (now_ns - running.waiting.arrived_ns) / kMillisecond));
}

void ProcessInstance::answer(WaitingRequest& waiting, Result<InferResponse> result) {
  give_answer(waiting, std::move(result));
  pool_->queue().finished();
  pool_->note_progress();
}

Result<std::optional<HeardMessage>> ProcessInstance::hear() {
  Result<std::optional<HeardMessage>> heard = link_->hear();
  if (heard.ok()) {
    return heard;
  }
  return absl::IsCancelled(heard.status()) ? obituary() : put_down(heard.status());
}

Status ProcessInstance::obituary() {
  WorkerProcess& worker = link_->process();
  if (!worker.ends_within(kObituaryPatienceNs)) {
    return put_down(unavailable("it closed its connection and went on"));
  }
  return unavailable("{}", worker.obituary());
}

Status ProcessInstance::put_down(const Status& why) {
  link_->process().kill();
  link_->process().ends_within(kObituaryPatienceNs);
  const std::string lines = link_->process().last_lines();
  const StatusCode code = absl::IsInvalidArgument(why) ? StatusCode::kUnavailable : why.code();
  return make_status(code, "process {}: {}{}{}", link_->process().pid(), message(why),
                     lines.empty() ? "" : "; it wrote last:\n", lines);
}

void ProcessInstance::end_worker() {
  if (link_ != nullptr) {
    link_->process().say_goodbye();
    link_->process().ends_within(pool_->options().end_patience_ns);
    link_.reset();
  }
}

}  // namespace forebay::serving
