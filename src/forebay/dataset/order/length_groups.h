// Batches of samples of like length: a stream of samples rearranged within windows, so that padding them
// costs little. Khomenko et al., "Accelerating recurrent neural network training using sequence bucketing"
// (2016), is the idea; Hugging Face's `group_by_length` sorts windows of batches in the same way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::dataset {

/// The numbers [begin, end) of a stream.
struct StreamRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  friend bool operator==(const StreamRange&, const StreamRange&) = default;
};

/// Thread safe. Batches are those that begin at multiples of the batch size; windows are so many of them, but
/// none goes beyond its epoch. Within a window samples are sorted by length, and as they were where these are
/// equal; they make batches in that order, and the whole batches among them are permuted.
class LengthGroups {
 public:
  /// `lengths`: of each sample, in any unit; 8 bytes a sample are kept. `batch_size` and `window_batches` are
  /// at least 1.
  LengthGroups(std::shared_ptr<const std::vector<uint64_t>> lengths, uint64_t batch_size,
               uint64_t window_batches);

  /// Which samples, by number, a stream has that is not rearranged.
  using SampleAt = absl::FunctionRef<uint64_t(uint64_t k)>;

  /// The samples of a window, numbered from its begin.
  struct Window {
    StreamRange range;
    std::vector<uint32_t> before;  // of each number: where its sample stood before
    std::vector<uint32_t> after;   // the inverse
  };
  using Table = std::vector<uint32_t> Window::*;

  /// What `table` says of k: with kBefore where the stream's k-th sample stood before, with kAfter where the
  /// sample that was the k-th stands. `epoch` has the numbers of the epoch that k is of, and `key` is for its
  /// permutations; without one, batches stay sorted. The windows asked for last are kept; another one costs a
  /// sort of its samples.
  uint64_t number_in(Table table, uint64_t k, const StreamRange& epoch, std::optional<uint64_t> key,
                     SampleAt sample_at) const;
  static constexpr Table kBefore = &Window::before;
  static constexpr Table kAfter = &Window::after;

  /// The window that k is in.
  StreamRange window_range(uint64_t k, const StreamRange& epoch) const;

 private:
  std::shared_ptr<const Window> kept(const StreamRange& range) const;
  void keep(const std::shared_ptr<const Window>& window) const;
  std::shared_ptr<const Window> window_of(uint64_t k, const StreamRange& epoch, std::optional<uint64_t> key,
                                          SampleAt sample_at) const;
  std::vector<uint32_t> sorted(const StreamRange& range, SampleAt sample_at) const;
  std::vector<uint32_t> in_batches(const StreamRange& range, std::optional<uint64_t> key,
                                   const std::vector<uint32_t>& sorted) const;

  const std::shared_ptr<const std::vector<uint64_t>> lengths_;
  const uint64_t batch_size_;
  const uint64_t window_size_;

  mutable Mutex mutex_;
  /// Those asked for last, the last one first: of who reads, who fetches ahead, and of replays.
  mutable std::vector<std::shared_ptr<const Window>> kept_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::dataset
