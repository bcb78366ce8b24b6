// A disk whose power goes: what was not made durable may be there, in part or not at all.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/local/disk.h"

namespace forebay::storage::testing {

/// Makes all changes on the host's disk, too, so that what runs over it goes on. Of one folder. Names change
/// in the order of the calls; those behind the last sync of the folder may be on the disk up to any of them.
class ForgetfulDisk final : public Disk {
 public:
  /// What a file holds on a disk that lost its power: nullopt if there is no such file.
  using Content = std::optional<std::string>;

  /// `text` is in `path`, and durable.
  void put_durable(const std::string& path, std::string text) {
    const MutexLock lock(mutex_);
    files_.push_back({text, text});
    steps_.push_back({{}, path, files_.size() - 1});
    durable_steps_ = steps_.size();
  }

  /// All that `path` may hold if the power goes now.
  std::set<Content> after_loss(const std::string& path) const {
    const MutexLock lock(mutex_);
    std::set<Content> outcomes;
    for (size_t count = durable_steps_; count <= steps_.size(); ++count) {
      std::map<std::string, size_t> names;
      for (size_t i = 0; i < count; ++i) {
        apply(steps_[i], &names);
      }
      const auto found = names.find(path);
      if (found == names.end()) {
        outcomes.insert(std::nullopt);
        continue;
      }
      const FileState& file = files_[found->second];
      outcomes.insert(file.durable);
      if (file.content != file.durable) {
        outcomes.insert(file.content);
        outcomes.insert(file.content.substr(0, file.content.size() / 2));
      }
    }
    return outcomes;
  }

  Result<FileDescriptor> create(const std::string& path, mode_t mode) override {
    FOREBAY_ASSIGN_OR_RETURN(FileDescriptor file, host_disk().create(path, mode));
    const MutexLock lock(mutex_);
    files_.emplace_back();
    by_number_[number_of(file.get())] = files_.size() - 1;
    steps_.push_back({{}, path, files_.size() - 1});
    return file;
  }
  Status write(int file, const std::string& path, Bytes content) override {
    FOREBAY_RETURN_IF_ERROR(host_disk().write(file, path, content));
    const MutexLock lock(mutex_);
    state_of(file).content.append(reinterpret_cast<const char*>(content.data()), content.size());
    return ok_status();
  }
  Status sync(int file, const std::string& path) override {
    FOREBAY_RETURN_IF_ERROR(host_disk().sync(file, path));
    const MutexLock lock(mutex_);
    state_of(file).durable = state_of(file).content;
    return ok_status();
  }
  Status rename(const std::string& from, const std::string& to) override {
    FOREBAY_RETURN_IF_ERROR(host_disk().rename(from, to));
    return change({from, to, std::nullopt});
  }
  Status link(const std::string& from, const std::string& to) override {
    FOREBAY_RETURN_IF_ERROR(host_disk().link(from, to));
    const MutexLock lock(mutex_);
    std::map<std::string, size_t> names;
    for (const Step& step : steps_) {
      apply(step, &names);
    }
    steps_.push_back({{}, to, names.at(from)});
    return ok_status();
  }
  Status remove(const std::string& path) override {
    FOREBAY_RETURN_IF_ERROR(host_disk().remove(path));
    return change({path, {}, std::nullopt});
  }
  Status sync_folder(const std::string& folder) override {
    FOREBAY_RETURN_IF_ERROR(host_disk().sync_folder(folder));
    const MutexLock lock(mutex_);
    durable_steps_ = steps_.size();
    return ok_status();
  }

 private:
  struct FileState {
    std::string content;
    std::string durable;
  };
  /// A name goes, comes, or becomes another.
  struct Step {
    std::string from;
    std::string to;
    std::optional<size_t> file;  // the one that gets the name `to`
  };

  static void apply(const Step& step, std::map<std::string, size_t>* names) {
    if (step.file) {
      (*names)[step.to] = *step.file;
    } else if (step.to.empty()) {
      names->erase(step.from);
    } else if (const auto found = names->find(step.from); found != names->end()) {
      const size_t file = found->second;
      names->erase(found);
      (*names)[step.to] = file;
    }
  }

  Status change(Step step) {
    const MutexLock lock(mutex_);
    steps_.push_back(std::move(step));
    return ok_status();
  }

  static ino_t number_of(int file) {
    struct stat status {};
    ::fstat(file, &status);
    return status.st_ino;
  }
  FileState& state_of(int file) FOREBAY_REQUIRES(mutex_) { return files_[by_number_.at(number_of(file))]; }

  mutable Mutex mutex_;
  std::vector<FileState> files_ FOREBAY_GUARDED_BY(mutex_);
  std::map<ino_t, size_t> by_number_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<Step> steps_ FOREBAY_GUARDED_BY(mutex_);
  size_t durable_steps_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::storage::testing
