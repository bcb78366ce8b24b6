// An open file and what is known of it.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/status.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Closes when it goes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int get() const { return number_; }

 private:
  int number_ = -1;
};

struct OpenFile {
  Descriptor descriptor;
  struct stat status {};
};

/// Opens a regular file for reading; invalid_argument for anything else. Never waits for a pipe's other end.
Result<OpenFile> open_file(const std::string& path, std::string_view uri);

ObjectStat object_stat_of(const struct stat& status, std::string key);

/// Writes all of `content`.
Status write_all(int descriptor, Bytes content, std::string_view uri);

/// Whether a path below some root leads out of it by "..".
bool leaves_root(std::string_view key);

/// Makes `path` and what is above it.
Status make_directories(const std::string& path);

/// Files being written have names that begin with this; they are never listed.
inline constexpr std::string_view kTemporaryPrefix = ".forebay-tmp-";

}  // namespace forebay::storage
