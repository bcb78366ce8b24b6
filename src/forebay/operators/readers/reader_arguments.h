// Shared by all readers: how a data set is cut into shards, shuffled and padded, and hints about reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/dataset/index/indexed_source.h"
#include "forebay/dataset/order.h"

namespace forebay::operators {

struct ReaderArguments {
  bool random_shuffle = false;
  int64_t num_shards = 1;
  int64_t shard_id = 0;
  bool stick_to_shard = false;
  bool pad_last_batch = false;
  bool shuffle_after_epoch = false;
  std::optional<int64_t> shuffle_after_epoch_seed;
  std::string index_file;
  // Accepted for compatibility; no effect on results.
  int64_t initial_fill = 1024;
  int64_t prefetch_queue_depth = 1;
  int64_t tensor_init_bytes = 1048576;
  bool read_ahead = false;
  bool skip_cached_images = false;
  bool lazy_init = false;
  bool dont_use_mmap = false;

  Status check() const;
  /// The order of the whole data set as these arguments divide it; the caller fills in dataset_size.
  Result<dataset::OrderOptions> order_options(uint64_t seed, int64_t batch_size) const;
  /// Sets where the sample index is stored.
  void set_source_options(dataset::SourceOptions& options) const { options.index_file = index_file; }
};

template <class Description>
void add_reader_arguments(Description& description) {
  using A = ReaderArguments;
  const char* hint = "Accepted for compatibility; has no effect on results.";
  description
      .param("random_shuffle", &A::random_shuffle,
             "Reads the data set in a new random order each epoch: a permutation of all of it.")
      .param("num_shards", &A::num_shards, "Into how many parts the data set is cut.")
      .param("shard_id", &A::shard_id, "Which part this reader begins with.")
      .param("stick_to_shard", &A::stick_to_shard, "Reads the same part each epoch; else the next one.")
      .param("pad_last_batch", &A::pad_last_batch, "Fills an epoch's last batch with its last sample.")
      .param("shuffle_after_epoch", &A::shuffle_after_epoch,
             "Shuffles the data set for each epoch; parts do not rotate.")
      .param("shuffle_after_epoch_seed", &A::shuffle_after_epoch_seed,
             "Seed for that; else the reader's own.")
      .param(
          "index_file", &A::index_file,
          "Where the index of samples is kept: opened when it is there and fits, else written. Whether it "
          "fits is told by the versions of folders and of up to 256 of the files; files added to a folder "
          "that is not on a disk are not noticed. Without it, shards are scanned at each start, or once if "
          "the environment variable FOREBAY_CACHE_DIR names a directory for what was found.")
      .param("initial_fill", &A::initial_fill, "Accepted for compatibility; shuffling is always global.")
      .param("prefetch_queue_depth", &A::prefetch_queue_depth, hint)
      .param("tensor_init_bytes", &A::tensor_init_bytes, hint)
      .param("read_ahead", &A::read_ahead, hint)
      .param("skip_cached_images", &A::skip_cached_images, hint)
      .param("lazy_init", &A::lazy_init, hint)
      .param("dont_use_mmap", &A::dont_use_mmap, hint);
}

}  // namespace forebay::operators
