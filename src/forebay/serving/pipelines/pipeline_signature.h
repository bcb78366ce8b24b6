// What goes into a saved pipeline and what comes out of it, as the protocol describes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/pipeline/graph/graph.h"
#include "forebay/pipeline/plan/plan.h"
#include "forebay/serving/inference/inference.h"
#include "forebay/tensor/layout.h"

namespace forebay::serving {

/// Output `output` of the external source `node`.
struct PipelineInput {
  int node = -1;
  int output = 0;
  std::string name;
  Datatype datatype = Datatype::kBytes;
  bool is_declared = false;  // else any datatype does
  tensor::Layout layout;     // declared; of a sample
};

struct PipelineSignature {
  std::vector<PipelineInput> inputs;  // by node, then output
  std::vector<TensorMetadata> outputs;
};

/// Shapes have the extent of the batch in front where `has_batch`. invalid_argument where `output_names` has
/// another length than the graph has outputs, and where an input has no name.
Result<PipelineSignature> signature_of(const pipeline::Graph& graph, bool has_batch,
                                       const std::vector<std::string>& output_names);

/// The metadata of the inputs of a signature.
std::vector<TensorMetadata> metadata_of(const std::vector<PipelineInput>& inputs,
                                        const pipeline::Graph& graph, bool has_batch);

}  // namespace forebay::serving
