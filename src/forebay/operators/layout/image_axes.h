// Where the axes of images, volumes and sequences lie, by their layout's names: D, H, W are space, C the
// channels, F the frames.
#pragma once

#include "forebay/base/status.h"
#include "forebay/operators/sample.h"

namespace forebay::operators {

/// The layout of `spec`; where it names none, that of an image by its rank: HW, HWC, `rank4`. An empty layout
/// when nothing fits.
Layout layout_or_guess(const TensorSpec& spec, Layout rank4 = "DHWC");

/// The axes of space as one run, with everything before them as a row of equal blocks and the channels, if
/// they come last, behind: any layout of images as `outer` blocks of spatial extents x channels.
struct SpatialAxes {
  int first = 0;         // axis of the outermost of them
  int count = 0;         // 2: H W; 3: D H W
  int64_t outer = 1;     // blocks: frames, and planes where channels come before space
  int64_t channels = 1;  // interleaved in a block
  Layout layout;         // of the whole tensor, guessed where it was not given
};

/// For layouts HW, HWC, CHW, FHWC, FCHW, CFHW, DHW, DHWC, CDHW and these behind F or C; invalid_argument
/// naming the operator's choices otherwise.
Result<SpatialAxes> find_spatial_axes(const TensorSpec& spec, Layout rank4 = "FHWC");

}  // namespace forebay::operators
