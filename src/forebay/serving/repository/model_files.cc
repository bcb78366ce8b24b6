// Reads the folders of a repository. Nothing here keeps state.
#include "forebay/serving/repository/model_files.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/log/log.h"
#include "forebay/base/nearest_name.h"
#include "forebay/base/utf8.h"

namespace forebay::serving {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNameBytes = 255;
constexpr int kMaxFolderDepth = 8;

/// A version's number: digits that begin with no zero.
std::optional<int64_t> version_number(const std::string& name) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  return is_number && number > 0 && name.front() != '0' ? std::optional(number) : std::nullopt;
}

/// The entries of a folder in order of their names.
Result<std::vector<fs::path>> entries_of(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(at->path());
  }
  if (error) {
    return errno_status(error.value(), folder);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Opening anything else may wait for ever, as a pipe does, or do something.
bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// A file that cannot be looked into is not of the kind.
bool is_recognised_as(const ModelKind& kind, const std::string& file) {
  const Result<bool> is_recognised =
      caught([&]() -> Result<bool> { return !kind.recognises || kind.recognises(file); });
  return is_recognised.ok() && *is_recognised;
}

bool is_single_model(const ModelKind& kind, const std::string& file) {
  return is_recognised_as(kind, file) && (!kind.recognises_single || kind.recognises_single(file));
}

/// A file directly in the root.
struct SingleFile {
  std::string name;  // of the model, or ""
  bool looks_like_one = false;
};

SingleFile single_file(const fs::path& path, const std::vector<ModelKind>& kinds) {
  const std::string file = path.filename().string();
  SingleFile single;
  for (const ModelKind& kind : kinds) {
    for (const std::string& suffix : kind.suffixes) {
      if (file.size() <= suffix.size() || !file.ends_with(suffix) || !is_file(path)) {
        continue;
      }
      single.looks_like_one = true;
      if (is_single_model(kind, path.string())) {
        single.name = file.substr(0, file.size() - suffix.size());
        return single;
      }
    }
  }
  return single;
}

Status no_such_model(const std::string& root, const std::vector<ModelKind>& kinds, const std::string& name) {
  FOREBAY_ASSIGN_OR_RETURN(const FoundNames names, model_names(root, kinds));
  NearestName nearest(name);
  for (const std::string& each : names.models) {
    nearest.look_at(each);
  }
  return not_found("{} has no model '{}'{}", root, name,
                   nearest.is_near() ? fmt::format("; is '{}' meant?", nearest.found()) : "");
}

Result<FoundModel> model_in_folder(const std::string& name, const std::string& folder) {
  FoundModel model;
  model.name = name;
  model.folder = folder;
  const std::string config = folder + "/config.pbtxt";
  model.config = is_there(config) ? config : "";
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<fs::path> entries, entries_of(folder));
  for (const fs::path& entry : entries) {
    const std::optional<int64_t> number = version_number(entry.filename().string());
    if (number && is_folder(entry)) {
      model.versions.push_back({*number, entry.string()});
    }
  }
  std::sort(model.versions.begin(), model.versions.end(),
            [](const FoundVersion& a, const FoundVersion& b) { return a.number < b.number; });
  if (model.versions.empty()) {
    model.versions.push_back({1, folder});
  }
  return model;
}

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return !word.empty() && std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> candidate_files(const ModelKind& kind, const ModelConfig& config,
                                         const FoundModel& model, const FoundVersion& version) {
  if (!model.file.empty()) {
    const bool is_of_kind =
        std::any_of(kind.suffixes.begin(), kind.suffixes.end(),
                    [&](const std::string& suffix) { return model.file.ends_with(suffix); });
    return is_of_kind ? std::vector<std::string>{model.file} : std::vector<std::string>();
  }
  std::vector<std::string> files;
  const std::vector<std::string> given = {config.model_file};
  for (const std::string& name : config.model_file.empty() ? kind.files : given) {
    if (const std::string path = version.folder + "/" + name; is_file(path)) {
      files.push_back(path);
    }
  }
  return files;
}

Status no_such_kind(const std::vector<ModelKind>& kinds, const ModelConfig& config) {
  std::vector<std::string> names = {"ensemble"};
  for (const ModelKind& kind : kinds) {
    names.insert(names.end(), kind.backends.begin(), kind.backends.end());
    names.insert(names.end(), kind.platforms.begin(), kind.platforms.end());
  }
  const std::string& given = config.backend.empty() ? config.platform : config.backend;
  return unimplemented("{}: {} '{}' is none of {}", config.where,
                       config.backend.empty() ? "platform" : "backend", printable(given),
                       fmt::join(names, ", "));
}

/// That `default_model_filename` stays in the folder.
Status check_model_file(const std::string& name) {
  if (name.find('/') != std::string::npos || name == ".." || name.find('\0') != std::string::npos) {
    return invalid_argument("default_model_filename '{}' is no name of a file", printable(name));
  }
  return ok_status();
}

void add_state(const fs::path& path, int depth, std::string* state) {
  std::error_code ignored;
  const std::string name = path.filename().string();
  if (name == "__pycache__" || name.starts_with('.')) {
    return;  // loading a model writes the one, editing it the other
  }
  if (!is_folder(path)) {
    *state += fmt::format("{}:{}:{}\n", path.string(), fs::file_size(path, ignored),
                          fs::last_write_time(path, ignored).time_since_epoch().count());
    return;
  }
  *state += path.string() + "/\n";
  const Result<std::vector<fs::path>> entries = entries_of(path.string());
  if (depth < kMaxFolderDepth && entries.ok()) {
    for (const fs::path& entry : *entries) {
      add_state(entry, depth + 1, state);
    }
  }
}

}  // namespace

Status check_model_name(const std::string& name) {
  const bool is_name = !name.empty() && name.size() <= kMaxNameBytes && name.front() != '.' &&
                       name.find('/') == std::string::npos && is_utf8(name) && printable(name) == name;
  if (!is_name) {
    return invalid_argument(
        "'{}' is no name of a model: it is UTF-8 of 1 to {} bytes, has no slash and no control "
        "characters, and begins with no dot",
        printable(name).substr(0, kMaxNameBytes), kMaxNameBytes);
  }
  return ok_status();
}

Result<FoundNames> model_names(const std::string& root, const std::vector<ModelKind>& kinds) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<fs::path> entries, entries_of(root));
  std::set<std::string> names;
  FoundNames found;
  for (const fs::path& entry : entries) {
    const SingleFile single =
        is_folder(entry) ? SingleFile{.name = entry.filename().string()} : single_file(entry, kinds);
    if (check_model_name(single.name).ok() && single.name != "__pycache__") {
      names.insert(single.name);
    } else if (single.looks_like_one && single.name.empty()) {
      found.ignored.push_back(entry.string());
    }
  }
  found.models.assign(names.begin(), names.end());
  return found;
}

Result<FoundModel> find_model(const std::string& root, const std::vector<ModelKind>& kinds,
                              const std::string& name) {
  FOREBAY_RETURN_IF_ERROR(check_model_name(name));
  std::vector<std::string> places;
  for (const ModelKind& kind : kinds) {
    for (const std::string& suffix : kind.suffixes) {
      const std::string file = root + "/" + name + suffix;
      if (is_file(file) && !holds(places, file) && is_single_model(kind, file)) {
        places.push_back(file);
      }
    }
  }
  const std::string folder = root + "/" + name;
  if (is_folder(folder)) {
    places.push_back(folder);
  }
  if (places.empty()) {
    return no_such_model(root, kinds, name);
  }
  if (places.size() > 1) {
    return invalid_argument("model '{}' is there {} times; keep one of {}", name, places.size(),
                            fmt::join(places, ", "));
  }
  if (places.front() == folder) {
    return model_in_folder(name, folder);
  }
  FoundModel model;
  model.name = name;
  model.folder = root;
  model.file = places.front();
  model.versions = {{1, root}};
  return model;
}

Result<std::vector<FoundVersion>> served_versions(const FoundModel& model, const VersionPolicy& policy) {
  std::vector<FoundVersion> served = model.versions;
  if (policy.kind == VersionPolicy::Kind::kLatest && served.size() > policy.latest_count) {
    served.erase(served.begin(), served.end() - static_cast<std::ptrdiff_t>(policy.latest_count));
  }
  if (policy.kind != VersionPolicy::Kind::kSpecific) {
    return served;
  }
  served.clear();
  std::vector<int64_t> missing;
  for (const int64_t wanted : std::set<int64_t>(policy.specific.begin(), policy.specific.end())) {
    const auto at = std::find_if(model.versions.begin(), model.versions.end(),
                                 [&](const FoundVersion& version) { return version.number == wanted; });
    if (at != model.versions.end()) {
      served.push_back(*at);
    } else {
      missing.push_back(wanted);
    }
  }
  if (!missing.empty()) {
    Status lacks = not_found("{}: version_policy names version{} {}, and {} has no such folder", model.config,
                             missing.size() == 1 ? "" : "s", fmt::join(missing, ", "), model.folder);
    if (served.empty()) {
      return lacks;
    }
    log_warning("{}", message(lacks));
  }
  return served;
}

Result<KindAndFile> find_kind(const std::vector<ModelKind>& kinds, const ModelConfig& config,
                              const FoundModel& model, const FoundVersion& version) {
  FOREBAY_RETURN_IF_ERROR(check_model_file(config.model_file));
  const bool is_said = !config.backend.empty() || !config.platform.empty();
  bool is_known = false;
  std::vector<std::string> looked_for;
  for (const ModelKind& kind : kinds) {
    if (is_said && !holds(kind.backends, config.backend) && !holds(kind.platforms, config.platform)) {
      continue;
    }
    is_known = true;
    for (const std::string& file : candidate_files(kind, config, model, version)) {
      if (is_said || is_recognised_as(kind, file)) {
        return KindAndFile{&kind, file};
      }
    }
    for (const std::string& file : kind.files) {
      if (!holds(looked_for, file)) {
        looked_for.push_back(file);
      }
    }
  }
  if (is_said && !is_known) {
    return no_such_kind(kinds, config);
  }
  return not_found(
      "{} holds no model: {} {} not there", model.file.empty() ? version.folder : model.file,
      config.model_file.empty() ? fmt::format("{}", fmt::join(looked_for, ", ")) : config.model_file,
      looked_for.size() == 1 || !config.model_file.empty() ? "is" : "are");
}

std::string state_of_files(const FoundModel& model) {
  std::string state;
  add_state(model.file.empty() ? model.folder : model.file, 0, &state);
  return state;
}

}  // namespace forebay::serving
