// What autograd records, with the semantics of MXNet's `mx.autograd`: a thread records or does not, and
// trains or predicts; arrays that were given a gradient are leaves. backward/backward.h runs through it.
//
// Thread safety: the modes belong to the calling thread. A graph may be built and differentiated on different
// threads, but not at the same time.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "absl/types/span.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

bool is_recording();
bool is_training();
/// Both return the previous value.
bool set_recording(bool on);
bool set_training(bool on);

/// What backward does with the gradient of a leaf.
enum class GradientMode : uint8_t { kNone, kWrite, kAdd };

/// Makes `array` a leaf: its history is dropped, and backward() writes or adds to `gradient`, which must have
/// its spec. Other handles made from the array earlier are not affected.
Status mark_variable(Array& array, const Array& gradient, GradientMode mode);
/// The gradient of a leaf; an invalid array for other arrays.
Array gradient_of(const Array& array);

/// Whether backward() has stored the leaf's gradient since this was last set to false; false for other
/// arrays. Trainers use it to find gradients that were not computed.
bool gradient_is_fresh(const Array& array);
void set_gradient_fresh(const Array& array, bool is_fresh);

// Used by apply().

/// Gives the outputs a history if the thread records and an input has one.
void record(OperationRef operation, std::span<const Array> inputs, absl::Span<Array> outputs);
/// Whether the array's gradient leads to that of a leaf.
bool leads_to_leaf(const Array& array);
/// failed_precondition if the thread records and one of the arrays has a history.
Status check_not_recorded(std::string_view name, std::span<const Array> inputs, const Array& output);

}  // namespace forebay::ndarray
