// What earlier readers have left of the epochs in which they stopped, over all ranks: ranges of positions of
// each of these epochs' orders. The readers that go on divide what is left, however many they are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/storage/planned_items.h"

namespace forebay::dataset {

/// Immutable; thread safe.
class EpochRests {
 public:
  /// invalid_argument for ranges that overlap, are not in order, or lie in no such epoch of `dataset_size`
  /// samples.
  static Result<EpochRests> create(const storage::StreamBegin& begin, uint64_t dataset_size);

  uint64_t first_epoch() const { return begin_.first_epoch; }
  /// From here on nothing was read yet.
  uint64_t first_whole_epoch() const { return begin_.first_whole_epoch; }
  bool is_partial(uint64_t epoch) const { return epoch < begin_.first_whole_epoch; }

  /// How many samples are left of a partial epoch; 0 before the first.
  uint64_t size(uint64_t epoch) const;
  /// The position of the sample that is the `place`-th of those left, `place` < size(epoch).
  uint64_t position_at(uint64_t epoch, uint64_t place) const;
  /// The inverse; nullopt for a position that was read.
  std::optional<uint64_t> place_of(uint64_t epoch, uint64_t position) const;
  /// Appends the ranges of positions of the places [begin, end).
  void append_parts(uint64_t epoch, uint64_t begin, uint64_t end,
                    std::vector<storage::EpochPart>* parts) const;

 private:
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t place = 0;  // of its first position
    uint64_t end_place() const { return place + end - begin; }
  };

  explicit EpochRests(const storage::StreamBegin& begin);
  const std::vector<Range>& ranges_of(uint64_t epoch) const;

  storage::StreamBegin begin_;
  std::vector<std::vector<Range>> epochs_;  // from the first one on
};

}  // namespace forebay::dataset
