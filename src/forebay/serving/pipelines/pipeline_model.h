// A saved pipeline as a model: each row of a request is a sample of its own, run by a RequestSession.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/units.h"
#include "forebay/serving/inference/model.h"

namespace forebay::serving {

struct PipelineModelOptions {
  std::string name;
  std::string version = "1";
  int num_threads = 1;       // most workers that run its samples at once
  int most_under_way = 256;  // samples without an answer; a request that would make it more is refused
  uint64_t most_bytes_under_way = kGiB;  // of inputs
  int max_batch_size = -1;  // below 0: that of the saved pipeline; 0: requests have no extent of the batch
  uint64_t memory_limit_bytes = 0;        // 0: none
  std::vector<std::string> output_names;  // empty: the names of the nodes that give them
};

/// `saved`: what Pipeline.serialize() of the Python package gave. invalid_argument where it is not that, and
/// unimplemented, naming the operator, where its graph cannot answer single samples: readers, operators on
/// whole batches, Python functions.
///
/// Inputs are the external sources, by name. One that feeds a decoder, and declares no type, is BYTES: an
/// encoded file a row; it also takes UINT8 of one more extent. The key of row i of a request is the request's
/// key + i, so that the rows of one request draw what the first samples of a batch in training draw. Inputs
/// are lent, not copied. An output of one row is not copied either; several rows are copied behind each other
/// and must have one shape.
Result<std::shared_ptr<Model>> make_pipeline_model(std::string_view saved, PipelineModelOptions options);

}  // namespace forebay::serving
