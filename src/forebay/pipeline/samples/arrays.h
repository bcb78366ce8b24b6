// Batches as arrays that are not there yet: the arrays' tasks depend on the samples' tasks, nobody waits, and
// no byte is copied where a batch lies in one piece.
#pragma once

#include <functional>
#include <span>

#include "forebay/ndarray/array.h"
#include "forebay/pipeline/session.h"

namespace forebay::pipeline {

/// The next batch of the session, an array an output, at once. `specs` promises their shapes (samples first)
/// and types: a batch that is otherwise, or broken, is the error of its arrays. The session must run on the
/// process's engine (SessionOptions::engine null), as arrays do; failed_precondition otherwise. Errors as
/// Session::run_later(). Where arrays run in the naive engine (ndarray/runtime.h) it waits for the batch,
/// whose errors it returns; `interrupted` is asked as by Session::run().
Result<ndarray::Arrays> run_arrays(Session& session, std::span<const ndarray::ArraySpec> specs,
                                   const std::function<bool()>& interrupted = {});

}  // namespace forebay::pipeline
