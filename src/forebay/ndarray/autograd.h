// Reverse-mode differentiation over recorded operations. The semantics are MXNet's `mx.autograd`: a thread
// records or does not, and trains or predicts; arrays that were given a gradient are leaves; backward() fills
// the gradients of the leaves and lets the graph go.
//
// Thread safety: the modes are of the calling thread. A graph may be built and run backward on different
// threads, not at once.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "absl/types/span.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

bool is_recording();
bool is_training();
/// Both give the value before.
bool set_recording(bool on);
bool set_training(bool on);

/// What backward does with the gradient of a leaf.
enum class GradientMode : uint8_t { kNone, kWrite, kAdd };

/// Makes `array` a leaf: its history is dropped, and backward() writes or adds to `gradient`, which has its
/// spec. Other handles made from the array before are not concerned.
Status mark_variable(Array& array, const Array& gradient, GradientMode mode);
/// The gradient of a leaf; an invalid array for others.
Array gradient_of(const Array& array);

/// True when backward() has stored the gradient of the leaf since it was last set false; false for other
/// arrays. What a trainer uses to find gradients that were not computed.
bool gradient_is_fresh(const Array& array);
void set_gradient_fresh(const Array& array, bool is_fresh);

struct BackwardOptions {
  bool retain_graph = false;  // keep what is needed to do it again
  bool create_graph = false;  // record the gradients' own operations, for gradients of gradients
  bool train = true;          // the mode that operations see
};

/// Computes the gradients of all leaves that `heads` depend on. `head_gradients`: one a head, invalid: ones;
/// or none at all. failed_precondition when a head was not recorded or its graph has been let go.
Status backward(std::span<const Array> heads, std::span<const Array> head_gradients,
                const BackwardOptions& options = {});

/// The gradients with regard to `variables` (zeros where a head does not depend on one), which are returned,
/// not stored.
Result<Arrays> gradients_of(std::span<const Array> heads, std::span<const Array> variables,
                            std::span<const Array> head_gradients, const BackwardOptions& options = {});

// For apply().

/// Gives the outputs their history if the thread records and an input has one.
void record(OperationRef operation, std::span<const Array> inputs, absl::Span<Array> outputs);
/// failed_precondition when the thread records and an array involved has a history.
Status check_not_recorded(std::string_view name, std::span<const Array> inputs, const Array& output);

}  // namespace forebay::ndarray
