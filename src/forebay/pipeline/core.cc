#include "forebay/pipeline/core.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/random.h"
#include "forebay/pipeline/interruptible.h"

namespace forebay::pipeline {
namespace {

// A stream that lets nothing through for this many epochs of input never will.
constexpr int64_t kFruitlessEpochs = 2;

// The first output of an expand keeps its sample's sub-position, so a filter changes nobody's random numbers.
uint32_t mix_sub_position(uint32_t sub_position, uint32_t copy) {
  return copy == 0 ? sub_position : static_cast<uint32_t>(mix64(sub_position, copy)) | 1;
}

}  // namespace

Session::Core::Core(std::shared_ptr<const Plan> plan, SessionOptions options)
    : plan_(std::move(plan)),
      options_(std::move(options)),
      clock_(options_.clock != nullptr ? options_.clock : &steady_clock()),
      gate_(options_.memory_limit_bytes) {
  streams_.resize(plan_->phases().size());
  expected_.resize(plan_->outputs().size());
  for (size_t node = 0; node < plan_->graph().nodes().size(); ++node) {
    times_.push_back(std::make_unique<ActionTimes>());
  }
}

Status Session::Core::open() {
  if (options_.num_threads < 1 || options_.num_threads > 4096) {
    return invalid_argument("num_threads={} must be from 1 to 4096", options_.num_threads);
  }
  if (options_.prefetch_depth < 1) {
    return invalid_argument("the prefetch depth {} must be at least 1", options_.prefetch_depth);
  }
  if (plan_->has_device_actions() && options_.device == nullptr) {
    return failed_precondition("the graph has GPU operators and the session was given no device");
  }
  for (const Action& feed : plan_->feeds()) {
    if (!options_.feeds.contains(feed.node)) {
      return failed_precondition("external_source '{}' has no source of data", feed.name);
    }
  }
  opened_ns_ = now_ns();
  for (const Action& action : plan_->sources()) {
    FOREBAY_ASSIGN_OR_RETURN(auto source, caught([&] { return action.op->open_source(); }));
    FOREBAY_ASSIGN_OR_RETURN(dataset::OrderOptions order_options,
                             action.op->order_options(action.seed, plan_->options().batch_size));
    order_options.dataset_size = static_cast<uint64_t>(source->size());
    auto order = dataset::Order::create(order_options);
    FOREBAY_RETURN_IF_ERROR(annotate(order.status(), action.name));
    readers_.push_back({action.name, std::move(source), *order});
  }
  engine_ = options_.engine ? options_.engine : engine::Engine::process_engine();
  engine_->ensure_workers(options_.num_threads);
  has_threads_ = engine_->workers() > 0;
  lane_ = engine_->new_lane(
      {.name = "pipeline", .width = options_.num_threads, .weight = 1, .waiters_help = false});
  FOREBAY_ASSIGN_OR_RETURN(python_, engine_->executor("python"));
  handed_ = engine_->new_variable();
  feed_next_.max_batch_size = plan_->options().batch_size;
  feed_delivered_ = feed_next_;
  for (const Phase& phase : plan_->phases()) {
    for (const Step& step : phase.steps) {
      if (runs_python(step)) {
        turns_.emplace(&step, Turns());
      }
    }
  }
  return ok_status();
}

// Tasks that run meanwhile still use their batch: only that it is over, and who waits for it, is changed
// here.
void Session::Core::close() {
  std::vector<engine::Completion> left;
  {
    std::lock_guard lock(mutex_);
    is_closed_ = true;
    parked_.clear();
    for (auto& [step, turns] : turns_) {
      turns.clear();
    }
    for (PhaseStream& stream : streams_) {
      for (const BatchRef& batch : stream.under_way) {
        batch->is_complete = true;
        left.push_back(std::exchange(batch->done, {}));
      }
      stream.under_way.clear();
      stream.pending.clear();
    }
  }
  if (engine_) {
    engine_->cancel(lane_);
  }
  for (engine::Completion& done : left) {
    if (done) {
      done.complete(cancelled("the session was closed"));
    }
  }
}

Status Session::Core::await_end(const std::function<bool()>& interrupted) {
  if (!engine_) {
    return ok_status();
  }
  const Interruptible wait(interrupted);
  // What else it may say (an error of a task, a task that would wait for itself) is of no interest any more.
  engine_->wait_all(lane_, wait.options()).IgnoreError();
  return wait.status();
}

// Keeps `prefetch_depth` batches of the last phase under way that nobody was promised, and of earlier phases
// as many as it takes to feed it.
void Session::Core::pump(Starts* starts) {
  if (is_closed_ || is_let_go_) {
    return;
  }
  pump_phase(static_cast<int>(streams_.size()) - 1, options_.prefetch_depth + streams_.back().promised,
             starts);
}

bool Session::Core::pump_phase(int phase, int depth, Starts* starts) {
  PhaseStream& stream = streams_[phase];
  while (static_cast<int>(stream.under_way.size()) < depth && !stream.has_ended) {
    int samples = plan_->options().batch_size;
    if (phase > 0) {
      harvest(phase - 1);
      const bool input_ended = streams_[phase - 1].has_ended && streams_[phase - 1].under_way.empty();
      if (static_cast<int>(stream.pending.size()) < samples && !input_ended) {
        return pump_phase(phase - 1, options_.prefetch_depth, starts);
      }
      samples = std::min<int>(samples, static_cast<int>(stream.pending.size()));
      stream.has_ended = input_ended && samples == 0;
    }
    BatchRef batch = make_batch(phase, samples);
    stream.under_way.push_back(batch);
    if (!batch->is_complete) {
      starts->push_back(std::move(batch));
    }
  }
  return true;
}

BatchRef Session::Core::make_batch(int phase, int samples) {
  PhaseStream& stream = streams_[phase];
  auto batch = std::make_shared<BatchJob>(samples, plan_->num_values(), plan_->outputs().size());
  batch->phase = phase;
  batch->iteration = stream.next_iteration++;
  batch->is_end = stream.has_ended;
  if (phase > 0) {
    take_pending(batch.get());
  } else {
    identify_from_order(batch.get());
  }
  promise_ready(batch.get());
  if (is_last(phase)) {
    for (size_t output = 0; output < batch->slots.size(); ++output) {
      batch->slots[output].open(samples, expected_[output], !has_delivered_);
    }
  }
  return batch;
}

// The duty to finish the batch is a task without a body, there before anybody can ask for the batch: who
// depends on `ready` waits for it, also while the batch's first step is yet to be pushed.
void Session::Core::promise_ready(BatchJob* batch) {
  batch->ready = engine_->new_variable();
  const engine::Variable writes[] = {batch->ready};
  auto done = engine_->push_open(lane_, {.name = "batch", .writes = writes});
  if (!done.ok()) {
    batch->error = done.status();
    batch->is_complete = true;
    return;
  }
  batch->done = *std::move(done);
}

void Session::Core::identify_from_order(BatchJob* batch) {
  const int64_t size = plan_->options().batch_size;
  batch->stream_begin = stream_origin_ + batch->iteration * size;
  batch->stream_end = batch->stream_begin + size;
  for (int i = 0; i < static_cast<int>(batch->samples.size()); ++i) {
    SampleJob& job = batch->samples[i];
    job.identity = {};
    job.identity.stream_index = batch->stream_begin + i;
    job.identity.index_in_batch = i;
    job.identity.position = job.identity.stream_index;
    if (!readers_.empty()) {
      const dataset::StreamItem item = readers_[0].order.at(static_cast<uint64_t>(job.identity.stream_index));
      job.identity.epoch = static_cast<int64_t>(item.epoch);
      job.identity.position = static_cast<int64_t>(item.position);
      job.identity.sample_index = static_cast<int64_t>(item.index);
      job.is_padding = item.is_padding;
    }
  }
}

void Session::Core::take_pending(BatchJob* batch) {
  PhaseStream& stream = streams_[batch->phase];
  for (size_t i = 0; i < batch->samples.size(); ++i) {
    batch->samples[i] = std::move(stream.pending.front());
    batch->samples[i].identity.index_in_batch = static_cast<int>(i);
    stream.pending.pop_front();
    if (batch->samples[i].ends_batch) {
      batch->error = std::exchange(batch->samples[i].error, ok_status());
    }
  }
  if (!batch->samples.empty()) {
    batch->stream_begin = batch->samples.front().identity.stream_index;
    batch->stream_end = batch->samples.back().identity.stream_index + 1;
  }
}

// Takes the finished batches of `phase` in order and moves what the expand operator let through to the next
// phase.
void Session::Core::harvest(int phase) {
  PhaseStream& from = streams_[phase];
  while (!from.under_way.empty() && from.under_way.front()->is_complete) {
    const BatchRef batch = from.under_way.front();
    from.under_way.pop_front();
    if (!batch->error.ok() && !batch->samples.empty()) {
      batch->samples[0].error = batch->error;
      batch->samples[0].ends_batch = true;
    }
    for (SampleJob& job : batch->samples) {
      if (!batch->is_end) {
        harvest_sample(phase, &job);
      }
    }
  }
}

void Session::Core::harvest_sample(int phase, SampleJob* job) {
  PhaseStream& to = streams_[phase + 1];
  to.left_out.insert(to.left_out.end(), job->faults.begin(), job->faults.end());
  const bool is_skipped = !job->error.ok() && !job->ends_batch && options_.on_error == OnError::kSkip;
  if (is_skipped) {
    to.left_out.push_back({job->error, "skipped"});
    return;
  }
  ++to.fruitless;
  const int64_t epoch_size =
      readers_.empty() ? 0 : static_cast<int64_t>(readers_[0].order.samples_in_epoch(0));
  if (job->error.ok() && job->expanded.empty() && epoch_size > 0 &&
      to.fruitless >= kFruitlessEpochs * epoch_size) {
    job->error = failed_precondition("'{}' let no sample through for {} epochs",
                                     plan_->expands()[plan_->phases()[phase].expand].name, kFruitlessEpochs);
  }
  if (!job->error.ok()) {
    job->expanded.resize(1);  // takes a place, so that the batch it is in fails
    job->expanded[0].resize(plan_->num_values());
  }
  for (size_t copy = 0; copy < job->expanded.size(); ++copy) {
    SampleJob next;
    next.identity = job->identity;
    next.origins = job->origins;
    next.identity.sub_position = mix_sub_position(job->identity.sub_position, static_cast<uint32_t>(copy));
    next.is_padding = job->is_padding;
    next.is_replacement = job->is_replacement;
    next.merged = job->merged;
    next.error = job->error;
    next.ends_batch = job->ends_batch;
    next.values = std::move(job->expanded[copy]);
    to.fruitless = 0;
    if (!drops_restored(next)) {
      next.faults = std::exchange(to.left_out, {});
      to.pending.push_back(std::move(next));
    }
  }
}

bool Session::Core::drops_restored(const SampleJob& job) {
  if (job.identity.stream_index != skip_stream_ || skip_count_ == 0) {
    return false;
  }
  --skip_count_;
  return true;
}

void Session::Core::start(const Starts& starts) {
  for (const BatchRef& batch : starts) {
    engine::TaskOptions task;
    task.name = "begin";
    task.order = static_cast<uint64_t>(batch->stream_begin) + 1;
    const Status pushed = engine_->push(lane_, task, [self = shared_from_this(), batch] {
      self->begin(batch);
      return ok_status();
    });
    if (!pushed.ok()) {
      complete(batch, pushed);
    }
  }
}

void Session::Core::prefetch() {
  Starts starts;
  {
    std::lock_guard lock(mutex_);
    pump(&starts);
  }
  start(starts);
}

// Batches that were begun after the one in which the data ended may not have come to the feeds yet. They must
// not take the new epoch's data, and what they take from readers is taken again: how many there are depends
// on the prefetch depth, and on chance.
Result<bool> Session::Core::reset_feeds() {
  std::lock_guard lock(mutex_);
  PhaseStream& first = streams_[0];
  if (!std::exchange(has_told_end_, false)) {
    return false;
  }
  for (const BatchRef& batch : first.under_way) {
    batch->is_past_end = batch->is_past_end || batch->stream_begin >= feeds_end_;
  }
  const auto unpromised = std::remove_if(first.under_way.begin() + first.promised, first.under_way.end(),
                                         [](const BatchRef& batch) { return batch->is_past_end; });
  first.under_way.erase(unpromised, first.under_way.end());
  stream_origin_ = feeds_end_ - first.next_iteration * plan_->options().batch_size;
  for (PhaseStream& stream : streams_) {
    stream.has_ended = false;
    if (&stream != &first) {
      std::erase_if(stream.under_way, [](const BatchRef& batch) { return batch->is_end; });
    }
  }
  feed_next_ = {0, feed_delivered_.epoch + 1, 0, plan_->options().batch_size};
  feed_delivered_ = feed_next_;
  for (const auto& [node, feed] : options_.feeds) {
    FOREBAY_RETURN_IF_ERROR(feed->reset());
  }
  return true;
}

Result<dataset::ReaderMeta> Session::Core::reader_meta(std::string_view name) const {
  for (const OpenReader& reader : readers_) {
    if (reader.name == name || (name.empty() && readers_.size() == 1)) {
      return reader.order.reader_meta();
    }
  }
  return not_found("there is no reader '{}'; readers are: {}", name, fmt::join(reader_names(), ", "));
}

std::vector<std::string> Session::Core::reader_names() const {
  std::vector<std::string> names;
  for (const OpenReader& reader : readers_) {
    names.push_back(reader.name);
  }
  return names;
}

}  // namespace forebay::pipeline
