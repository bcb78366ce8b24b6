// What all readers share: how a data set is cut into shards, shuffled and padded, and hints about reading.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "forebay/dataset/files/file_index.h"
#include "forebay/dataset/index/indexed_source.h"
#include "forebay/dataset/order/order.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

struct ReaderArguments {
  bool random_shuffle = false;
  std::optional<std::string> shuffle;  // of readers of shards
  int64_t num_shards = 1;
  int64_t shard_id = 0;
  bool stick_to_shard = false;
  bool pad_last_batch = false;
  bool shuffle_after_epoch = false;
  int64_t bucket_by_length = 0;
  std::optional<int64_t> shuffle_after_epoch_seed;

  Status check_order() const;
  /// The order of the whole data set as these arguments divide it; the caller fills in dataset_size.
  Result<dataset::OrderOptions> order_options(uint64_t seed, int64_t batch_size) const;
};

/// A reader is a face of a source: its parameters are the source's Options, which `check` refuses and `make`
/// opens, for an order in which they will be read where that matters. To add one, describe its parameters:
///   struct ReadersFile : Reader<dataset::FileSourceOptions, dataset::make_file_source> {};
/// It has one output, unless it declares `int num_outputs() const`.
template <class Options, auto make>
struct Reader : ReaderArguments, Options {
  Status prepare(const Arguments&) const {
    FOREBAY_RETURN_IF_ERROR(check_order());
    return check(static_cast<const Options&>(*this));
  }
  Status run(Sample&) const { return internal_error("a reader is read through its source"); }
  Result<std::shared_ptr<dataset::Source>> open_source(const dataset::OrderOptions& order) const {
    const Options& options = *this;
    if constexpr (requires { make(options, order); }) {
      return make(options, order);
    } else {
      return make(options);
    }
  }
};

template <class Reader>
void add_reader_arguments(Description<Reader>& description) {
  using A = ReaderArguments;
  const std::string hint = "Accepted for compatibility; has no effect on results.";
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
          "bucket_by_length", &A::bucket_by_length,
          "Makes batches of samples of like length, so that padding them costs little: this many batches at "
          "a "
          "time, 100 for example, are sorted by length (durations of a manifest that has them all, else "
          "bytes "
          "as stored), and then, if samples are shuffled, the batches among them. 0: samples come as they do "
          "without. What an epoch reads stays the same. The order depends on the batch size then, "
          "the pipeline has no other reader, and its state cannot be divided between another number of "
          "shards. "
          "Not in DALI.")
      .param(
          "index_file", &dataset::SourceOptions::index_file,
          "Where the index of samples is kept: opened when it is there and fits, else written. Whether it "
          "fits is told by the versions of folders and of up to 256 of the files; an index of which a read "
          "finds a file changed is removed, and so made anew at the next start; files added to a folder "
          "that is not on a disk are not noticed. Without it, shards are scanned at each start, or once if "
          "the host's cache, or a directory that the environment variable FOREBAY_CACHE_DIR names, keeps "
          "what was found.")
      .ignored("initial_fill", int64_t{1024}, "Accepted for compatibility; shuffling is always global.")
      .ignored("prefetch_queue_depth", int64_t{1}, hint)
      .ignored("tensor_init_bytes", int64_t{1048576}, hint)
      .ignored("read_ahead", false, hint)
      .ignored("skip_cached_images", false, hint)
      .ignored("lazy_init", false, hint)
      .ignored("dont_use_mmap", false, hint);
}

/// For readers of samples that are stored in shards, many to a file.
template <class Reader>
void add_shard_arguments(Description<Reader>& description) {
  description
      .param(
          "shuffle", &ReaderArguments::shuffle,
          "\"shard_first\": each epoch goes through the files in a new random order, and through the samples "
          "of each in one, so that a few files at a time are read, and a cache needs to hold no more; parts "
          "are made of whole files as far as that divides the samples evenly. Not with `random_shuffle`, "
          "`shuffle_after_epoch` or `stick_to_shard`. Not in DALI.")
      .choices({"shard_first"});
}

/// For readers of one kind of file, without labels: where the files are named.
template <class Reader>
void add_listing(Description<Reader>& description) {
  using A = dataset::FileListing;
  description
      .param(
          "file_root", &A::file_root,
          "Folder that is read with its subfolders; with `files` or `file_list`, what paths are relative to.")
      .param("file_list", &A::file_list, "File with a path a line.")
      .param("files", &A::files, "Paths of the files.");
}

}  // namespace forebay::operators
