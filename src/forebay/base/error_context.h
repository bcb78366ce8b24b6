// What the error of a sample names. The parts are filled by whoever knows them on the way up: the store the
// object, the reader the offset, the executor the position and the operator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/base/status.h"

namespace forebay {

/// Where a sample's bytes lie.
struct SampleOrigin {
  std::string object;         // path or URI of the object; empty for samples that were fed, not read
  uint64_t offset_bytes = 0;  // first byte of the sample within the object
  uint64_t size_bytes = 0;    // 0 when unknown
};

struct ErrorContext {
  int64_t epoch = -1;         // -1: unknown
  int64_t position = -1;      // global place in the epoch; -1: unknown
  int64_t sample_index = -1;  // index within the data set; -1: unknown
  SampleOrigin origin;
  std::string operator_name;  // as the user named it, else its type
};

/// `status` with `context` attached and put into words before its text. OK stays OK. A context that is
/// already attached is completed, never overwritten.
Status with_context(const Status& status, const ErrorContext& context);

/// The context attached to an error, if any.
std::optional<ErrorContext> context_of(const Status& status);

/// The text of an error without the words that its context added.
std::string cause_of(const Status& status);

}  // namespace forebay
