// Handing batches to the consumer.
#include <algorithm>
#include <map>

#include "forebay/base/caught.h"
#include "forebay/base/end_of_data.h"
#include "forebay/pipeline/core.h"
#include "forebay/pipeline/interruptible.h"

namespace forebay::pipeline {
Result<Delivery> Session::Core::run(const std::function<bool()>& interrupted) {
  const int64_t entered_ns = now_ns();
  FOREBAY_ASSIGN_OR_RETURN(BatchRef batch, next_batch(interrupted));
  auto delivery = deliver(std::move(batch));
  if (!options_.on_demand) {
    prefetch();
  }
  wake_parked();
  count_times(entered_ns, delivery.ok() ? delivery->samples.size() : 0);
  return delivery;
}

// With mutex_ held.
Status Session::Core::tell_end(bool is_of_an_earlier_epoch) {
  has_told_end_ = has_told_end_ || !is_of_an_earlier_epoch;
  return end_of_data("the data has ended; reset the pipeline to start the next epoch");
}

// The batch that has to make progress for the next one to be delivered: the oldest of the last phase, or,
// while that has none, of the phase that feeds it.
BatchRef Session::Core::awaited() const {
  for (auto stream = streams_.rbegin(); stream != streams_.rend(); ++stream) {
    if (!stream->under_way.empty()) {
      return stream->under_way.front();
    }
  }
  return nullptr;
}

Result<BatchRef> Session::Core::next_batch(const std::function<bool()>& interrupted) {
  for (;;) {
    Starts starts;
    BatchRef batch;
    engine::Variable ready;
    bool is_there = false;
    {
      std::lock_guard lock(mutex_);
      if (is_closed_) {
        return failed_precondition("the pipeline was closed");
      }
      pump(&starts);
      batch = awaited();
      if (batch == nullptr) {
        return tell_end();
      }
      const bool is_promised = streams_.back().promised > 0;
      is_there = batch->is_complete && is_last(batch->phase) && !is_promised;
      if (is_there) {
        streams_.back().under_way.pop_front();
        ++delivering_;
      }
      ready = is_promised ? handed_ : batch->ready;
    }
    start(starts);
    if (is_there) {
      return batch;
    }
    if (!has_threads_ && engine_->step()) {
      continue;
    }
    const Interruptible wait(interrupted);
    const Status waited = engine_->wait(ready, wait.options());
    FOREBAY_RETURN_IF_ERROR(wait.status());  // also where the batch has just come: it is still there
    std::lock_guard lock(mutex_);
    if (!waited.ok() && !batch->is_complete) {
      return waited;  // forked or shut down; the batch is still there
    }
  }
}

// Until what the batch holds is the user's or has gone, nobody is told that there is no memory.
Result<Delivery> Session::Core::deliver(BatchRef batch) {
  auto delivery = caught([&] { return delivery_of(*batch); });
  batch.reset();
  std::lock_guard lock(mutex_);
  --delivering_;
  return delivery;
}

Result<Delivery> Session::Core::delivery_of(const BatchJob& batch) {
  std::unique_lock lock(mutex_);
  if (batch.is_end) {
    return tell_end(batch.is_past_end);
  }
  log_faults(batch);
  note_delivered(batch);
  lock.unlock();
  FOREBAY_RETURN_IF_ERROR(check_merges(batch));
  FOREBAY_RETURN_IF_ERROR(first_error(batch));
  Delivery delivery;
  delivery.iteration = delivered_iterations_ - 1;
  FOREBAY_ASSIGN_OR_RETURN(delivery.outputs, collect(batch));
  FOREBAY_RETURN_IF_ERROR(check_kinds(delivery.outputs));
  FOREBAY_RETURN_IF_ERROR(check_promises(delivery.outputs));
  for (const SampleJob& job : batch.samples) {
    if (job.error.ok()) {
      delivery.samples.push_back({job.identity, job.is_padding, job.is_replacement});
    }
  }
  lock.lock();
  for (size_t i = 0; i < delivery.outputs.size(); ++i) {
    const tensor::Batch& output = delivery.outputs[i];
    expected_[i].reset();
    if (output.size() > 0 && output.has_uniform_shape()) {
      expected_[i] = output[0].spec();
    }
  }
  has_delivered_ = true;
  return delivery;
}

Result<std::vector<tensor::Batch>> Session::Core::collect(const BatchJob& batch) const {
  std::vector<tensor::Batch> outputs;
  for (const int value : plan_->outputs()) {
    std::vector<tensor::Tensor> samples;
    for (const SampleJob& job : batch.samples) {
      if (!job.error.ok()) {
        continue;
      }
      const tensor::Tensor& sample = job.values[value];
      if (!sample.is_valid()) {
        return invalid_argument(
            "output {} has no value at position {}: it comes from a branch that did not run; "
            "give it a value in both branches",
            outputs.size(), job.identity.position);
      }
      sample.buffer()->reservation().hand_to_user();
      samples.push_back(sample);
    }
    outputs.emplace_back(std::move(samples));
  }
  return outputs;
}

// The branches of a conditional may run for some samples each, and what they give is one batch.
Status Session::Core::check_merges(const BatchJob& batch) const {
  std::map<int, std::vector<std::pair<int, SampleKind>>> kinds;  // by node
  for (const SampleJob& job : batch.samples) {
    for (const auto& [node, kind] : job.merged) {
      kinds[node].emplace_back(job.identity.index_in_batch, kind);
    }
  }
  for (const auto& [node, given] : kinds) {
    const Status status = check_one_kind(given);
    if (!status.ok()) {
      const auto* const name = plan_->graph().nodes()[node].constant<std::string>("variable");
      return annotate(status, fmt::format("the branches of an `if` give {} different kinds of values",
                                          name == nullptr ? "" : *name));
    }
  }
  return ok_status();
}

Status Session::Core::check_kinds(const std::vector<tensor::Batch>& outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Node& node = plan_->graph().nodes()[plan_->graph().outputs()[i].node];
    const std::string_view name = node.name.empty() ? node.op : node.name;
    FOREBAY_RETURN_IF_ERROR(
        annotate(check_one_kind(outputs[i].samples()), fmt::format("output {}, of '{}'", i, name)));
  }
  return ok_status();
}

Status Session::Core::check_promises(const std::vector<tensor::Batch>& outputs) const {
  const std::vector<OutputPromise>& promises = plan_->graph().promises();
  for (size_t i = 0; i < promises.size(); ++i) {
    for (const tensor::Tensor& sample : outputs[i].samples()) {
      if (promises[i].dtype && sample.dtype() != *promises[i].dtype) {
        return invalid_argument("output {} was promised as {} and is {}", i,
                                tensor::name_of(*promises[i].dtype), tensor::name_of(sample.dtype()));
      }
      if (promises[i].ndim && sample.shape().rank() != *promises[i].ndim) {
        return invalid_argument("output {} was promised with {} dimensions and has {}", i, *promises[i].ndim,
                                sample.shape().rank());
      }
      if (!promises[i].layout.empty() && sample.layout().view() != promises[i].layout) {
        return invalid_argument("output {} was promised with the layout '{}' and has '{}'", i,
                                promises[i].layout, sample.layout().view());
      }
    }
  }
  return ok_status();
}

Status Session::Core::first_error(const BatchJob& batch) const {
  FOREBAY_RETURN_IF_ERROR(batch.error);
  bool has_sample = batch.samples.empty();
  for (const SampleJob& job : batch.samples) {
    if (!job.error.ok() && options_.on_error == OnError::kRaise) {
      return job.error;
    }
    has_sample = has_sample || job.error.ok();
  }
  // Nothing could stand in: with a policy that goes on, that is an error all the same.
  return has_sample ? ok_status() : batch.samples[0].error;
}

void Session::Core::log_faults(const BatchJob& batch) {
  for (const SampleJob& job : batch.samples) {
    for (const SampleFault& fault : job.faults) {
      log_.add(fault.error, fault.action);
    }
    if (!job.error.ok()) {
      log_.add(job.error, options_.on_error == OnError::kRaise ? "raised" : "skipped");
    }
  }
  if (!batch.error.ok()) {
    log_.add(batch.error, "raised");
  }
}

void Session::Core::note_delivered(const BatchJob& batch) {
  ++delivered_iterations_;
  feed_delivered_ = batch.feed_after;
  if (streams_.size() == 1) {
    delivered_stream_ = batch.stream_end;
    return;
  }
  for (const SampleJob& job : batch.samples) {
    if (job.identity.stream_index != delivered_stream_) {
      delivered_stream_ = job.identity.stream_index;
      delivered_taken_ = 0;
    }
    ++delivered_taken_;
  }
}

engine::Variable Session::Core::next_ready() {
  std::lock_guard lock(mutex_);
  const BatchRef batch = awaited();
  return batch == nullptr ? engine::Variable() : batch->ready;
}

void Session::Core::count_times(int64_t entered_ns, size_t samples) {
  const int64_t left_ns = now_ns();
  std::lock_guard lock(mutex_);
  if (run_times_.batches == 0) {
    run_times_.first_batch_ns = left_ns - opened_ns_;
  } else {
    run_times_.consumer_work_ns += entered_ns - last_delivery_ns_;
    run_times_.consumer_wait_ns += left_ns - entered_ns;
  }
  ++run_times_.batches;
  run_times_.samples += static_cast<int64_t>(samples);
  last_delivery_ns_ = left_ns;
}

Explanation Session::Core::explain() const {
  RunTimes times;
  {
    std::lock_guard lock(mutex_);
    times = run_times_;
  }
  times.workers = options_.num_threads;
  times.read_wait_ns = read_wait_ns_.load();
  const auto add_stage = [&](const Action& action) {
    const ActionTimes& counted = *times_[action.node];
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

}  // namespace forebay::pipeline
