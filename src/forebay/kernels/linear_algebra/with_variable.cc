#include "forebay/kernels/linear_algebra/with_variable.h"

#include <unistd.h>

#include <cstdlib>
#include <deque>
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
  Environment& added = kept.emplace_back(variable);
  char** const before = environ;
  environ = added.entries.data();
  work();
  if (environ == added.entries.data()) {
    environ = before;
  } else {  // another thread has set a variable, in a copy of the list
    unsetenv(variable.substr(0, variable.find('=')).c_str());
  }
}

}  // namespace forebay::kernels
