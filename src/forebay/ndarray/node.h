// A node of the recorded graph. Internal to autograd.
#pragma once

#include <memory>

#include "forebay/ndarray/autograd.h"

namespace forebay::ndarray {

/// Either a recorded operation or a leaf, which is an array with a gradient. Nodes hold their inputs' nodes,
/// so a graph lives as long as any result of it.
class Node {
 public:
  OperationRef operation;  // null: a leaf
  Arrays inputs;           // with their history; without content if the operation does not keep it
  absl::InlinedVector<ArraySpec, 2> input_specs;
  absl::InlinedVector<Region, 1> outputs;  // only those that the operation keeps
  ArraySpecs output_specs;
  // How often what is kept had been written before, to tell whether it was written since. 0 where nothing is.
  absl::InlinedVector<uint64_t, 2> input_writes;
  absl::InlinedVector<uint64_t, 1> output_writes;
  bool leads_to_leaf = true;  // by a path whose gradient is not zero everywhere
  bool is_released = false;   // released by backward()
  bool was_training = false;

  Array gradient;  // for a leaf
  GradientMode mode = GradientMode::kNone;
  bool is_fresh = false;  // backward() has stored a gradient since this was last reset

  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();
};

}  // namespace forebay::ndarray
