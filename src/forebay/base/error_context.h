// What the error of a sample names. Each layer adds the parts it knows: the store the object, the reader the
// offset, the executor the position and the operator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/base/status.h"

namespace forebay {

/// Where a sample's bytes are.
struct SampleOrigin {
  std::string object;         // path or URI of the object; empty for samples that were fed rather than read
  uint64_t offset_bytes = 0;  // offset of the sample's first byte in the object
  uint64_t size_bytes = 0;    // 0 if unknown
};

struct ErrorContext {
  int64_t epoch = -1;         // -1: unknown
  int64_t position = -1;      // position in the epoch's global order; -1: unknown
  int64_t sample_index = -1;  // index in the data set; -1: unknown
  SampleOrigin origin;
  std::string operator_name;  // the user's name for it, else its type
  bool is_read = false;       // the operator is a reader, and its data could not be had
};

/// Attaches `context` to `status` and puts it into words in front of the text. OK stays OK. A context that is
/// already attached is completed, never overwritten.
Status with_context(const Status& status, const ErrorContext& context);

/// The context attached to an error, if any.
std::optional<ErrorContext> context_of(const Status& status);

/// The text of an error without the words added by its context.
std::string cause_of(const Status& status);

/// The error without its context and the words of it.
Status without_context(const Status& status);

}  // namespace forebay
