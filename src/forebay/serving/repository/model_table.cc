// Every change of a model's state is here, under one lock.
#include "forebay/serving/repository/model_table.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "forebay/base/nearest_name.h"
#include "forebay/base/utf8.h"

namespace forebay::serving {
namespace {

/// 0 for what is no number.
int64_t number_of_version(const std::string& version) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), number);
  return error == std::errc() && end == version.data() + version.size() ? number : 0;
}

Status not_ready(const std::string& name, std::string_view state, const std::string& reason) {
  return unavailable("model '{}' is not ready, it is {}{}", name, state, reason.empty() ? "" : ": " + reason);
}

}  // namespace

std::string_view ModelTable::name_of(State state) {
  switch (state) {
    case State::kLoading:
      return "LOADING";
    case State::kReady:
      return "READY";
    case State::kUnloading:
      return "UNLOADING";
    case State::kUnavailable:
      break;
  }
  return "UNAVAILABLE";
}

Status ModelTable::unknown_model(const std::string& name) const {
  NearestName nearest(name);
  for (const auto& [known, versions] : models_) {
    nearest.look_at(known);
  }
  return not_found("model '{}' is not loaded{}", printable(name),
                   nearest.is_near() ? fmt::format("; is '{}' meant?", nearest.found()) : "");
}

Result<const ModelTable::Version*> ModelTable::find_newest(const std::string& name,
                                                           const Versions& versions) const {
  for (auto at = versions.rbegin(); at != versions.rend(); ++at) {
    if (at->second.served != nullptr) {
      return &at->second;
    }
  }
  if (versions.empty()) {
    return unknown_model(name);
  }
  const Version& newest = versions.rbegin()->second;
  return not_ready(name, name_of(newest.state), newest.reason);
}

Result<const ModelTable::Version*> ModelTable::find(const std::string& name,
                                                    const std::string& version) const {
  const auto model = models_.find(name);
  if (model == models_.end()) {
    return unknown_model(name);
  }
  if (version.empty()) {
    return find_newest(name, model->second);
  }
  const auto at = model->second.find(number_of_version(version));
  if (at == model->second.end()) {
    std::string known;
    for (const auto& [number, each] : model->second) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", number);
    }
    return not_found("model '{}' has no version '{}'; it has {}", name, printable(version), known);
  }
  if (at->second.served == nullptr) {
    return annotate(not_ready(name, name_of(at->second.state), at->second.reason),
                    fmt::format("version {}", at->first));
  }
  return &at->second;
}

Result<ModelTable::InUse> ModelTable::use(const std::string& name, const std::string& version) const {
  const MutexLock lock(mutex_);
  FOREBAY_ASSIGN_OR_RETURN(const Version* const found, find(name, version));
  return InUse{found->served.get(), UseOfModel(found->served->use())};
}

std::vector<ModelTable::InUse> ModelTable::use_all(const std::string& name) const {
  const MutexLock lock(mutex_);
  std::vector<InUse> all;
  for (const auto& [known, versions] : models_) {
    for (const auto& [number, version] : versions) {
      if ((name.empty() || known == name) && version.served != nullptr) {
        all.push_back(InUse{version.served.get(), UseOfModel(version.served->use())});
      }
    }
  }
  return all;
}

bool ModelTable::is_ready(const std::string& name, const std::string& version) const {
  const Result<InUse> used = use(name, version);
  return used.ok() && used->model->status().ok();
}

bool ModelTable::has(const std::string& name) const {
  const MutexLock lock(mutex_);
  return models_.contains(name);
}

std::vector<ModelIndexEntry> ModelTable::index() const {
  std::vector<ModelIndexEntry> entries;
  std::vector<std::pair<size_t, InUse>> ready;  // places in `entries`
  {
    const MutexLock lock(mutex_);
    for (const auto& [name, versions] : models_) {
      for (const auto& [number, version] : versions) {
        if (version.state == State::kReady && version.served != nullptr) {
          ready.emplace_back(entries.size(), InUse{version.served.get(), UseOfModel(version.served->use())});
        }
        const std::string shown = number == 0 ? "" : std::to_string(number);
        entries.push_back({name, shown, std::string(name_of(version.state)), version.reason});
      }
    }
  }
  for (const auto& [place, used] : ready) {  // without the lock: ensembles ask for their members
    if (const Status status = used.model->status(); !status.ok()) {
      entries[place].state = name_of(State::kUnavailable);
      entries[place].reason = message(status);
    }
  }
  return entries;
}

std::set<std::string> ModelTable::members_of(const std::string& name) const {
  std::set<std::string> members;
  if (const auto model = models_.find(name); model != models_.end()) {
    for (const auto& [number, version] : model->second) {
      if (version.served != nullptr) {
        members.insert(version.served->members().begin(), version.served->members().end());
      }
    }
  }
  return members;
}

bool ModelTable::needs(const std::string& name, const std::string& other) const {
  const MutexLock lock(mutex_);
  std::set<std::string> seen = {name};
  std::vector<std::string> left = {name};
  while (!left.empty()) {
    const std::string next = std::move(left.back());
    left.pop_back();
    if (next == other) {
      return true;
    }
    for (const std::string& member : members_of(next)) {
      if (seen.insert(member).second) {
        left.push_back(member);
      }
    }
  }
  return false;
}

void ModelTable::begin_loading(const std::string& name, const std::set<int64_t>& versions) {
  const MutexLock lock(mutex_);
  Versions& known = models_[name];
  known.erase(0);
  for (const int64_t number : versions) {
    Version& version = known[number];
    if (version.served == nullptr) {
      version.state = State::kLoading;
      version.reason.clear();
    }
  }
}

ModelTable::Retired ModelTable::put(const std::string& name, int64_t number,
                                    Result<std::shared_ptr<ServedModel>> served) {
  const MutexLock lock(mutex_);
  Version& version = models_[name][number];
  Retired replaced;
  if (!served.ok()) {
    const bool is_served = version.served != nullptr;
    version.state = is_served ? State::kReady : State::kUnavailable;
    version.reason = (is_served ? "served as before, as loading it again failed: " : "") +
                     std::string(message(served.status()));
    return replaced;
  }
  if (version.served != nullptr) {
    replaced.push_back(std::move(version.served));
  }
  version = {State::kReady, "", *std::move(served)};
  return replaced;
}

void ModelTable::fail(const std::string& name, const Status& error) {
  const MutexLock lock(mutex_);
  Versions& versions = models_[name];
  if (versions.empty()) {
    versions[0];  // a version whose number is not known
  }
  for (auto& [number, version] : versions) {
    if (version.state != State::kUnloading) {
      version.state = version.served == nullptr ? State::kUnavailable : State::kReady;
      version.reason = std::string(message(error));
    }
  }
}

ModelTable::Retired ModelTable::take_out(const std::string& name, const std::set<int64_t>& kept) {
  const MutexLock lock(mutex_);
  Retired taken;
  const auto model = models_.find(name);
  if (model == models_.end()) {
    return taken;
  }
  for (auto& [number, version] : model->second) {
    if (kept.contains(number)) {
      continue;
    }
    if (version.served != nullptr) {
      taken.push_back(std::move(version.served));
    }
    version = {State::kUnloading, "", nullptr};
  }
  return taken;
}

void ModelTable::end_of_unloading(const std::string& name) {
  const MutexLock lock(mutex_);
  const auto model = models_.find(name);
  if (model == models_.end()) {
    return;
  }
  for (auto& [number, version] : model->second) {
    if (version.state == State::kUnloading) {
      version = {State::kUnavailable, "unloaded", nullptr};
    }
  }
}

void ModelTable::end_of_loading(const std::string& name, const Status& error) {
  const MutexLock lock(mutex_);
  const auto model = models_.find(name);
  if (model == models_.end()) {
    return;
  }
  for (auto& [number, version] : model->second) {
    if (version.state == State::kLoading) {
      version = {State::kUnavailable, std::string(message(error)), nullptr};
    }
  }
}

ModelTable::Retired ModelTable::take_unneeded() {
  const MutexLock lock(mutex_);
  std::set<std::string> needed;
  for (const auto& [name, versions] : models_) {
    needed.merge(members_of(name));
  }
  const auto is_there = [](const auto& entry) { return entry.second.served != nullptr; };
  const bool is_ring = std::all_of(models_.begin(), models_.end(), [&](const auto& model) {
    return needed.contains(model.first) || std::none_of(model.second.begin(), model.second.end(), is_there);
  });
  Retired taken;
  for (auto& [name, versions] : models_) {
    for (auto& [number, version] : versions) {
      if (version.served != nullptr && (is_ring || !needed.contains(name))) {
        taken.push_back(std::move(version.served));
        version = {State::kUnavailable, "the server ends", nullptr};
      }
    }
  }
  return taken;
}

}  // namespace forebay::serving
