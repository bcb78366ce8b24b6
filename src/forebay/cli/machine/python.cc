#include "forebay/cli/machine/python.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>

namespace forebay::cli {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_program(const std::string& called_as, const std::string& search_path) {
  if (called_as.find('/') != std::string::npos) {
    return fs::path(called_as).parent_path();
  }
  std::error_code error;
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && fs::exists(fs::path(folder) / called_as, error)) {
      return folder;
    }
  }
  return {};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

fs::path find_python(const std::string& called_as, const std::string& search_path,
                     const std::string& environment) {
  std::error_code error;
  const fs::path folder = folder_of_program(called_as, search_path);
  if (!folder.empty() && fs::exists(folder / "python", error)) {
    return folder / "python";
  }
  const fs::path of_environment = fs::path(environment) / "bin" / "python";
  return !environment.empty() && fs::exists(of_environment, error) ? of_environment : fs::path("python3");
}

fs::path own_python() {
  return find_python(program_invocation_name, variable("PATH"), variable("VIRTUAL_ENV"));
}

Status become_python(std::vector<std::string> arguments) {
  std::string python = own_python().string();
  std::vector<char*> words = {python.data()};
  for (std::string& argument : arguments) {
    words.push_back(argument.data());
  }
  words.push_back(nullptr);
  execvp(python.c_str(), words.data());
  return errno_status(errno, python);
}

}  // namespace forebay::cli
