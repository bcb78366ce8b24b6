// Finds the axes of images, volumes and sequences by the names in their layout: D, H, W are spatial, C are
// channels, F are frames.
#pragma once

#include "forebay/base/status.h"
#include "forebay/operators/sample.h"

namespace forebay::operators {

/// The layout of `spec`; if it has none, that of an image of its rank: HW, HWC, `rank4`. Empty if nothing
/// fits.
Layout layout_or_guess(const TensorSpec& spec, Layout rank4 = "DHWC");

/// The spatial axes as one run, with everything before them as a number of equal blocks, and the channels
/// behind them if they come last: treats any image layout as `outer` blocks of spatial extents x channels.
struct SpatialAxes {
  int first = 0;         // the outermost spatial axis
  int count = 0;         // 2: H W; 3: D H W
  int64_t outer = 1;     // number of blocks: frames, and planes if channels come before the spatial axes
  int64_t channels = 1;  // interleaved in a block
  Layout layout;         // of the whole tensor; guessed if it was not given
};

/// For the layouts HW, HWC, CHW, FHWC, FCHW, CFHW, DHW, DHWC, CDHW, and these behind F or C; otherwise
/// invalid_argument that lists the operator's choices.
Result<SpatialAxes> find_spatial_axes(const TensorSpec& spec, Layout rank4 = "FHWC");

}  // namespace forebay::operators
