// Where a Python keeps what the processes of models need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::serving {

/// Looked up when first asked for, and again until the package is found. Thread safe.
class PythonPlaces {
 public:
  explicit PythonPlaces(std::string python) : python_(std::move(python)) {}

  const std::string& python() const { return python_; }
  /// forebay/serving/worker of the package. not_found, with what to do, where this Python has no such
  /// package.
  Result<std::string> worker_folder();
  /// Where it looks for modules; empty if there is no such Python.
  std::vector<std::string> module_folders();

 private:
  struct Places {
    std::string package;  // empty: this Python has none
    std::vector<std::string> folders;
  };
  Result<Places> look_up() const;
  Result<Places> places() FOREBAY_EXCLUDES(mutex_);

  const std::string python_;
  Mutex mutex_;
  std::optional<Places> found_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::serving
