#include "forebay/storage/remote/small_file.h"

#include <cerrno>
#include <cstdio>
#include <memory>

namespace forebay::storage {

Result<std::optional<std::string>> read_small_file(const std::string& path, size_t most_bytes) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "re"), close);
  if (file == nullptr) {
    const bool is_absent = errno == ENOENT || errno == ENOTDIR;
    return is_absent ? Result<std::optional<std::string>>(std::nullopt) : errno_status(errno, path);
  }
  std::string text(most_bytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) {
    return errno_status(errno, path);
  }
  if (text.size() > most_bytes) {
    return data_loss("{}: over {} bytes, which is too much for a file of its kind", path, most_bytes);
  }
  return std::optional<std::string>(std::move(text));
}

}  // namespace forebay::storage
