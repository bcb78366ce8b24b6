// A folder of small files for pipeline tests, removed with the object. File i contains i as text, repeated i
// % 7 + 1 times.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace forebay::pipeline::testing {

class FileFolder {
 public:
  explicit FileFolder(int count) {
    std::string pattern = (std::filesystem::temp_directory_path() / "forebay_files_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
    for (int i = 0; i < count; ++i) {
      files_.push_back(path_ / ("file" + std::to_string(i) + ".jpg"));
      std::ofstream out(files_.back());
      for (int copy = 0; copy <= i % 7; ++copy) {
        out << i << ' ';
      }
    }
  }
  ~FileFolder() { std::filesystem::remove_all(path_); }

  std::vector<std::string> files() const { return {files_.begin(), files_.end()}; }
  void remove(int index) const { std::filesystem::remove(files_[index]); }

 private:
  std::filesystem::path path_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace forebay::pipeline::testing
