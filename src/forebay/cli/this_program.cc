#include "forebay/cli/this_program.h"

#include <filesystem>
#include <system_error>

namespace forebay::cli {

std::string this_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace forebay::cli
