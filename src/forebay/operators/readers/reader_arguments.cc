#include "forebay/operators/readers/reader_arguments.h"

#include <limits>
#include <string_view>

namespace forebay::operators {

Status ReaderArguments::check_order() const {
  constexpr int64_t kMaxShards = std::numeric_limits<uint32_t>::max();
  if (num_shards < 1 || num_shards > kMaxShards) {
    return invalid_argument("num_shards is {}; at least 1 is needed", num_shards);
  }
  if (shard_id < 0 || shard_id >= num_shards) {
    return invalid_argument("shard_id is {}; it must be in [0, {})", shard_id, num_shards);
  }
  if (bucket_by_length < 0 || bucket_by_length > std::numeric_limits<uint32_t>::max()) {
    return invalid_argument("bucket_by_length is {}; it is a number of batches, or 0", bucket_by_length);
  }
  if (shuffle_after_epoch && stick_to_shard) {
    return invalid_argument("`shuffle_after_epoch` and `stick_to_shard` cannot be given together");
  }
  if (shuffle_after_epoch && random_shuffle) {
    return invalid_argument("`shuffle_after_epoch` and `random_shuffle` cannot be given together");
  }
  if (shuffle && (random_shuffle || shuffle_after_epoch || stick_to_shard)) {
    const std::string_view other = random_shuffle        ? "random_shuffle"
                                   : shuffle_after_epoch ? "shuffle_after_epoch"
                                                         : "stick_to_shard";
    return invalid_argument("`shuffle` and `{}` cannot be given together", other);
  }
  return ok_status();
}

Result<dataset::OrderOptions> ReaderArguments::order_options(uint64_t seed, int64_t batch_size) const {
  if (batch_size < 1 || batch_size > std::numeric_limits<uint32_t>::max()) {
    return invalid_argument("the batch size is {}; at least 1 is needed", batch_size);
  }
  dataset::OrderOptions options;
  options.num_shards = static_cast<uint32_t>(num_shards);
  options.shard_id = static_cast<uint32_t>(shard_id);
  options.seed = seed;
  if (shuffle_after_epoch && shuffle_after_epoch_seed) {
    options.seed = static_cast<uint64_t>(*shuffle_after_epoch_seed);
  }
  options.random_shuffle = random_shuffle;
  options.shard_first = shuffle.has_value();
  options.shuffle_after_epoch = shuffle_after_epoch;
  options.stick_to_shard = stick_to_shard;
  options.pad_last_batch = pad_last_batch;
  options.batch_size = static_cast<uint32_t>(batch_size);
  options.bucket_by_length = static_cast<uint32_t>(bucket_by_length);
  return options;
}

}  // namespace forebay::operators
