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

Result<PythonPlaces::Places> PythonPlaces::look_up() const {
  FOREBAY_ASSIGN_OR_RETURN(const std::string answer,
                           run_python({"-c", kQuestion}, "looking up Python", {.python = python_}));
  const nlohmann::json said = nlohmann::json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (!said.is_object()) {
    return internal_error("{} answered {} about itself", python_, answer);
  }
  return Places{said.value("package", ""), said.value("folders", std::vector<std::string>())};
}

// What is missing may be installed while the server runs, so only what was found is kept.
Result<PythonPlaces::Places> PythonPlaces::places() {
  const MutexLock lock(mutex_);
  if (found_) {
    return *found_;
  }
  FOREBAY_ASSIGN_OR_RETURN(Places places, look_up());
  if (!places.package.empty()) {
    found_ = places;
  }
  return places;
}

Result<std::string> PythonPlaces::worker_folder() {
  FOREBAY_ASSIGN_OR_RETURN(const Places there, places());
  if (there.package.empty()) {
    return not_found(
        "{} has no package 'forebay', which models in Python run by: install it there, or name another "
        "Python with --python",
        python_);
  }
  return there.package + "/serving/worker";
}

std::vector<std::string> PythonPlaces::module_folders() {
  const Result<Places> there = places();
  return there.ok() ? there->folders : std::vector<std::string>();
}

}  // namespace forebay::serving
