// What nodes of the recorded graph keep for the backward pass: whether it is still what was recorded.
// Internal to autograd.
#pragma once

#include "forebay/ndarray/autograd.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// Makes sure that what the gradients of the wanted inputs read is as it was recorded.
/// failed_precondition, with the operation and the operand, if it was written.
Status check_unchanged(const Node& node, Places wanted);

}  // namespace forebay::ndarray
