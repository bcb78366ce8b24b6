// A step of the recorded graph. Internal to autograd.
#pragma once

#include <memory>

#include "forebay/ndarray/autograd.h"

namespace forebay::ndarray {

/// Either a recorded operation, or a leaf: an array that has a gradient. Nodes hold their inputs' nodes, so a
/// graph lives as long as a result of it.
class Node {
 public:
  OperationRef operation;  // null: a leaf
  Arrays inputs;           // with their history; without content where the operation does not keep it
  absl::InlinedVector<ArraySpec, 2> input_specs;
  absl::InlinedVector<Region, 1> outputs;  // as far as the operation keeps them
  ArraySpecs output_specs;
  bool is_released = false;  // backward() has let it go
  bool was_training = false;

  Array gradient;  // of a leaf
  GradientMode mode = GradientMode::kNone;
  bool is_fresh = false;  // backward() has stored a gradient since that was last said

  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();
};

}  // namespace forebay::ndarray
