// Reads /proc/self/exe: PREFIX/bin/job, PREFIX/libexec/job and PREFIX/lib/forebay/job all lead to
// PREFIX/bin/forebay.
#include "forebay/assembly/programs.h"

#include <filesystem>
#include <system_error>

namespace forebay::assembly {

std::vector<std::string> programs_beside_this() {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return {};
  }
  const std::filesystem::path folder = own.parent_path();
  const std::filesystem::path prefix = folder.parent_path();
  return {(folder / "forebay").string(), (prefix / "bin" / "forebay").string(),
          (prefix.parent_path() / "bin" / "forebay").string()};
}

}  // namespace forebay::assembly
