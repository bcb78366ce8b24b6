#include "forebay/pipeline/requests/request_session.h"

#include <algorithm>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/pipeline/jobs/collect.h"
#include "forebay/pipeline/requests/pending_requests.h"
#include "forebay/pipeline/samples/device_queues.h"
#include "forebay/pipeline/samples/sample_runner.h"
#include "forebay/pipeline/session/interruptible.h"

namespace forebay::pipeline {
namespace {

constexpr int kOnly = 0;  // the index of a request's sample

Status check_graph(const Plan& plan) {
  if (!plan.sources().empty()) {
    return unimplemented("'{}' reads a data set, and requests bring their own data: use external_source",
                         plan.sources()[0].name);
  }
  if (!plan.expands().empty()) {
    return unimplemented("'{}' changes how many samples there are, and a request is one sample",
                         plan.expands()[0].name);
  }
  for (const Step& step : plan.phases()[0].steps) {
    if (step.kind != StepKind::kFeed && !flows(step)) {
      return unimplemented("'{}' needs a whole batch, and a request is one sample", step.actions[0].name);
    }
  }
  return ok_status();
}

}  // namespace

class RequestSession::Core final : public SampleOwner {
 public:
  Core(std::shared_ptr<const Plan> plan, SessionOptions options, int most_under_way)
      : plan_(std::move(plan)),
        options_(std::move(options)),
        clock_(options_.clock != nullptr ? options_.clock : &steady_clock()),
        runner_(*plan_, options_, *clock_),
        pending_(most_under_way) {}

  Status open();
  Status submit(Request request, Answer answer);
  void close();
  Status await_end(const std::function<bool()>& interrupted);
  int under_way() const { return pending_.size(); }
  const Budget& budget() const { return runner_.gate().budget(); }

  void resume(const BatchRef& batch, int) override { push(std::static_pointer_cast<RequestJob>(batch)); }
  Status check_wanted(const BatchJob& batch) const override;

 private:
  std::shared_ptr<Core> self() { return std::static_pointer_cast<Core>(shared_from_this()); }
  const std::vector<Step>& steps() const { return plan_->phases()[0].steps; }
  const Step& step_of(const RequestJob& job) const { return steps()[job.samples[kOnly].step]; }

  Status take_inputs(const Request& request, RequestJob* job) const;
  void begin_again(RequestJob* job) const;
  void push(const RequestRef& job);
  void push_function(const RequestRef& job);
  void push_body(const RequestRef& job, engine::TaskOptions task, void (Core::*body)(const RequestRef&));
  void end_where_thrown(const RequestRef& job, absl::FunctionRef<void()> body);
  void run(const RequestRef& job);
  void take_outcome(const RequestRef& job, Outcome outcome);
  void push_to_device(const RequestRef& job);
  void call_function(const RequestRef& job);
  Outcome run_group(const RequestRef& job);
  void refuse(const RequestRef& job, const Outcome& refused);
  void finish(const RequestRef& job);
  void end(const RequestRef& job, Result<std::vector<tensor::Tensor>> result);
  Result<std::vector<tensor::Tensor>> outputs_of(const RequestJob& job) const;
  void answer(RequestJob* job, Result<std::vector<tensor::Tensor>> result);
  void answer_expired();

  const std::shared_ptr<const Plan> plan_;
  const SessionOptions options_;
  const Clock* const clock_;
  std::shared_ptr<engine::Engine> engine_;
  engine::LaneRef lane_;
  engine::ExecutorRef functions_;  // if the plan has functions of the user
  DeviceQueues device_queues_;
  SampleRunner runner_;
  PendingRequests pending_;
  std::atomic<int64_t> taken_{0};
};

Status RequestSession::Core::open() {
  FOREBAY_RETURN_IF_ERROR(options_.check(*plan_));
  FOREBAY_RETURN_IF_ERROR(check_graph(*plan_));
  engine_ = options_.engine ? options_.engine : engine::Engine::process_engine();
  engine_->ensure_workers(options_.num_threads);
  lane_ = engine_->new_lane(
      {.name = "requests", .width = options_.num_threads, .weight = 1, .waiters_help = false});
  if (plan_->has_functions()) {
    FOREBAY_ASSIGN_OR_RETURN(functions_, engine_->new_executor("python"));
  }
  return plan_->has_device_actions() ? device_queues_.open(engine_, options_.device) : ok_status();
}

Status RequestSession::Core::submit(Request request, Answer answer) {
  if (request.key < 0) {
    return invalid_argument("the key {} of a request must be at least 0", request.key);
  }
  if (request.epoch < 0) {
    return invalid_argument("the epoch {} of a request must be at least 0", request.epoch);
  }
  const auto job = std::make_shared<RequestJob>(1, plan_->num_values(), plan_->outputs().size());
  FOREBAY_RETURN_IF_ERROR(take_inputs(request, job.get()));
  job->number = taken_++;
  job->key = request.key;
  job->deadline_ns = request.deadline_ns;
  job->begun_ns = std::move(request.begun_ns);
  job->answer = std::move(answer);
  operators::SampleIdentity& identity = job->samples[kOnly].identity;
  identity.epoch = request.epoch;
  identity.position = request.key;
  identity.stream_index = job->number;
  begin_again(job.get());
  answer_expired();
  FOREBAY_ASSIGN_OR_RETURN(const bool runs_now, pending_.add(job));
  if (runs_now) {
    push(job);
  }
  return ok_status();
}

Status RequestSession::Core::take_inputs(const Request& request, RequestJob* job) const {
  for (const Action& feed : plan_->feeds()) {
    const auto given = request.inputs.find(feed.node);
    const size_t count = given == request.inputs.end() ? 0 : given->second.size();
    if (count != feed.outputs.size()) {
      return invalid_argument("the request gives '{}' {} tensors, {} expected", feed.name, count,
                              feed.outputs.size());
    }
    for (size_t output = 0; output < count; ++output) {
      if (!given->second[output].is_valid()) {
        return invalid_argument("the request gives '{}' an invalid tensor", feed.name);
      }
      job->inputs.emplace_back(feed.outputs[output], given->second[output]);
    }
  }
  if (request.inputs.size() != plan_->feeds().size()) {
    return invalid_argument("the request feeds {} nodes, and the graph has {} feeds", request.inputs.size(),
                            plan_->feeds().size());
  }
  return ok_status();
}

// Before its first step, with nothing but its inputs.
void RequestSession::Core::begin_again(RequestJob* job) const {
  SampleJob fresh;
  fresh.identity = job->samples[kOnly].identity;
  fresh.values.resize(plan_->num_values());
  fresh.step = plan_->feeds().empty() ? 0 : 1;
  for (const auto& [value, tensor] : job->inputs) {
    fresh.values[value] = tensor;
  }
  job->samples[kOnly] = std::move(fresh);
}

void RequestSession::Core::push(const RequestRef& job) {
  engine::TaskOptions task;
  task.name = "request";
  push_body(job, std::move(task), &Core::run);
}

void RequestSession::Core::run(const RequestRef& job) {
  if (int64_t never = 0; job->begun_ns != nullptr && job->begun_ns->load() == never) {
    job->begun_ns->compare_exchange_strong(never, clock_->now_ns());
  }
  take_outcome(job, runner_.run(job, kOnly, *this));
}

void RequestSession::Core::push_function(const RequestRef& job) {
  engine::TaskOptions task;
  task.name = step_of(*job).actions[0].name;
  task.executor = functions_;
  push_body(job, std::move(task), &Core::call_function);
}

void RequestSession::Core::push_body(const RequestRef& job, engine::TaskOptions task,
                                     void (Core::*body)(const RequestRef&)) {
  task.order = static_cast<uint64_t>(job->number) + 1;
  const Status pushed = engine_->push(lane_, task, [self = self(), job, body] {
    self->end_where_thrown(job, [&] { (*self.*body)(job); });
    return ok_status();
  });
  if (!pushed.ok()) {
    end(job, pushed);
  }
}

void RequestSession::Core::end_where_thrown(const RequestRef& job, absl::FunctionRef<void()> body) {
  const Status ended = caught([&] {
    body();
    return ok_status();
  });
  if (!ended.ok()) {
    end(job, ended);
  }
}

Status RequestSession::Core::check_wanted(const BatchJob& batch) const {
  const auto& job = static_cast<const RequestJob&>(batch);
  if (job.is_answered) {
    return cancelled("the request has its answer");
  }
  if (clock_->now_ns() >= job.deadline_ns) {
    return make_status(StatusCode::kDeadlineExceeded, "the deadline of the request with key {} has passed",
                       job.key);
  }
  return ok_status();
}

void RequestSession::Core::take_outcome(const RequestRef& job, Outcome outcome) {
  for (;; outcome = runner_.run(job, kOnly, *this)) {
    if (outcome.kind == Outcome::Kind::kForDevice) {
      return push_to_device(job);
    }
    if (outcome.kind == Outcome::Kind::kGroup) {
      if (runs_python(step_of(*job))) {
        return push_function(job);
      }
      outcome = run_group(job);
      if (outcome.kind == Outcome::Kind::kDone) {
        continue;
      }
    }
    return outcome.kind == Outcome::Kind::kRefused ? refuse(job, outcome) : finish(job);
  }
}

// As in a Session: the request gives its worker back.
void RequestSession::Core::push_to_device(const RequestRef& job) {
  engine::TaskOptions task;
  task.name = "request";
  task.order = static_cast<uint64_t>(job->number) + 1;
  const auto issue = [self = self(), job] { self->runner_.issue(job.get(), kOnly); };
  const auto rest = [self = self(), job](const Status& passed) {
    if (engine::is_cancelled()) {
      return;  // the session was closed, and the request has its answer
    }
    self->end_where_thrown(
        job, [&] { self->take_outcome(job, self->runner_.run_after_device(job, kOnly, passed, *self)); });
  };
  const Status pushed =
      device_queues_.launch(lane_, task, runner_.queue_of(job->samples[kOnly]), issue, rest);
  if (!pushed.ok()) {
    end(job, pushed);
  }
}

void RequestSession::Core::call_function(const RequestRef& job) {
  run_group(job);
  push(job);
}

// A group of one: each request is on its own.
Outcome RequestSession::Core::run_group(const RequestRef& job) {
  SampleJob& sample = job->samples[kOnly];
  sample.error = check_wanted(*job);
  if (!sample.error.ok()) {
    return {};
  }
  const int members[] = {kOnly};
  return runner_.run_group(job.get(), members)[0];
}

void RequestSession::Core::refuse(const RequestRef& job, const Outcome& refused) {
  begin_again(job.get());
  const PendingRequests::Refused then = pending_.refuse(job);
  if (then.is_final) {
    runner_.refuse(job.get(), kOnly, refused);
    return finish(job);
  }
  if (then.next != nullptr) {
    push(then.next);
  }
}

void RequestSession::Core::finish(const RequestRef& job) {
  end(job, caught([&] { return outputs_of(*job); }));
}

void RequestSession::Core::end(const RequestRef& job, Result<std::vector<tensor::Tensor>> result) {
  job->samples[kOnly].values.clear();
  answer(job.get(), std::move(result));
  for (const RequestRef& next : pending_.end(job)) {
    push(next);
  }
  answer_expired();
}

Result<std::vector<tensor::Tensor>> RequestSession::Core::outputs_of(const RequestJob& job) const {
  FOREBAY_RETURN_IF_ERROR(job.samples[kOnly].error);
  FOREBAY_RETURN_IF_ERROR(check_wanted(job));
  FOREBAY_ASSIGN_OR_RETURN(const auto batches, collect_outputs(*plan_, job));
  std::vector<tensor::Tensor> outputs;
  for (const tensor::Batch& batch : batches) {
    outputs.push_back(batch[0]);
  }
  return outputs;
}

void RequestSession::Core::answer(RequestJob* job, Result<std::vector<tensor::Tensor>> result) {
  if (Answer answer = pending_.take_answer(job)) {
    answer(std::move(result));
  }
}

void RequestSession::Core::answer_expired() {
  for (const RequestRef& job : pending_.expired(clock_->now_ns())) {
    answer(job.get(), check_wanted(*job));
  }
}

void RequestSession::Core::close() {
  for (const RequestRef& job : pending_.close()) {
    answer(job.get(), cancelled("the session was closed"));
  }
  if (engine_) {
    engine_->cancel(lane_);
  }
}

Status RequestSession::Core::await_end(const std::function<bool()>& interrupted) {
  const Interruptible wait(interrupted);
  engine_->wait_all(lane_, wait.options()).IgnoreError();
  return wait.status();
}

Result<std::unique_ptr<RequestSession>> RequestSession::create(std::shared_ptr<const Plan> plan,
                                                               SessionOptions options, int most_under_way) {
  if (most_under_way < 1) {
    return invalid_argument("most_under_way={} must be at least 1", most_under_way);
  }
  options.on_error = OnError::kRaise;
  auto core = std::make_shared<Core>(std::move(plan), std::move(options), most_under_way);
  FOREBAY_RETURN_IF_ERROR(core->open());
  return std::unique_ptr<RequestSession>(new RequestSession(std::move(core)));
}

RequestSession::~RequestSession() {
  core_->close();
}

Status RequestSession::submit(Request request, Answer answer) {
  return core_->submit(std::move(request), std::move(answer));
}

void RequestSession::close() {
  core_->close();
}

Status RequestSession::await_end(const std::function<bool()>& interrupted) {
  return core_->await_end(interrupted);
}

int RequestSession::under_way() const {
  return core_->under_way();
}

const Budget& RequestSession::budget() const {
  return core_->budget();
}

}  // namespace forebay::pipeline
