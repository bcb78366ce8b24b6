// Reverse-mode differentiation of what was recorded (autograd.h), with the semantics of MXNet's
// `mx.autograd`: backward() fills the gradients of the leaves and releases the graph.
//
// Thread safety: a graph may be built and differentiated on different threads, but not at the same time.
#pragma once

#include <span>

#include "forebay/ndarray/autograd.h"

namespace forebay::ndarray {

struct BackwardOptions {
  bool retain_graph = false;  // keep what is needed to run backward again
  bool create_graph = false;  // record the operations of the gradients, for gradients of gradients
  bool train = true;          // the mode that operations see
};

/// Computes the gradients of all leaves that `heads` depend on. `head_gradients`: one per head (an invalid
/// array means ones), or none at all. failed_precondition if a head was not recorded or its graph has been
/// released.
Status backward(std::span<const Array> heads, std::span<const Array> head_gradients,
                const BackwardOptions& options = {});

/// Returns the gradients with respect to `variables` (zeros if the heads do not depend on one) without
/// storing them.
Result<Arrays> gradients_of(std::span<const Array> heads, std::span<const Array> variables,
                            std::span<const Array> head_gradients, const BackwardOptions& options = {});

}  // namespace forebay::ndarray
