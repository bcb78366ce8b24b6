// Ownership of a file descriptor.
#pragma once

#include <utility>

namespace forebay {

/// Owns a file descriptor and closes it.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();

  /// Negative if there is none.
  int get() const { return number_; }
  bool is_valid() const { return number_ >= 0; }
  /// Hands the descriptor over to the caller, who must close it.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

}  // namespace forebay
