#include "forebay/pipeline/core/core.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/pipeline/session/interruptible.h"
#include "forebay/storage/interruptible_waits.h"

namespace forebay::pipeline {

Session::Core::Core(std::shared_ptr<const Plan> plan, SessionOptions options)
    : plan_(std::move(plan)),
      options_(std::move(options)),
      clock_(options_.clock != nullptr ? options_.clock : &steady_clock()),
      runner_(*plan_, options_, *clock_),
      delivered_(*plan_, options_.on_error, *clock_),
      schedule_(*plan_, options_, *clock_, runner_.readers(), delivered_) {
}

Status Session::Core::open() {
  FOREBAY_RETURN_IF_ERROR(options_.check(*plan_));
  for (const Action& feed : plan_->feeds()) {
    if (!options_.feeds.contains(feed.node)) {
      return failed_precondition("external_source '{}' has no source of data", feed.name);
    }
  }
  FOREBAY_RETURN_IF_ERROR(runner_.open());
  FOREBAY_RETURN_IF_ERROR(check_readers());
  engine_ = options_.engine ? options_.engine : engine::Engine::process_engine();
  engine_->ensure_workers(options_.num_threads);
  lane_ = engine_->new_lane(
      {.name = "pipeline", .width = options_.num_threads, .weight = 1, .waiters_help = false});
  FOREBAY_RETURN_IF_ERROR(open_executors());
  if (plan_->has_device_actions()) {
    FOREBAY_RETURN_IF_ERROR(device_queues_.open(engine_, options_.device));
  }
  handed_ = engine_->new_variable();
  schedule_.open(engine_, lane_);
  return ok_status();
}

/// Users' code takes no place of workers. Sources that wait for data keep no function waiting.
Status Session::Core::open_executors() {
  if (!plan_->feeds().empty()) {
    FOREBAY_ASSIGN_OR_RETURN(sources_, engine_->new_executor("source"));
  }
  if (plan_->has_functions()) {
    FOREBAY_ASSIGN_OR_RETURN(functions_, engine_->new_executor("python"));
  }
  return ok_status();
}

Status Session::Core::check_caller() const {
  for (const engine::ExecutorRef& executor : {sources_, functions_}) {
    if (executor != nullptr && engine_->is_on(executor)) {
      return failed_precondition(
          "a source or function of a pipeline asks this pipeline for a batch, which would wait for itself; "
          "give it a pipeline of its own");
    }
  }
  return ok_status();
}

Status Session::Core::check_readers() const {
  const std::vector<OpenReader>& readers = runner_.readers();
  for (size_t i = 1; i < readers.size(); ++i) {
    const OpenReader& reader = readers[i];
    const dataset::ReaderMeta first = readers.front().order().reader_meta();
    const dataset::ReaderMeta other = reader.order().reader_meta();
    if (first.epoch_size == other.epoch_size && first.number_of_shards == other.number_of_shards) {
      continue;
    }
    const std::string unequal = fmt::format(
        "the readers '{}' and '{}' give samples that do not belong together: one has {} samples in {} "
        "shards, the other {} in {}",
        readers.front().name, reader.name, first.epoch_size, first.number_of_shards, other.epoch_size,
        other.number_of_shards);
    if (options_.refuses_unequal_readers) {
      return invalid_argument(
          "{}; give them data of the same length, or allow it by unequal_readers='warn' where it is meant",
          unequal);
    }
    log_warning("{}", unequal);
    return ok_status();
  }
  return ok_status();
}

void Session::Core::end(const Status& error) {
  std::vector<engine::Completion> left = schedule_.close(error);
  if (engine_) {
    engine_->cancel(lane_);
  }
  runner_.reads().end();
  if (GrowingReader* const growing = runner_.growing()) {
    growing->end();
  }
  for (engine::Completion& done : left) {
    if (done) {
      done.complete(schedule_.reason_of_end());
    }
  }
}

Status Session::Core::await_end(const std::function<bool()>& interrupted) {
  if (!engine_) {
    return ok_status();
  }
  const Interruptible wait(interrupted);
  // Other errors (of a task, or of a task that would wait for itself) no longer matter.
  engine_->wait_all(lane_, wait.options()).IgnoreError();
  if (const GrowingReader* const growing = runner_.growing(); growing != nullptr && wait.status().ok()) {
    const storage::InterruptibleWaits waits(interrupted ? interrupted : [] { return false; });
    growing->await_end();
    return waits.was_interrupted() ? cancelled("the wait was interrupted") : wait.status();
  }
  return wait.status();
}

void Session::Core::finish_promised() {
  schedule_.finish_promised();
  close_when_done();
}

void Session::Core::close_when_done() {
  if (schedule_.is_done()) {
    close();
  }
}

// Once the data has ended no batch requests anything from the feeds, so they can be reset safely.
Result<bool> Session::Core::reset_feeds() {
  if (!schedule_.has_reported_end()) {
    return false;
  }
  for (const auto& [node, feed] : options_.feeds) {
    FOREBAY_RETURN_IF_ERROR(feed->reset());
  }
  schedule_.begin_epoch(delivered_.begin_epoch(schedule_.end_of_feeds()));
  return true;
}

Result<std::vector<tensor::Tensor>> Session::Core::replay(int64_t epoch, int64_t position) {
  FOREBAY_RETURN_IF_ERROR(await_samples());
  return runner_.replay(epoch, position, [this](const BatchRef& batch) {
    const auto issue = [self = self(), batch] { self->runner_.issue(batch.get(), 0); };
    return device_queues_.launch_and_wait(runner_.queue_of(batch->samples[0]), issue);
  });
}

Explanation Session::Core::explain() const {
  RunTimes times = delivered_.times();
  times.workers = options_.num_threads;
  times.read_wait_ns = runner_.read_wait_ns();
  times.parked_ns = schedule_.parked_ns();
  const auto add_stage = [&](const Action& action) {
    const ActionTimes& counted = runner_.times_of(action);
    if (counted.count > 0) {
      times.stages.push_back({action.name, counted.time_ns, counted.count});
    }
  };
  for (const Phase& phase : plan_->phases()) {
    for (const Step& step : phase.steps) {
      std::ranges::for_each(step.actions, add_stage);
    }
  }
  Explanation explanation = pipeline::explain(times);
  for (const std::string& name : plan_->batch_dependent()) {
    explanation.notes.push_back("'" + name +
                                "' sees whole batches: its results may depend on the batch size");
  }
  return explanation;
}

/// Blocks until so many of this rank's samples are known, or all.
Status Session::Core::await_samples(uint64_t samples) const {
  const GrowingReader* const growing = runner_.growing();
  return growing == nullptr ? ok_status() : growing->source().await_known(static_cast<int64_t>(samples));
}

Result<const dataset::Order*> Session::Core::order_of(std::string_view name) const {
  const std::vector<OpenReader>& readers = runner_.readers();
  for (const OpenReader& reader : readers) {
    if (reader.name == name || (name.empty() && readers.size() == 1)) {
      return &reader.order();
    }
  }
  return not_found("there is no reader '{}'; readers are: {}", name, fmt::join(reader_names(), ", "));
}

Result<dataset::ReaderMeta> Session::Core::reader_meta(std::string_view name) const {
  FOREBAY_RETURN_IF_ERROR(await_samples());
  FOREBAY_ASSIGN_OR_RETURN(const dataset::Order* order, order_of(name));
  return order->reader_meta();
}

Result<dataset::ReaderMeta> Session::Core::known_reader_meta(std::string_view name) const {
  const bool is_growing = runner_.is_growing();  // asked first: what is whole stays so
  FOREBAY_ASSIGN_OR_RETURN(const dataset::Order* order, order_of(name));
  dataset::ReaderMeta meta = order->reader_meta();
  if (is_growing) {
    meta.epoch_size = 0;
    meta.epoch_size_padded = 0;
  }
  return meta;
}

Result<bool> Session::Core::has_samples(std::string_view reader, uint64_t samples) const {
  FOREBAY_ASSIGN_OR_RETURN(const dataset::Order* order, order_of(reader));
  const uint64_t ranks = order->options().num_shards;
  FOREBAY_RETURN_IF_ERROR(await_samples(samples / ranks + (samples % ranks != 0)));
  FOREBAY_ASSIGN_OR_RETURN(order, order_of(reader));
  return order->options().dataset_size >= samples;
}

Result<EpochsLeft> Session::Core::epochs_left(std::string_view name) const {
  FOREBAY_ASSIGN_OR_RETURN(const dataset::Order* order, order_of(name));
  const storage::StreamBegin& begin = order->options().begin;
  EpochsLeft left{static_cast<int64_t>(begin.first_epoch), {}};
  for (uint64_t epoch = begin.first_epoch; epoch < begin.first_whole_epoch; ++epoch) {
    left.samples.push_back(static_cast<int64_t>(order->epoch_size(epoch)));
  }
  return left;
}

std::vector<std::string> Session::Core::reader_names() const {
  std::vector<std::string> names;
  for (const OpenReader& reader : runner_.readers()) {
    names.push_back(reader.name);
  }
  return names;
}

}  // namespace forebay::pipeline
