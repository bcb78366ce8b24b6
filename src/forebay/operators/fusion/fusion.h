// Fusion turns a chain of operators, each of which feeds only the next, into one operator without
// intermediate tensors. The rows of an image go from the decoder through the resampler, are normalised and
// mirrored, and end up in their place in the batch.
//
// A fused operator gives the same bits as its chain. If it finds at run time that a sample is unsuitable
// (another layout, type or number of channels), it runs the steps one after the other with scratch memory
// between them.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "forebay/operators/operator.h"

namespace forebay::operators {

/// An operator of a chain. Its input 0 is the previous step's output; it has no other inputs and only one
/// output.
struct FusionStep {
  const OperatorSpec* spec = nullptr;
  std::shared_ptr<const Operator> op;
  /// The fused operator's argument slot that is this step's slot 0; a step's slots are consecutive.
  int first_slot = 0;
  int num_slots = 0;
  // For random numbers: for each step, the fused operator draws what that step would draw alone.
  uint64_t seed = 0;
  uint64_t operator_key = 0;
  std::string name;  // for errors: the user's name for it, else the operator's
};

struct Fusion {
  std::shared_ptr<const Operator> op;  // null: the first steps cannot be fused
  const char* name = "";  // the name of the fused operator, for explain(): "_fused.decode_resize_normalize"
  int count = 0;          // how many steps it covers, from the first on
};

/// Fuses the longest possible prefix of `chain`. The result takes the inputs of the first step and gives the
/// output of the last one covered. Fusable: a decoder and a resize or random_resized_crop; either or both of
/// these and crop_mirror_normalize.
Fusion fuse(std::span<const FusionStep> chain);

}  // namespace forebay::operators
