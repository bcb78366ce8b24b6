#include "forebay/kernels/linear_algebra/with_variable.h"

#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <optional>
#include <vector>

namespace forebay::kernels {
namespace {

/// A copy of the process's list, which a thread in getenv() may still be reading when it is no longer in use.
struct Environment {
  explicit Environment(const std::string& variable) : first(variable), entries{first.data()} {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      entries.push_back(*entry);
    }
    entries.push_back(nullptr);
  }

  std::string first;  // getenv() takes the first of a name
  std::vector<char*> entries;
};

}  // namespace

void with_variable(const std::string& variable, absl::FunctionRef<void()> work) {
  static auto& kept = *new std::deque<Environment>;
  const std::string name = variable.substr(0, variable.find('='));
  const char* const found = std::getenv(name.c_str());
  const std::optional<std::string> before =
      found == nullptr ? std::nullopt : std::optional<std::string>(found);
  Environment& added = kept.emplace_back(variable);
  environ = added.entries.data();
  work();
  if (environ == added.entries.data()) {
    // The rest of the same list: what others have replaced or removed in it meanwhile stays so, and theirs
    // from before may be gone.
    environ = added.entries.data() + 1;
    return;
  }
  unsetenv(name.c_str());  // another thread has added a variable, in a copy of the list
  if (before) {
    setenv(name.c_str(), before->c_str(), 1);
  }
}

}  // namespace forebay::kernels
