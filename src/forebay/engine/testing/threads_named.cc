#include "forebay/engine/testing/threads_named.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace forebay::engine::testing {

int threads_named(std::string_view wanted) {
  int threads = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::ifstream(entry.path() / "comm") >> name;
    threads += name == wanted ? 1 : 0;
  }
  return threads;
}

}  // namespace forebay::engine::testing
