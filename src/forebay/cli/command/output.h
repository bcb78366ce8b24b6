// Standard output of commands that print much: buffered, and quiet when nobody reads on (`| head`).
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::cli {

/// Not thread safe. The process ignores SIGPIPE from now on.
class Output {
 public:
  Output();
  /// Writes what is left; errors are lost, so call flush() first.
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void print(std::string_view text);
  /// Bytes as they are, without a copy where there are many.
  void print(Bytes bytes);
  /// An error other than a closed pipe.
  Status flush();
  /// True once writing has failed or the reader has gone: there is no use in going on.
  bool is_closed() const { return is_closed_; }

 private:
  void write_out(Bytes bytes);

  std::string buffer_;
  Status status_;
  bool is_closed_ = false;
};

}  // namespace forebay::cli
