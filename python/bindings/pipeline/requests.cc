// Requests: pipelines that answer samples one by one.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <iterator>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/exchange/arrays.h"
#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/gil_gate.h"
#include "bindings/interpreter/process_owned.h"
#include "bindings/interpreter/python_call.h"
#include "bindings/pipeline/session.h"
#include "bindings/storage/store_calls.h"
#include "forebay/base/log/log.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/pipeline/requests/request_session.h"

namespace forebay::bindings {
namespace {

using pipeline::RequestSession;
using Outputs = Result<std::vector<tensor::Tensor>>;

/// A server's answers on their way to Python. One thread takes them there: the GIL once for all that have
/// come, and never on a worker. What cannot be delivered comes again, and keeps nobody else's waiting.
class Answers : public std::enable_shared_from_this<Answers> {
 public:
  /// `deliver` gets a future, the outputs or None, and the exception or None, once for each answer. Neither:
  /// it was cancelled. What raises comes again, as far as its future is not done.
  explicit Answers(nb::object deliver) : deliver_(std::move(deliver)) {}

  Status open() {
    engine_ = engine::Engine::process_engine();
    lane_ = engine_->new_lane({.name = "answers"});
    FOREBAY_ASSIGN_OR_RETURN(executor_, engine_->new_executor("answers"));
    return ok_status();
  }

  void add(PythonRef future, Outputs outputs) {
    {
      const MutexLock lock(mutex_);
      waiting_.push_back({.future = std::move(future), .outputs = std::move(outputs)});
      if (std::exchange(is_scheduled_, true)) {
        has_come_.notify_one();
        return;
      }
    }
    engine::TaskOptions task;
    task.name = "answer";
    task.executor = executor_;
    // Refused at the end of the process: nobody waits for answers any more.
    engine_->push(lane_, task, [self = shared_from_this()] { return self->deliver_all(); }).IgnoreError();
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Row {
    PythonRef future;
    Outputs outputs;
    bool is_delivered = false;
    int attempts = 0;
    Status error;  // of the last attempt
  };

  /// A list, which allocates nothing once a row is there.
  using Rows = std::list<Row>;

  static constexpr int kAttemptsWithOutputs = 3;  // then the error is the answer
  static constexpr int kMaxAttempts = 1000;
  static constexpr std::chrono::milliseconds kPauseBetweenAttempts{10};

  Status deliver_all() {
    Rows failed;
    Time again{};  // when those have their next attempt
    for (;;) {
      Rows rows = take_new(failed.empty() ? nullptr : &again);
      if (rows.empty() && failed.empty()) {
        return ok_status();
      }
      if (failed.empty() || std::chrono::steady_clock::now() >= again) {
        rows.splice(rows.end(), failed);
        again = std::chrono::steady_clock::now() + kPauseBetweenAttempts;
      }
      deliver(rows);
      failed.splice(failed.end(), rows);
    }
  }

  /// What has come since. Waits for something, if there is a time `until` which that may come; without, the
  /// next answer is scheduled again once there is none.
  Rows take_new(const Time* until) {
    Rows rows;
    UniqueMutexLock lock(mutex_);
    if (until != nullptr) {
      has_come_.wait_until(lock.native(), *until,
                           [&]() FOREBAY_REQUIRES(mutex_) { return !waiting_.empty(); });
    }
    rows.swap(waiting_);
    is_scheduled_ = until != nullptr || !rows.empty();
    return rows;
  }

  /// Leaves those in `rows` that are to come again: memory that is short now, for one, may be there a moment
  /// later.
  void deliver(Rows& rows) {
    const Status asked = with_python([&] { return deliver_once(rows); });
    if (asked.code() == StatusCode::kCancelled) {
      rows.clear();  // there is nobody any more who waits for them
    }
    for (Row& row : rows) {
      row.error = asked.ok() ? row.error : asked;
      if (++row.attempts >= kAttemptsWithOutputs && row.outputs.ok()) {
        row.outputs = row.error;
      }
      if (row.attempts == kMaxAttempts) {
        log_warning("an answer of a server was lost: {}", row.error.ToString());
      }
    }
    std::erase_if(rows, [](const Row& row) { return row.attempts >= kMaxAttempts; });
  }

  /// Takes those that were delivered out of `rows`. With the GIL.
  Status deliver_once(Rows& rows) {
    for (Row& row : rows) {
      try {
        deliver_.get()(row.future.get(), outputs_of(row.outputs), error_of(row.outputs.status()));
        row.is_delivered = true;
      } catch (nb::python_error& error) {
        row.error = status_of(error);
      } catch (const std::exception& error) {
        row.error = resource_exhausted("an answer cannot be given to Python: {}", error.what());
      }
    }
    std::erase_if(rows, [](const Row& row) { return row.is_delivered; });
    return ok_status();
  }

  static nb::object outputs_of(const Outputs& outputs) {
    if (!outputs.ok()) {
      return nb::none();
    }
    nb::list tensors;
    for (const tensor::Tensor& output : *outputs) {
      tensors.append(PythonTensor{output, nullptr, 0});
    }
    return nb::tuple(tensors);
  }

  static nb::object error_of(const Status& status) {
    const bool has_none = status.ok() || status.code() == StatusCode::kCancelled;
    return has_none ? nb::none() : exception_for(status);
  }

  PythonRef deliver_;
  std::shared_ptr<engine::Engine> engine_;
  engine::LaneRef lane_;
  engine::ExecutorRef executor_;
  Mutex mutex_;
  std::condition_variable has_come_;
  Rows waiting_ FOREBAY_GUARDED_BY(mutex_);
  bool is_scheduled_ FOREBAY_GUARDED_BY(mutex_) = false;
};

/// forebay._core.RequestSession
class PythonRequests final : public CollectedSession {
 public:
  PythonRequests(std::unique_ptr<RequestSession> session, HeldObjects held, std::shared_ptr<Answers> answers,
                 std::shared_ptr<SteppedClock> clock)
      : CollectedSession(std::move(held)),
        clock_(std::move(clock)),
        answers_(std::move(answers)),
        session_(std::move(session), "server") {}
  PythonRequests(PythonRequests&&) noexcept = default;
  ~PythonRequests() { end(); }

  /// `inputs`: pairs of a feed's node and its tensors. False when too many requests are under way.
  bool submit(int64_t key, nb::handle inputs, std::optional<double> timeout_s, nb::object future,
              int64_t epoch) {
    const std::shared_ptr<RequestSession> session = session_.get();
    pipeline::Request request;
    request.key = key;
    request.epoch = epoch;
    for (const nb::handle input : inputs) {
      std::vector<tensor::Tensor>& given = request.inputs[nb::cast<int>(input[0])];
      for (const nb::handle tensor : input[1]) {
        given.push_back(nb::cast<PythonTensor&>(tensor).tensor);
      }
    }
    if (timeout_s) {
      request.deadline_ns = deadline_after(*timeout_s);
    }
    auto answer = [answers = answers_, kept = PythonRef(std::move(future))](Outputs outputs) mutable {
      answers->add(std::move(kept), std::move(outputs));
    };
    const Status taken = without_gil([&] { return session->submit(std::move(request), std::move(answer)); });
    if (taken.code() == StatusCode::kResourceExhausted) {
      return false;
    }
    check(taken);
    return true;
  }

  void close(bool waits) {
    std::shared_ptr<RequestSession> session = session_.take();
    if (session == nullptr) {
      return;
    }
    const Status ended = without_gil([&] {
      session->close();
      const Status waited = waits ? session->await_end(signal_was_raised) : ok_status();
      session.reset();
      return waited;
    });
    clear();
    if (waits) {
      check(ended);
    }
  }

  int under_way() const { return session_.get()->under_way(); }

 private:
  void end() override { close(false); }

  int64_t deadline_after(double timeout_s) const {
    constexpr double kLongest = 1e9;
    const Clock& clock = clock_ != nullptr ? *clock_ : steady_clock();
    return timeout_s < kLongest ? clock.now_ns() + std::llround(timeout_s * 1e9) : pipeline::kNoDeadline;
  }

  std::shared_ptr<SteppedClock> clock_;
  std::shared_ptr<Answers> answers_;
  ProcessOwned<RequestSession> session_;
};

PythonRequests create(std::shared_ptr<pipeline::Plan> plan, const nb::dict& settings, int most_under_way,
                      nb::object deliver, std::shared_ptr<SteppedClock> clock) {
  HeldObjects held;
  pipeline::SessionOptions options = session_options(settings, held);
  options.feeds.clear();
  options.clock = clock.get();
  note_engine_use();
  auto answers = std::make_shared<Answers>(std::move(deliver));
  Result<std::unique_ptr<RequestSession>> session =
      without_gil_until_signal([&]() -> Result<std::unique_ptr<RequestSession>> {
        FOREBAY_RETURN_IF_ERROR(answers->open());
        return RequestSession::create(std::move(plan), std::move(options), most_under_way);
      });
  return PythonRequests(value_of(std::move(session)), std::move(held), std::move(answers), std::move(clock));
}

}  // namespace

void bind_requests(nb::module_& module) {
  nb::class_<SteppedClock>(module, "SteppedClock", "For tests: a clock that moves when told to.")
      .def(nb::init<>())
      .def("advance",
           [](SteppedClock& self, double seconds) { self.advance_ns(std::llround(seconds * 1e9)); });
  nb::class_<PythonRequests>(module, "RequestSession", "Answers requests by a plan.",
                             nb::type_slots(collected_slots<PythonRequests>()))
      .def_static("create", &create, nb::arg("plan"), nb::arg("settings"), nb::arg("most_under_way"),
                  nb::arg("deliver"), nb::arg("clock").none())
      .def("submit", &PythonRequests::submit, nb::arg("key"), nb::arg("inputs"), nb::arg("timeout").none(),
           nb::arg("future"), nb::arg("epoch") = 0)
      .def("close", &PythonRequests::close, nb::arg("waits") = true)
      .def("under_way", &PythonRequests::under_way);
}

}  // namespace forebay::bindings
