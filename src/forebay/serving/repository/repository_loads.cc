// Loading and unloading. But for load() and unload() all of it runs on the thread of loads.
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/serving/repository/repository.h"
#include "forebay/serving/repository/repository_tick.h"

namespace forebay::serving {
namespace {

Status only_by_request(ModelControl control) {
  return failed_precondition(
      "models are loaded and unloaded by request only under explicit model control; here {}",
      control == ModelControl::kPoll ? "the folder is polled" : "the folder is read at the start");
}

}  // namespace

void Repository::add_load(Done done, absl::AnyInvocable<void(Done)> job) {
  const auto shared = std::make_shared<Done>(std::move(done));
  const Status added = loads_.add([shared, job = std::move(job)]() mutable { job(std::move(*shared)); },
                                  [shared](const Status& refused) { (*shared)(refused); });
  if (!added.ok()) {
    (*shared)(added);
  }
}

void Repository::load(const std::string& name, Done done) {
  Status status = check_model_name(name);
  if (status.ok() && options_.control != ModelControl::kExplicit) {
    status = only_by_request(options_.control);
  }
  if (!status.ok()) {
    done(status);
    return;
  }
  add_load(std::move(done), [this, name](Done told) {
    Load load;
    told(load_now(name, &load));
  });
}

void Repository::unload(const std::string& name, Done done) {
  Status status = check_model_name(name);
  if (status.ok() && options_.control != ModelControl::kExplicit) {
    status = only_by_request(options_.control);
  }
  if (!status.ok()) {
    done(status);
    return;
  }
  add_load(std::move(done), [this, name](Done told) { unload_now(name, std::move(told)); });
}

void Repository::start() {
  end_of_start(caught([this] { return load_at_start(); }));
  if (options_.control == ModelControl::kPoll) {
    set_poll_timer();
  }
}

Status Repository::load_at_start() {
  if (options_.control != ModelControl::kExplicit) {
    return load_changes();
  }
  Status status;
  std::vector<std::string> names = options_.models_at_start;
  if (std::find(names.begin(), names.end(), "*") != names.end()) {
    Result<std::vector<std::string>> all = look_at_folder();
    status = all.status();
    names = all.ok() ? *std::move(all) : std::vector<std::string>();
  }
  {
    const MutexLock lock(mutex_);
    at_start_.insert(names.begin(), names.end());
  }
  Load load;
  for (const std::string& name : names) {
    const Status loaded = load_now(name, &load);
    status = status.ok() ? loaded : status;
  }
  return status;
}

void Repository::end_of_start(const Status& status) {
  const MutexLock lock(mutex_);
  start_error_ = status;
  is_started_ = true;
  started_.notify_all();
}

Status Repository::load_now(const std::string& name, Load* load) {
  if (const auto before = load->results.find(name); before != load->results.end()) {
    return before->second;
  }
  load->chain.push_back(name);
  const size_t depth = load->chain.size();
  const Status status = caught([&] { return load_found(name, load); });
  load->chain.resize(depth - 1);
  load->results.emplace(name, status);
  if (!status.ok()) {
    table_.end_of_loading(name, status);
    log_warning("{}", message(status));
  }
  return status;
}

Status Repository::load_found(const std::string& name, Load* load) {
  if (loading_.stop_requested()) {
    return unavailable("model '{}' is not loaded: the server ends", name);
  }
  const auto fail = [&](const Status& status) {
    table_.fail(name, status);
    return status;
  };
  const Result<FoundModel> found = caught([&] { return find_model(options_.root, options_.kinds, name); });
  if (!found.ok()) {
    const bool is_unknown = found.status().code() == StatusCode::kNotFound && !table_.has(name);
    return is_unknown ? found.status() : fail(found.status());
  }
  const Result<ModelConfig> config = caught([&] { return maker_.config_of(*found); });
  if (!config.ok()) {
    return fail(annotate(config.status(), fmt::format("model '{}'", name)));
  }
  if (const Status members = load_members(*config, load); !members.ok()) {
    return fail(annotate(members, fmt::format("ensemble '{}'", name)));
  }
  return load_versions(*found, *config);
}

Status Repository::load_versions(const FoundModel& found, const ModelConfig& config) {
  const std::string& name = found.name;
  const Result<std::vector<FoundVersion>> versions = served_versions(found, config.version_policy);
  if (!versions.ok()) {
    const Status error = annotate(versions.status(), fmt::format("model '{}'", name));
    table_.fail(name, error);
    return error;
  }
  std::set<int64_t> numbers;
  for (const FoundVersion& version : *versions) {
    numbers.insert(version.number);
  }
  table_.begin_loading(name, numbers);
  Status first;
  for (const FoundVersion& version : *versions) {
    Result<std::shared_ptr<ServedModel>> made = maker_.make(found, version, config, loading_.get_token());
    first = first.ok() ? made.status() : first;
    retire(table_.put(name, version.number, std::move(made)),
           steady_clock().now_ns() + options_.unload_grace_ns, nullptr);
  }
  if (first.ok()) {  // otherwise the versions before may be all that answers
    retire(table_.take_out(name, numbers), steady_clock().now_ns() + options_.unload_grace_ns,
           [this, name] { table_.end_of_unloading(name); });
  }
  return first;
}

Status Repository::load_members(const ModelConfig& config, Load* load) {
  for (const EnsembleStep& step : config.steps) {
    if (std::find(load->chain.begin(), load->chain.end(), step.model) != load->chain.end()) {
      return invalid_argument("ensembles hold each other in a ring: {} > {}", fmt::join(load->chain, " > "),
                              step.model);
    }
    if (table_.needs(step.model, load->chain.back())) {
      return invalid_argument("ensembles hold each other in a ring: '{}' is loaded, and needs '{}'",
                              step.model, load->chain.back());
    }
    if (!table_.use(step.model, step.version).ok()) {
      const bool is_explicit = options_.control == ModelControl::kExplicit;
      FOREBAY_RETURN_IF_ERROR(is_explicit ? load_now(step.model, load) : load_if_changed(step.model, load));
    }
    FOREBAY_RETURN_IF_ERROR(table_.use(step.model, step.version).status());
  }
  return ok_status();
}

void Repository::unload_now(const std::string& name, Done done) {
  if (!table_.has(name)) {
    done(not_found("model '{}' is not loaded", name));
    return;
  }
  {
    const MutexLock lock(mutex_);
    at_start_.erase(name);
  }
  retire(table_.take_out(name, {}), steady_clock().now_ns() + options_.unload_grace_ns,
         [this, name, done = std::move(done)]() mutable {
           table_.end_of_unloading(name);
           done(ok_status());
         });
}

Status Repository::load_changes() {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> names, look_at_folder());
  {
    const MutexLock lock(mutex_);
    at_start_ = is_started_ ? at_start_ : std::set<std::string>(names.begin(), names.end());
  }
  Status first;
  Load load;
  for (const std::string& name : names) {
    const Status status = caught([&] { return load_if_changed(name, &load); });
    first = first.ok() ? status : first;
  }
  std::vector<std::string> gone;
  for (const auto& [name, state] : polled_) {
    if (!std::binary_search(names.begin(), names.end(), name)) {
      gone.push_back(name);
    }
  }
  for (const std::string& name : gone) {
    polled_.erase(name);
    unload_now(name, [](const Status&) {});
  }
  return first;
}

bool Repository::is_ensemble(const FoundModel& model) const {
  const Result<ModelConfig> config = caught([&] { return maker_.config_of(model); });
  return config.ok() && !config->steps.empty();
}

Status Repository::load_if_changed(const std::string& name, Load* load) {
  const Result<FoundModel> found = find_model(options_.root, options_.kinds, name);
  std::string state = found.ok() ? state_of_files(*found) : std::string(message(found.status()));
  std::string& known = polled_[name];
  if (known == state) {
    return ok_status();
  }
  known = std::move(state);
  const Status status = load_now(name, load);
  if (!status.ok() && found.ok() && is_ensemble(*found)) {
    polled_[name].clear();  // what it lacks may come, though its own files stay as they are
  }
  return status;
}

void Repository::retire(ModelTable::Retired retired, int64_t deadline_ns, absl::AnyInvocable<void()> then) {
  if (retired.empty() && then == nullptr) {
    return;
  }
  (void)closes_.add([this, retired = std::move(retired), deadline_ns, then = std::move(then)]() mutable {
    close_models(std::move(retired), deadline_ns);
    if (then != nullptr) {
      then();
    }
  });
}

void Repository::close_models(ModelTable::Retired retired, int64_t deadline_ns) {
  for (std::shared_ptr<ServedModel>& model : retired) {
    if (!model->close(deadline_ns)) {
      log_warning("model '{}' is closed, and still has requests without an answer", model->metadata().name);
      const MutexLock lock(mutex_);
      stuck_.push_back(std::move(model));
    }
  }
}

void Repository::poll() {
  if (const Status status = caught([this] { return load_changes(); }); !status.ok()) {
    log_warning("polling: {}", message(status));
  }
  set_poll_timer();
}

void Repository::set_poll_timer() {
  timer_->at(timer_->now_ns() + options_.poll_interval_ns, [tick = tick_] {
    const MutexLock lock(tick->mutex);
    if (Repository* const self = tick->repository; self != nullptr) {
      (void)self->loads_.add([self] { self->poll(); });
    }
  });
}

}  // namespace forebay::serving
