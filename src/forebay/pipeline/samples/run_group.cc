// Work on a few samples of a batch at once: operators of group scope, functions of the user that work on
// single samples. Each sample has its own error.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/pipeline/samples/action_services.h"
#include "forebay/pipeline/samples/function_samples.h"
#include "forebay/pipeline/samples/sample_runner.h"

namespace forebay::pipeline {

std::vector<Outcome> SampleRunner::run_group(BatchJob* batch, std::span<const int> members) {
  const Action& action = step_of(*batch, members[0]).actions[0];
  std::vector<int> active;
  std::ranges::copy_if(members, std::back_inserter(active),
                       [&](int index) { return guards_hold(batch->samples[index], action); });
  std::vector<Status> results(active.size());
  if (!active.empty()) {
    const int64_t begin_ns = now_ns();
    const Status thrown = caught([&] {
      return action.op != nullptr ? run_group_operator(batch, active, action, results)
                                  : call_function(batch, active, action, results);
    });
    note_time(action, begin_ns, now_ns());
    if (!thrown.ok()) {
      std::ranges::fill(results, thrown);
    }
  }
  std::vector<Outcome> outcomes;
  for (const int index : members) {
    const auto place = std::ranges::find(active, index);
    const Status result = place == active.end() ? ok_status() : results[place - active.begin()];
    outcomes.push_back(end_group_step(batch, index, action, result));
  }
  return outcomes;
}

// `result`: how it went with the sample.
Outcome SampleRunner::end_group_step(BatchJob* batch, int index, const Action& action, const Status& result) {
  if (is_memory_refusal(result)) {
    return {Outcome::Kind::kRefused, &action, result};
  }
  if (!result.ok()) {
    fail(batch, index, action, result);
    return {};
  }
  SampleJob& job = batch->samples[index];
  drop_dead_values(&job, action);
  job.expansion.reset();
  ++job.step;
  job.next_action = 0;
  return {};
}

ActionSamples SampleRunner::samples_of(BatchJob* batch, std::span<const int> members, const Action& action) {
  ActionSamples made;
  for (const int index : members) {
    SampleJob& job = batch->samples[index];
    ActionTensors& tensors = made.tensors.emplace_back(job.values, action);
    made.services.emplace_back(this, batch, index, action);
    made.samples.emplace_back(job.identity, key_of(job, action), tensors.inputs, tensors.arguments,
                              tensors.outputs, made.services.back());
  }
  return made;
}

Status SampleRunner::run_group_operator(BatchJob* batch, std::span<const int> members, const Action& action,
                                        std::span<Status> results) {
  ActionSamples given = samples_of(batch, members, action);
  {
    const memory::ScratchScope scratch(gate_.scratch());
    action.op->run_group(given.samples, results);
  }
  for (size_t i = 0; i < members.size(); ++i) {
    if (results[i].ok()) {
      results[i] = keep_outputs(&batch->samples[members[i]], action, given.tensors[i].outputs);
    }
  }
  return ok_status();
}

Status SampleRunner::call_function(BatchJob* batch, std::span<const int> members, const Action& action,
                                   std::span<Status> results) {
  FOREBAY_ASSIGN_OR_RETURN(HostFunction* const function, function_of(action));
  FOREBAY_ASSIGN_OR_RETURN(std::vector<FunctionSample> samples, function_samples(*batch, members, action));
  FOREBAY_RETURN_IF_ERROR(function->run(samples));
  for (size_t i = 0; i < members.size(); ++i) {
    results[i] = take_given(&batch->samples[members[i]], action, std::move(samples[i]));
  }
  return ok_status();
}

Status SampleRunner::take_given(SampleJob* job, const Action& action, FunctionSample given) {
  FOREBAY_RETURN_IF_ERROR(given.status);
  FOREBAY_RETURN_IF_ERROR(check_count(given, action));
  FOREBAY_RETURN_IF_ERROR(keep_outputs(job, action, given.outputs));
  for (const int value : action.outputs) {
    job->given.push_back({&action, value, kind_of(job->values[value])});
  }
  return ok_status();
}

Status SampleRunner::check_given(const BatchJob& batch) {
  struct Kinds {
    const Action* action = nullptr;
    std::vector<std::pair<int, SampleKind>> of_samples;
  };
  std::map<int, Kinds> given;  // by value
  for (const SampleJob& job : batch.samples) {
    for (const GivenKind& one : job.given) {
      given[one.value].action = one.action;
      given[one.value].of_samples.emplace_back(job.identity.index_in_batch, one.kind);
    }
  }
  for (const auto& [value, kinds] : given) {
    ErrorContext context;
    context.operator_name = kinds.action->name;
    FOREBAY_RETURN_IF_ERROR(with_context(check_one_kind(kinds.of_samples), context));
  }
  return ok_status();
}

}  // namespace forebay::pipeline
