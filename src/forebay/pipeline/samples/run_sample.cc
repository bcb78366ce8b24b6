// Runs samples: each goes through all actions of a step in one go, hot in cache.
#include <algorithm>
#include <atomic>

#include "forebay/base/caught.h"
#include "forebay/base/trace/trace.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/sample.h"
#include "forebay/pipeline/samples/action_services.h"
#include "forebay/pipeline/samples/sample_runner.h"
#include "forebay/storage/uri.h"

namespace forebay::pipeline {
namespace {

constexpr uint32_t kMaxAttempts = 32;

bool is_true(const tensor::Tensor& predicate) {
  bool result = false;
  if (!predicate.is_valid() || predicate.volume() != 1) {
    return result;
  }
  tensor::visit_dtype(predicate.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = *predicate.view().as<T>();
    if constexpr (std::is_same_v<T, tensor::Float16>) {
      result = static_cast<float>(value) != 0;
    } else {
      result = value != T{};
    }
  });
  return result;
}

// Sessions of equal graphs have the first half in common.
std::string name_of_session(const Plan& plan) {
  static std::atomic<int> sessions{0};
  return fmt::format("pipeline {:016x}/{}", plan.graph_fingerprint(), sessions.fetch_add(1) + 1);
}

// Where the action's input comes from; empty if not from a reader.
SampleOrigin origin_of(const SampleJob& job, const Action& action) {
  const bool is_read = action.reader >= 0 && action.reader < static_cast<int>(job.origins.size());
  return is_read ? job.origins[action.reader] : SampleOrigin();
}

void record_in_trace(const SampleJob& job, const Action& action, int64_t begin_ns, int64_t end_ns) {
  if (Trace& trace = process_trace(); trace.is_on()) {
    trace.record("operator", action.name, begin_ns, end_ns,
                 fmt::format(R"({{"position":{},"epoch":{}}})", job.identity.position, job.identity.epoch));
  }
}

// For good. An error that is not the sample's own is its whole batch's.
void break_sample(SampleJob* job, Status error) {
  job->ends_batch = !is_of_sample(error);
  job->error = std::move(error);
  job->kept.reset();
}

}  // namespace

SampleRunner::SampleRunner(const Plan& plan, const SessionOptions& options, const Clock& clock)
    : plan_(plan),
      options_(options),
      clock_(clock),
      reads_(name_of_session(plan)),
      gate_(options.memory_limit_bytes) {
  for (size_t node = 0; node < plan.graph().nodes().size(); ++node) {
    times_.push_back(std::make_unique<ActionTimes>());
  }
}

Outcome SampleRunner::run(const BatchRef& batch, int index, SampleOwner& owner) {
  SampleJob& job = batch->samples[index];
  const std::vector<Step>& steps = steps_of(*batch);
  while (job.error.ok() && job.step < steps.size() && flows(steps[job.step])) {
    if (steps[job.step].kind == StepKind::kGroup) {
      return {Outcome::Kind::kGroup, nullptr, ok_status()};
    }
    Outcome outcome = run_step(batch, index, owner);
    if (outcome.kind != Outcome::Kind::kDone) {
      return outcome;
    }
  }
  const Action* const expanding = expand_of(*batch, index);
  if (expanding != nullptr && job.error.ok()) {
    const Status status = caught([&] { return count_copies(batch.get(), index, *expanding); });
    if (!status.ok()) {
      break_sample(&job, describe(job, *expanding, status));
    }
  }
  return {};
}

// To the end of the sample step; of the first one where another stands in for it.
Outcome SampleRunner::run_step(const BatchRef& batch, int index, SampleOwner& owner) {
  SampleJob& job = batch->samples[index];
  Outcome outcome = run_actions(batch, index, owner);
  if (outcome.kind != Outcome::Kind::kDone) {
    return outcome;
  }
  job.expansion.reset();
  if (job.error.ok()) {
    ++job.step;
    job.next_action = 0;
  }
  return {};
}

Outcome SampleRunner::run_actions(const BatchRef& batch, int index, SampleOwner& owner) {
  SampleJob& job = batch->samples[index];
  while (job.error.ok() && job.next_action < step_of(*batch, index).actions.size()) {
    job.error = owner.check_wanted(*batch);
    if (!job.error.ok()) {
      break;
    }
    const Action& action = step_of(*batch, index).actions[job.next_action];
    if (is_for_device(job, action)) {
      return {Outcome::Kind::kForDevice, nullptr, ok_status()};
    }
    const auto progress = caught([&] { return take_action(batch, index, action, owner); });
    if (is_memory_refusal(progress.status())) {
      return {Outcome::Kind::kRefused, &action, progress.status()};
    }
    if (!progress.ok()) {
      fail(batch.get(), index, action, progress.status());
      continue;
    }
    if (*progress == ReadProgress::kUnderWay) {
      return {Outcome::Kind::kReading, nullptr, ok_status()};
    }
    end_action(&job, action);
  }
  return {};
}

void SampleRunner::end_action(SampleJob* job, const Action& action) {
  drop_dead_values(job, action);
  ++job->next_action;
}

Status SampleRunner::end_barrier(SampleJob* job, const Action& action, std::span<tensor::Tensor> outputs) {
  FOREBAY_RETURN_IF_ERROR(keep_outputs(job, action, outputs));
  drop_dead_values(job, action);
  return ok_status();
}

void SampleRunner::drop_dead_values(SampleJob* job, const Action& action) {
  for (const int value : action.dead_after) {
    job->values[value] = {};
  }
}

Result<SampleRunner::ReadProgress> SampleRunner::take_action(const BatchRef& batch, int index,
                                                             const Action& action, SampleOwner& owner) {
  if (is_source(action)) {
    return read(batch, index, action, owner);
  }
  FOREBAY_RETURN_IF_ERROR(run_action(batch.get(), index, action));
  return ReadProgress::kThere;
}

// The operator that ends the phase, if all steps before it are done; else null.
const Action* SampleRunner::expand_of(const BatchJob& batch, int index) const {
  const Phase& phase = plan_.phases()[batch.phase];
  const bool is_at_end = batch.samples[index].step >= phase.steps.size();
  return is_at_end && phase.expand >= 0 ? &plan_.expands()[phase.expand] : nullptr;
}

uint64_t SampleRunner::key_of(const SampleJob& job, const Action& action) const {
  return random_key(action.seed, static_cast<uint64_t>(job.identity.epoch), action.operator_key);
}

bool SampleRunner::guards_hold(const SampleJob& job, const Action& action) const {
  for (const auto& [value, wanted] : action.guards) {
    const tensor::Tensor& predicate = job.values[value];
    if (!predicate.is_valid() || is_true(predicate) != wanted) {
      return false;
    }
  }
  // The result of a branch that did not run does not exist; what depends on it does not run either.
  for (const int value : action.inputs) {
    if (!job.values[value].is_valid() && !action.is_merge) {
      return false;
    }
  }
  return true;
}

Status SampleRunner::run_action(BatchJob* batch, int index, const Action& action) {
  SampleJob& job = batch->samples[index];
  if (!guards_hold(job, action)) {
    return ok_status();
  }
  const int64_t begin_ns = now_ns();
  const Status status = caught([&] { return run_operator(batch, index, action); });
  if (action.is_merge && status.ok()) {
    job.merged.emplace_back(action.node, kind_with_layout_of(job.values[action.outputs[0]]));
  }
  const int64_t end_ns = now_ns();
  note_time(action, begin_ns, end_ns);
  record_in_trace(job, action, begin_ns, end_ns);
  return status;
}

void SampleRunner::note_time(const Action& action, int64_t begin_ns, int64_t end_ns) {
  ActionTimes& times = times_of(action);
  times.time_ns.fetch_add(end_ns - begin_ns, std::memory_order_relaxed);
  times.count.fetch_add(1, std::memory_order_relaxed);
}

Status SampleRunner::run_operator(BatchJob* batch, int index, const Action& action) {
  SampleJob& job = batch->samples[index];
  if (action.placement != Placement::kHost) {
    return run_on_device(batch, index, action);
  }
  if (action.op->scope() == operators::Scope::kExpand) {
    return make_copy(batch, index, action);
  }
  ActionTensors tensors(job.values, action);
  ActionServices services(this, batch, index, action);
  operators::SampleIdentity identity;
  if (action.needs_origin) {
    identity = job.identity;
    identity.origin = origin_of(job, action);
  }
  operators::Sample sample(action.needs_origin ? identity : job.identity, key_of(job, action), tensors.inputs,
                           tensors.arguments, tensors.outputs, services);
  const memory::ScratchScope scratch(gate_.scratch());
  FOREBAY_RETURN_IF_ERROR(action.op->run(sample));
  return keep_outputs(&job, action, tensors.outputs);
}

// What the reader's operator makes of what its source has read. Its time counts as the reader's.
Status SampleRunner::decode_record(BatchJob* batch, int index, const Action& action,
                                   const dataset::Record& record) {
  SampleJob& job = batch->samples[index];
  const int64_t begin_ns = now_ns();
  Tensors outputs(action.outputs.size());
  ActionServices services(this, batch, index, action);
  operators::Sample sample(job.identity, key_of(job, action), record.fields, {}, outputs, services);
  const memory::ScratchScope scratch(gate_.scratch());
  const Status status = caught([&] { return action.op->run(sample); });
  const int64_t end_ns = now_ns();
  times_of(action).time_ns.fetch_add(end_ns - begin_ns, std::memory_order_relaxed);
  record_in_trace(job, action, begin_ns, end_ns);
  return status.ok() ? keep_outputs(&job, action, outputs) : status;
}

// Determines how many copies will be made of the sample, without making any.
Status SampleRunner::count_copies(BatchJob* batch, int index, const Action& action) {
  SampleJob& job = batch->samples[index];
  job.copies = 0;
  if (guards_hold(job, action)) {
    ActionTensors tensors(job.values, action);
    ActionServices services(this, batch, index, action);
    operators::Sample sample(job.identity, key_of(job, action), tensors.inputs, tensors.arguments,
                             tensors.outputs, services);
    const memory::ScratchScope scratch(gate_.scratch());
    FOREBAY_ASSIGN_OR_RETURN(job.copies, action.op->expand_count(sample));
    job.expansion =
        std::make_shared<const Expansion>(Expansion{std::move(tensors.inputs), std::move(tensors.arguments)});
  }
  std::fill(job.values.begin(), job.values.end(), tensor::Tensor());
  return ok_status();
}

// Makes the copy that this sample is.
Status SampleRunner::make_copy(BatchJob* batch, int index, const Action& action) {
  SampleJob& job = batch->samples[index];
  operators::SampleIdentity identity = job.identity;
  identity.sub_position = static_cast<uint32_t>(job.copy);
  Tensors outputs(action.outputs.size());
  ActionServices services(this, batch, index, action);
  operators::Sample sample(identity, key_of(job, action), job.expansion->inputs, job.expansion->arguments,
                           outputs, services);
  const memory::ScratchScope scratch(gate_.scratch());
  FOREBAY_RETURN_IF_ERROR(action.op->run(sample));
  return keep_outputs(&job, action, outputs);
}

// Takes them out of `outputs`.
Status SampleRunner::keep_outputs(SampleJob* job, const Action& action, std::span<tensor::Tensor> outputs) {
  for (size_t output = 0; output < outputs.size(); ++output) {
    if (!outputs[output].is_valid()) {
      return internal_error("the operator gave no output {}", output);
    }
    job->values[action.outputs[output]] = std::move(outputs[output]);
  }
  return ok_status();
}

SampleOrigin SampleRunner::origin_of_field(const SampleJob& job, const Action& action) const {
  if (action.reader >= 0 && action.field > 0) {
    const OpenReader& reader = readers_[action.reader];
    const auto found =
        reader.source->locate_field(static_cast<int64_t>(index_to_read(job, reader)), action.field);
    if (found.ok()) {
      SampleOrigin origin = found->origin();
      origin.object = storage::uri_for_message(origin.object);
      return origin;
    }
  }
  return origin_of(job, action);
}

Status SampleRunner::describe(const SampleJob& job, const Action& action, const Status& status) const {
  ErrorContext context;
  context.epoch = job.identity.epoch;
  context.position = job.identity.position;
  context.sample_index = job.identity.sample_index;
  if (action.reader > 0) {
    const OpenReader& reader = readers_[action.reader];
    context.sample_index = reader.shown_index(index_to_read(job, reader));
  }
  context.origin = origin_of_field(job, action);
  context.operator_name = action.name;
  context.is_read = is_source(action);
  return with_context(status, context);
}

std::string SampleRunner::replaced_by(const SampleJob& replaced) {
  const int64_t index = replaced.identity.sample_index;
  return index < 0 ? "replaced by another sample" : fmt::format("replaced by index {}", index);
}

// Returns false if the sample runs again, true if it stays broken and its step is over.
bool SampleRunner::fail(BatchJob* batch, int index, const Action& action, const Status& status) const {
  SampleJob& job = batch->samples[index];
  const Status described = describe(job, action, status);
  if (options_.on_error == OnError::kReplace && is_of_sample(status) && replace(batch, index)) {
    job.faults.push_back({described, replaced_by(job)});
    return false;
  }
  break_sample(&job, described);
  std::fill(job.values.begin(), job.values.end(), tensor::Tensor());
  return true;
}

void SampleRunner::refuse(BatchJob* batch, int index, const Outcome& refused) const {
  SampleJob& job = batch->samples[index];
  job.error = describe(job, *refused.refused, final_refusal(refused.refusal, gate_.budget().limit_bytes()));
  job.kept.reset();
  job.ends_batch = true;  // no policy leaves it out: others might vanish as well, and nobody would know
  std::fill(job.values.begin(), job.values.end(), tensor::Tensor());
}

// Only a sample that comes straight from a reader can be drawn again; after a barrier others depend on it,
// and a function of the user may have seen it.
bool SampleRunner::replace(BatchJob* batch, int index) const {
  SampleJob& job = batch->samples[index];
  const auto passed = std::span(steps_of(*batch)).first(std::min(job.step + 1, steps_of(*batch).size()));
  if (readers_.empty() || batch->phase != 0 || batch->step != 0 || std::ranges::any_of(passed, runs_python) ||
      job.identity.attempt >= kMaxAttempts) {
    return false;
  }
  ++job.identity.attempt;
  job.identity.sample_index = readers_[0].shown_index(index_to_read(job, readers_[0]));
  job.identity.origin = {};
  job.origins.clear();
  job.is_replacement = true;
  job.step = 0;
  job.next_action = 0;
  job.error = ok_status();
  job.merged.clear();
  job.given.clear();
  job.kept.reset();
  job.is_not_resident = false;
  std::fill(job.values.begin(), job.values.end(), tensor::Tensor());
  return true;
}

// The results of earlier steps are kept, and so is a record of which a sample is still to be made.
void SampleRunner::forget_step(BatchJob* batch, int index) const {
  SampleJob& job = batch->samples[index];
  job.next_action = 0;
  job.arrived.reset();
  job.is_not_resident = false;
  for (const Action& action : step_of(*batch, index).actions) {
    for (const int value : action.outputs) {
      job.values[value] = {};
    }
  }
}

int SampleRunner::output_slot(int phase, int value) const {
  if (phase + 1 != static_cast<int>(plan_.phases().size())) {
    return -1;
  }
  const auto found = std::ranges::find(plan_.outputs(), value);
  return found == plan_.outputs().end() ? -1 : static_cast<int>(found - plan_.outputs().begin());
}

}  // namespace forebay::pipeline
