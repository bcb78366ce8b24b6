// Images that shrink so much that most source columns are not a tap of any output pixel.
#pragma once

#include <cstdint>

#include "forebay/kernels/pixels/image_view.h"
#include "forebay/kernels/resampling/resample_axis.h"

namespace forebay::kernels {

/// One output row: its source rows and their weights.
struct SparseRow {
  const uint8_t* const* rows;
  const float* weights;
  int taps;
  int channels;
};

/// Whether resample_sparse() is faster.
bool is_sparse(const ResampleAxis& horizontal);

/// Gives the same bits as the vertical pass followed by the horizontal one. 3 or 4 channels.
void resample_sparse(const ImageView<uint8_t>& in, const ResampleAxis& vertical,
                     const ResampleAxis& horizontal, const MutableImageView<uint8_t>& out);

}  // namespace forebay::kernels
