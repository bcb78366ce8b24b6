// Batches as arrays that are computed later: the arrays' tasks depend on the samples' tasks, nobody waits,
// and nothing is copied if a batch is contiguous.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "forebay/ndarray/array.h"
#include "forebay/pipeline/session/session.h"

namespace forebay::calls {

/// Returns the next batch of the session at once, one array per output. `specs` gives the arrays' shapes
/// (samples first) and types: if the batch differs, or is broken, its arrays carry the error. The session
/// must run on the process's engine (SessionOptions::engine null), as arrays do; otherwise
/// failed_precondition. Other errors as for Session::run_later(). If arrays run in the naive engine
/// (ndarray/runtime.h) it waits for the batch and returns its errors; `interrupted` is called as in
/// Session::run(). `kept` lives until the batch has been handed over.
Result<ndarray::Arrays> run_arrays(pipeline::Session& session, std::span<const ndarray::ArraySpec> specs,
                                   const std::function<bool()>& interrupted = {},
                                   std::shared_ptr<const void> kept = nullptr);

}  // namespace forebay::calls
