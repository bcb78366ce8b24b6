// What happens to a batch with broken samples, and the record of errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/error_context.h"
#include "forebay/base/status.h"

namespace forebay::pipeline {

enum class OnError {
  kRaise,  // the batch fails with the error of its first broken sample; the next run() returns the next batch
  // Leaves a hole: the batch is shorter, positions do not shift; never empty (one replacement is used then).
  kSkip,
  kReplace,  // another sample is used instead, drawn from (seed, epoch, position, attempt)
};

/// Whether an error is the sample's own: it is damaged, or not there. An error that says nothing of it (what
/// holds it cannot be reached or does not let us in, this process has no descriptor left) fails the batch
/// under every policy.
bool is_of_sample(const Status& error);

Result<OnError> on_error_of(std::string_view name);  // "raise", "skip", "replace"
std::string_view name_of(OnError policy);

struct SampleError {
  ErrorContext context;
  std::string cause;
  std::string action;  // "raised", "skipped", "replaced by index 17"
};

/// The errors met by delivered batches, in order of delivery. Keeps the first kMaxKept and counts all.
class ErrorLog {
 public:
  static constexpr size_t kMaxKept = 10000;

  void add(const Status& error, std::string action);
  const std::vector<SampleError>& errors() const { return errors_; }
  uint64_t count() const { return count_; }

 private:
  std::vector<SampleError> errors_;
  uint64_t count_ = 0;
};

}  // namespace forebay::pipeline
