// Asks Python for the folder of the package and for its path of modules; imports nothing of them.
#include "forebay/serving/service/python_places.h"

#include <nlohmann/json.hpp>

#include "forebay/serving/pipelines/python_run.h"

namespace forebay::serving {
namespace {

constexpr const char* kQuestion = R"(
import importlib.util, json, sys
found = importlib.util.find_spec("forebay")
package = list(found.submodule_search_locations)[0] if found else ""
with open(sys.argv[-1], "w") as out:
    json.dump({"package": package, "folders": [path for path in sys.path if path]}, out)
)";

}  // namespace

void PythonPlaces::look_up() {
  if (std::exchange(is_known_, true)) {
    return;
  }
  const Result<std::string> answer = run_python({"-c", kQuestion}, "looking up Python", {.python = python_});
  if (!answer.ok()) {
    error_ = answer.status();
    return;
  }
  const nlohmann::json places = nlohmann::json::parse(*answer, nullptr, /*allow_exceptions=*/false);
  if (!places.is_object()) {
    error_ = internal_error("{} answered {} about itself", python_, *answer);
    return;
  }
  package_ = places.value("package", "");
  folders_ = places.value("folders", std::vector<std::string>());
}

Result<std::string> PythonPlaces::worker_folder() {
  const MutexLock lock(mutex_);
  look_up();
  FOREBAY_RETURN_IF_ERROR(error_);
  if (package_.empty()) {
    return not_found(
        "{} has no package 'forebay', which models in Python run by: install it there, or name another "
        "Python with --python",
        python_);
  }
  return package_ + "/serving/worker";
}

std::vector<std::string> PythonPlaces::module_folders() {
  const MutexLock lock(mutex_);
  look_up();
  return folders_;
}

}  // namespace forebay::serving
