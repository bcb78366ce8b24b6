// Orders with bucket_by_length: the windows of a rank's stream, and where samples stand in them.
#include <algorithm>

#include "forebay/base/random/random.h"
#include "forebay/dataset/order/order.h"

namespace forebay::dataset {
namespace {

const uint64_t kBucketKey = hash64("dataset.order.bucket");

// A window is sorted as a whole, beside the samples that are being read.
constexpr uint64_t kMaxWindowBatches = 1 << 16;
constexpr uint64_t kMaxWindowSamples = 1 << 22;

}  // namespace

bool depends_on_batch_size(const OrderOptions& options) {
  return options.pad_last_batch || options.bucket_by_length != 0;
}

Status check_window(const OrderOptions& options) {
  if (options.bucket_by_length > kMaxWindowBatches ||
      uint64_t{options.batch_size} * options.bucket_by_length > kMaxWindowSamples) {
    return invalid_argument(
        "bucket_by_length is {} batches of {}; a window may have {} batches and {} samples at most",
        options.bucket_by_length, options.batch_size, kMaxWindowBatches, kMaxWindowSamples);
  }
  return ok_status();
}

StreamRange Order::range_of_epoch(uint64_t epoch) const {
  const uint64_t first = first_of_epoch(epoch);
  return {first, first + unpadded_samples_in_epoch(options_.shard_id, epoch)};
}

std::optional<uint64_t> Order::bucket_key(uint64_t epoch) const {
  const bool is_shuffled = options_.random_shuffle || options_.shard_first || options_.shuffle_after_epoch;
  return is_shuffled ? std::optional(random_key(options_.seed, epoch, kBucketKey)) : std::nullopt;
}

uint64_t Order::number_in(LengthGroups::Table table, uint64_t epoch, uint64_t k) const {
  if (groups_ == nullptr) {
    return k;
  }
  const auto index_at = [&](uint64_t number) { return index_of_n(epoch, n_of(epoch, number)); };
  return groups_->number_in(table, k, range_of_epoch(epoch), bucket_key(epoch), index_at);
}

uint64_t Order::next_read_or_earlier(uint64_t index, uint64_t from, uint64_t before) const {
  if (groups_ == nullptr || from >= before) {
    return next_read(index, from, before);
  }
  Order plain = *this;
  plain.groups_ = nullptr;
  const uint64_t epoch = epoch_of(from);
  const StreamRange window = groups_->window_range(from, range_of_epoch(epoch));
  uint64_t end = before;
  if (before !=
      kNeverRead) {  // a sample of the window that `before` is amid may come sooner than without buckets
    end = std::max(end, groups_->window_range(before - 1, range_of_epoch(epoch_of(before - 1))).end);
  }
  uint64_t plain_next = plain.next_read(index, window.begin, end);
  if (plain_next < window.end) {  // a window that somebody reads is at hand
    const uint64_t next = number_in(LengthGroups::kAfter, epoch, plain_next);
    if (next >= from) {
      return next < before ? next : kNeverRead;
    }
    plain_next = plain.next_read(index, window.end, end);
  }
  if (plain_next == kNeverRead) {
    return kNeverRead;
  }
  return groups_->window_range(plain_next, range_of_epoch(epoch_of(plain_next))).begin;
}

}  // namespace forebay::dataset
