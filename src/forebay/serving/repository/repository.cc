// What the doors call, and the beginning and end of the repository. Loading is in repository_loads.cc.
#include "forebay/serving/repository/repository.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/base/sync/wait_until.h"
#include "forebay/base/units.h"
#include "forebay/serving/repository/repository_tick.h"

namespace forebay::serving {
namespace {

constexpr int64_t kGranularity_ns = 2 * kSecond;  // of the times of changes, with room to spare

constexpr int64_t kLongestSeen_ns = 5 * kSecond;  // mounts of buckets have folders whose time never changes

/// 0 where it cannot be told, or is so young that another change may have the same time.
int64_t change_of(const std::string& folder) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0) {
    return 0;
  }
  const int64_t changed_ns = facts.st_mtim.tv_sec * kSecond + facts.st_mtim.tv_nsec;
  return wall_clock_ns() - changed_ns > kGranularity_ns ? changed_ns : 0;
}

}  // namespace

Repository::Repository(RepositoryOptions options)
    : options_(std::move(options)),
      timer_(options_.timer != nullptr ? options_.timer : std::make_shared<ThreadTimer>()),
      tick_(std::make_shared<Tick>()),
      maker_(options_.kinds, *this, options_.timer),
      loads_(options_.max_waiting_loads, "loads and unloads of models"),
      closes_(std::numeric_limits<size_t>::max(), "models to close") {
  const MutexLock lock(tick_->mutex);
  tick_->repository = this;
}

Result<std::unique_ptr<Repository>> Repository::open(RepositoryOptions options) {
  std::error_code error;
  if (!std::filesystem::is_directory(options.root, error)) {
    return not_found("the repository of models {} is no folder", options.root);
  }
  std::unique_ptr<Repository> repository(new Repository(std::move(options)));
  Repository* const self = repository.get();
  FOREBAY_RETURN_IF_ERROR(self->loads_.add([self] { self->start(); },
                                           [self](const Status& refused) { self->end_of_start(refused); }));
  return repository;
}

Repository::~Repository() {
  close(steady_clock().now_ns());
}

Status Repository::wait_until_started(int64_t deadline_ns, std::stop_token stop) {
  const std::stop_callback wake(stop, [this] {
    const MutexLock lock(mutex_);  // or it is told between the look at the token and the wait
    started_.notify_all();
  });
  UniqueMutexLock lock(mutex_);
  wait_until(started_, lock, deadline_ns,
             [&]() FOREBAY_REQUIRES(mutex_) { return is_started_ || stop.stop_requested(); });
  if (is_started_) {
    return start_error_;
  }
  if (stop.stop_requested()) {
    return cancelled("the models of {} are not loaded yet, and nobody waits for them any more",
                     options_.root);
  }
  return make_status(StatusCode::kDeadlineExceeded, "the models of {} are not loaded in time", options_.root);
}

void Repository::stop_loading() {
  if (loads_.is_forked_copy()) {
    return;
  }
  loading_.request_stop();
  loads_.refuse_waiting();
}

void Repository::close(int64_t deadline_ns) {
  if (loads_.is_forked_copy()) {
    return;  // threads of the parent may hold the locks
  }
  {
    const MutexLock lock(tick_->mutex);
    tick_->repository = nullptr;
  }
  {
    const MutexLock lock(mutex_);
    is_closing_ = true;
  }
  stop_loading();
  loads_.stop();
  (void)closes_.add([this, deadline_ns] { close_all(deadline_ns); });
  closes_.stop();
}

void Repository::close_all(int64_t deadline_ns) {
  ModelTable::Retired next = table_.take_unneeded();
  while (!next.empty()) {
    close_models(std::move(next), deadline_ns);
    next = table_.take_unneeded();
  }
}

void Repository::infer(InferRequest request, InferAnswer answer) {
  Result<ModelTable::InUse> used = table_.use(request.model, request.version);
  if (!used.ok()) {
    answer(used.status());
    return;
  }
  used->model->infer(std::move(request), std::move(answer));
}

bool Repository::is_live() const {
  const MutexLock lock(mutex_);
  return !is_closing_;
}

bool Repository::is_ready() const {
  std::set<std::string> names;
  {
    const MutexLock lock(mutex_);
    if (!is_started_ || is_closing_) {
      return false;
    }
    names = at_start_;
  }
  return std::all_of(names.begin(), names.end(),
                     [this](const std::string& name) { return table_.is_ready(name, ""); });
}

bool Repository::is_model_ready(const std::string& name, const std::string& version) const {
  return table_.is_ready(name, version);
}

Result<ModelMetadata> Repository::metadata(const std::string& name, const std::string& version) const {
  FOREBAY_ASSIGN_OR_RETURN(const ModelTable::InUse used, table_.use(name, version));
  ModelMetadata metadata = used.model->metadata();
  metadata.versions.clear();
  for (const ModelTable::InUse& each : table_.use_all(name)) {
    metadata.versions.push_back(each.model->metadata().versions.front());
  }
  return metadata;
}

Result<std::string> Repository::config_json(const std::string& name, const std::string& version) const {
  FOREBAY_ASSIGN_OR_RETURN(const ModelTable::InUse used, table_.use(name, version));
  return used.model->config_json();
}

Result<std::vector<ModelStatistics>> Repository::statistics(const std::string& name,
                                                            const std::string& version) const {
  std::vector<ModelStatistics> statistics;
  if (!name.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(const ModelTable::InUse used, table_.use(name, version));
    if (!version.empty()) {
      statistics.push_back(used.model->statistics());
      return statistics;
    }
  }
  for (const ModelTable::InUse& used : table_.use_all(name)) {
    statistics.push_back(used.model->statistics());
  }
  return statistics;
}

Result<std::vector<std::string>> Repository::look_at_folder() const {
  const int64_t changed_ns = change_of(options_.root);  // before the look, or a change meanwhile is missed
  FOREBAY_ASSIGN_OR_RETURN(const FoundNames found,
                           caught([&] { return model_names(options_.root, options_.kinds); }));
  const MutexLock lock(mutex_);
  for (const std::string& file : found.ignored) {
    if (seen_.ignored.insert(file).second) {
      log_info("{} defines no model, and is left alone", file);
    }
  }
  seen_.names = found.models;
  seen_.changed_ns = changed_ns;
  seen_.looked_ns = wall_clock_ns();
  return found.models;
}

std::vector<ModelIndexEntry> Repository::index(bool only_ready) const {
  std::vector<ModelIndexEntry> entries = table_.index();
  if (only_ready) {
    std::erase_if(entries, [](const ModelIndexEntry& entry) { return entry.state != "READY"; });
    return entries;
  }
  const int64_t changed_ns = change_of(options_.root);
  std::vector<std::string> names;
  bool is_seen = false;
  {
    const MutexLock lock(mutex_);
    is_seen = changed_ns != 0 && seen_.changed_ns == changed_ns &&
              wall_clock_ns() - seen_.looked_ns < kLongestSeen_ns;
    names = seen_.names;
  }
  if (!is_seen) {
    Result<std::vector<std::string>> found = look_at_folder();
    if (!found.ok()) {
      log_warning("the repository's folder cannot be read: {}", message(found.status()));
      return entries;
    }
    names = *std::move(found);
  }
  for (const std::string& name : names) {
    if (!table_.has(name)) {
      entries.push_back({name, "", "", ""});
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const ModelIndexEntry& a, const ModelIndexEntry& b) { return a.name < b.name; });
  return entries;
}

}  // namespace forebay::serving
