// The job that the promises are about: files -> decode a random crop -> resize -> crop, mirror at random and
// normalise. As a pipeline, with the names that errors are looked up by: "reader", "decode", "resize",
// "normalize".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/pipeline/pipeline.h"

namespace forebay::end_to_end {

using Arguments = std::vector<std::pair<std::string, pipeline::Argument>>;

/// Where samples come from: a reader and its arguments; its output 0 is the encoded image, output 1 a label.
struct Input {
  std::string reader = "readers.file";
  Arguments arguments;
};

struct JobOptions {
  PipelineOptions pipeline{.batch_size = 8, .num_threads = 2, .seed = 7};
  int64_t size = 32;                // of the delivered square
  bool returns_everything = false;  // also the decoded and the resized images
  int64_t max_pixels = 0;           // 0: the decoder's own
  int64_t shard_id = 0;
  int64_t num_shards = 1;
  bool shuffles = true;
  bool permutes = false;  // a batch operator at the end, which turns each batch around
};

Input files_input(std::vector<std::string> files);

/// Built: the reader is open, nothing was read.
Result<std::unique_ptr<Pipeline>> open_job(Input input, const JobOptions& options);

/// A delivered sample, in few bytes: who it is, and a hash of its pixels and label.
struct SampleHash {
  int64_t epoch = 0;
  int64_t position = 0;
  int64_t sample_index = 0;
  uint64_t hash = 0;
  friend auto operator<=>(const SampleHash&, const SampleHash&) = default;
};

std::ostream& operator<<(std::ostream& out, const SampleHash& sample);

std::vector<SampleHash> hashes_of(const pipeline::Delivery& delivery);

}  // namespace forebay::end_to_end
