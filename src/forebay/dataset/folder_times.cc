#include "forebay/dataset/folder_times.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace forebay::dataset {
namespace {

namespace fs = std::filesystem;

class Folders {
 public:
  explicit Folders(const fs::path& index_file)
      : home_(fs::absolute(index_file).lexically_normal().parent_path()),
        written_(fs::last_write_time(index_file, error_)) {}

  bool is_newer(const fs::path& folder) {
    if (error_ || fs::absolute(folder).lexically_normal() == home_) {
      return false;
    }
    std::error_code error;
    const fs::file_time_type changed = fs::last_write_time(folder, error);
    return !error && changed > written_;
  }

 private:
  std::error_code error_;
  fs::path home_;
  fs::file_time_type written_;
};

}  // namespace

bool folders_are_newer(const storage::ObjectAddress& root, const storage::ObjectAddress& index) {
  const std::optional<std::string> top = root.store->local_file(root.key);
  const std::optional<std::string> index_file = index.store->local_file(index.key);
  if (!top || !index_file) {
    return false;
  }
  Folders folders(*index_file);
  // Without the "/" at its end: a path and its folder are then one.
  const fs::path top_folder = fs::path(*top + "/.").lexically_normal().parent_path();
  if (folders.is_newer(top_folder)) {
    return true;
  }
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(top_folder, error)) {
    if (entry.is_directory(error) && folders.is_newer(entry.path())) {
      return true;
    }
  }
  return false;
}

}  // namespace forebay::dataset
