// Images that shrink so much that most of their columns are no output pixel's tap.
#pragma once

#include <cstdint>

#include "forebay/kernels/image/image_view.h"
#include "forebay/kernels/resampling/resample_axis.h"

namespace forebay::kernels {

/// One output row: its source rows and their weights.
struct SparseRow {
  const uint8_t* const* rows;
  const float* weights;
  int taps;
  int channels;
};

/// Whether resample_sparse() is the quicker way.
bool is_sparse(const ResampleAxis& horizontal);

/// The same bits as the vertical pass, then the horizontal one. 3 or 4 channels.
void resample_sparse(const ImageView<uint8_t>& in, const ResampleAxis& vertical,
                     const ResampleAxis& horizontal, const MutableImageView<uint8_t>& out);

}  // namespace forebay::kernels
