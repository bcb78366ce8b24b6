// Blobs: connected elements of equal labels in a mask of any rank. Elements are connected that differ by one
// in one coordinate.
#pragma once

#include <array>

#include "forebay/memory/host/scratch.h"
#include "forebay/operators/sample.h"

namespace forebay::operators {

/// The smallest box about a blob: [low, high) on each axis.
struct Blob {
  int64_t label = 0;
  std::array<int32_t, tensor::kMaxRank> low{};
  std::array<int32_t, tensor::kMaxRank> high{};

  int64_t volume(int rank) const;
};

/// invalid_argument unless the mask holds integers or bools and has at least one axis.
Status check_mask(const Tensor& mask);

/// The blobs of all labels but `background`, in the order of their first elements, of a mask that has been
/// checked. Takes working memory by the number of runs of equal labels, not of elements.
memory::ScratchVector<Blob> find_blobs(const Tensor& mask, int64_t background);

}  // namespace forebay::operators
