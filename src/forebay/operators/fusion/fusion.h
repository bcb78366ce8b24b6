// Fusion: a chain of operators in which each feeds only the next becomes one operator that never holds what
// lies between. The rows of an image go from the decoder through the resampler, normalised and mirrored, to
// their place in the batch.
//
// A fused operator gives the same bits as its chain. It may find at run time that a sample does not suit
// (another layout, type or number of channels); it then runs the steps one after the other, with scratch
// memory between them.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "forebay/operators/operator.h"

namespace forebay::operators {

/// An operator of a chain. Its input 0 is the output of the step before; it has no other inputs and no other
/// outputs.
struct FusionStep {
  const OperatorSpec* spec = nullptr;
  std::shared_ptr<const Operator> op;
  /// The fused operator's argument slot that is this step's slot 0; the step's slots follow each other.
  int first_slot = 0;
  int num_slots = 0;
  // For its random numbers: the fused operator draws for each step what that step would draw alone.
  uint64_t seed = 0;
  uint64_t operator_key = 0;
  std::string name;  // for errors: the user's, else the operator's
};

struct Fusion {
  std::shared_ptr<const Operator> op;  // null: the first steps cannot be fused
  const char* name = "";               // of what was made, for explain(): "_fused.decode_resize_normalize"
  int count = 0;                       // steps that it covers, from the first on
};

/// The longest fusable beginning of `chain`. Takes the inputs of the first step, gives the output of the last
/// covered. Fusable: a decoder and a resize or random_resized_crop; either or both of these and
/// crop_mirror_normalize.
Fusion fuse(std::span<const FusionStep> chain);

}  // namespace forebay::operators
