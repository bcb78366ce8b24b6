// What a training job is going to read, in its order, as a preload brings it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/cache/preload/preload_source.h"
#include "forebay/dataset/index/indexed_source.h"

namespace forebay::control {

/// Which order: that of fn.readers with random_shuffle=True.
struct SampleOrderOptions {
  uint64_t seed = 0;
  uint64_t epoch = 0;
  uint32_t num_shards = 1;  // of the readers, which read side by side
};

/// The samples of an epoch as its readers reach them: the first of each shard, the second of each, and so on;
/// without the first `begin` of these. A mark is how many there were.
Result<std::unique_ptr<cache::PreloadSource>> sample_order(
    std::shared_ptr<const dataset::IndexedSource> samples, const SampleOrderOptions& options, uint64_t begin);

}  // namespace forebay::control
