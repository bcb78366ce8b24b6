// Work on a whole batch: operators with batch scope, user functions, fed data.
#include "forebay/base/caught.h"
#include "forebay/base/end_of_data.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/pipeline/samples/action_services.h"
#include "forebay/pipeline/samples/function_samples.h"
#include "forebay/pipeline/samples/sample_runner.h"

namespace forebay::pipeline {
namespace {

// Checks the results of a function: the right number of outputs, of one kind each.
Status check_results(const std::vector<FunctionSample>& samples, const Action& action) {
  std::vector<std::vector<std::pair<int, SampleKind>>> kinds(action.outputs.size());
  for (const FunctionSample& sample : samples) {
    if (!sample.status.ok()) {
      continue;
    }
    FOREBAY_RETURN_IF_ERROR(check_count(sample, action));
    for (size_t output = 0; output < kinds.size(); ++output) {
      kinds[output].emplace_back(sample.identity.index_in_batch, kind_of(sample.outputs[output]));
    }
  }
  for (const auto& of_output : kinds) {
    FOREBAY_RETURN_IF_ERROR(check_one_kind(of_output));
  }
  return ok_status();
}

}  // namespace

std::vector<int> SampleRunner::active_samples(const BatchJob& batch, const Action& action) const {
  std::vector<int> active;
  for (int index = 0; index < static_cast<int>(batch.samples.size()); ++index) {
    if (batch.samples[index].error.ok() && guards_hold(batch.samples[index], action)) {
      active.push_back(index);
    }
  }
  return active;
}

Status SampleRunner::describe(const BatchJob& batch, const Action& action, const Status& status) const {
  const auto context = context_of(status);
  for (const SampleJob& job : batch.samples) {
    if (context && job.identity.position == context->position && job.identity.epoch == context->epoch) {
      return describe(job, action, status);
    }
  }
  return status;
}

Status SampleRunner::run_batch_operator(BatchJob* batch, const Action& action) {
  const std::vector<int> active = active_samples(*batch, action);
  ActionSamples given = samples_of(batch, active, action);
  const memory::ScratchScope scratch(gate_.scratch());
  FOREBAY_RETURN_IF_ERROR(describe(*batch, action, action.op->run_batch(given.samples)));
  for (size_t i = 0; i < active.size(); ++i) {
    FOREBAY_RETURN_IF_ERROR(end_barrier(&batch->samples[active[i]], action, given.tensors[i].outputs));
  }
  return ok_status();
}

Result<HostFunction*> SampleRunner::function_of(const Action& action) const {
  const auto function = options_.functions.find(action.node);
  if (function == options_.functions.end()) {
    return failed_precondition("the function of '{}' is not there: a loaded graph needs it given again",
                               action.name);
  }
  return function->second.get();
}

Status SampleRunner::run_function(BatchJob* batch, const Action& action) {
  FOREBAY_ASSIGN_OR_RETURN(HostFunction* const function, function_of(action));
  const std::vector<int> active = active_samples(*batch, action);
  if (active.empty()) {
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(std::vector<FunctionSample> samples, function_samples(*batch, active, action));
  FOREBAY_RETURN_IF_ERROR(function->run(samples));
  FOREBAY_RETURN_IF_ERROR(check_results(samples, action));
  for (size_t i = 0; i < active.size(); ++i) {
    if (!samples[i].status.ok()) {
      fail(batch, active[i], action, samples[i].status);
      continue;
    }
    FOREBAY_RETURN_IF_ERROR(end_barrier(&batch->samples[active[i]], action, samples[i].outputs));
  }
  return ok_status();
}

Status SampleRunner::check_fed(const std::vector<tensor::Tensor>& samples,
                               std::optional<size_t> count) const {
  const int most = plan_.options().batch_size;
  if (samples.empty() || samples.size() > static_cast<size_t>(most)) {
    return invalid_argument("a batch of {} samples was given; from 1 to batch_size={} are expected",
                            samples.size(), most);
  }
  if (count.value_or(samples.size()) != samples.size()) {
    return invalid_argument("{} samples were given where another output has {}", samples.size(), *count);
  }
  return check_one_kind(samples);
}

Result<SampleRunner::Fed> SampleRunner::ask_feed(const Action& action, const FeedRequest& request) {
  if (const auto kept = kept_.find(action.node); kept != kept_.end()) {
    Fed fed = std::move(kept->second);
    kept_.erase(kept);
    return fed;
  }
  FOREBAY_ASSIGN_OR_RETURN(Fed fed, options_.feeds.at(action.node)->next(request));
  if (fed.size() != action.outputs.size()) {
    return invalid_argument("{} outputs were given, {} expected", fed.size(), action.outputs.size());
  }
  return fed;
}

void SampleRunner::keep_for_later(const Step& step, std::vector<Result<Fed>>* given) {
  for (size_t i = 0; i < given->size(); ++i) {
    const int node = step.actions[i].node;
    if ((*given)[i].ok() && options_.feeds.at(node)->keeps_its_place()) {
      kept_[node] = *std::move((*given)[i]);
    }
  }
}

Result<int> SampleRunner::run_feeds(BatchJob* batch, const Step& step, const FeedRequest& request) {
  std::vector<Result<Fed>> given;
  Status failed;
  Status ended;
  for (const Action& action : step.actions) {
    given.push_back(caught([&] { return ask_feed(action, request); }));
    const Status& status = given.back().status();
    Status& first = is_end_of_data(status) ? ended : failed;
    if (!status.ok() && first.ok()) {
      first = annotate(status, action.name);
    }
  }
  FOREBAY_RETURN_IF_ERROR(failed);
  if (!ended.ok()) {
    keep_for_later(step, &given);
    return ended;
  }
  std::optional<size_t> count;
  for (size_t i = 0; i < given.size(); ++i) {
    const Action& action = step.actions[i];
    for (size_t output = 0; output < given[i]->size(); ++output) {
      std::vector<tensor::Tensor>& samples = (*given[i])[output];
      FOREBAY_RETURN_IF_ERROR(annotate(check_fed(samples, count), action.name));
      count = samples.size();
      for (size_t sample = 0; sample < samples.size(); ++sample) {
        batch->samples[sample].values[action.outputs[output]] = std::move(samples[sample]);
      }
    }
  }
  return static_cast<int>(*count);
}

}  // namespace forebay::pipeline
