// A command that goes on in a process of its own.
#pragma once

#include <string>
#include <utility>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"

namespace forebay::cli {

/// The two sides of a process that went to the background.
class Background {
 public:
  /// Forks. Call it before any thread is started. The child has a session of its own, no standard input, and
  /// writes to `log`, which begins anew (the former one is kept as `log`.old) when it has grown long.
  static Result<Background> enter(const std::string& log);

  /// The other one's side, for what goes on in its process after exec().
  static Background other_one(FileDescriptor pipe) { return Background(false, std::move(pipe)); }
  /// The descriptor of its pipe.
  int pipe() const { return pipe_.get(); }

  /// In the process that was started: what it began is done by the other one.
  bool is_starter() const { return is_starter_; }
  /// The starter's: waits until the other one is ready. Its error if it cannot be; unavailable if it ended
  /// without a word.
  Status wait() const;
  /// The other one's: says how its start went. Once. False if the starter has ended before, as when Ctrl-C
  /// came; where SIGPIPE is not ignored, that ends this process.
  bool tell(const Status& status);

 private:
  Background(bool is_starter, FileDescriptor pipe) : is_starter_(is_starter), pipe_(std::move(pipe)) {}

  bool is_starter_;
  FileDescriptor pipe_;
};

}  // namespace forebay::cli
