// In which order DALI resamples the axes of a region. Where all filters are INTERP_NN this shows: the first
// pass counts places from the image's first pixel, the others from the region's, and they round differently.
#pragma once

#include <cstdint>
#include <span>

#include "forebay/operators/resampling/resize_plan.h"

namespace forebay::operators {

/// The first input pixel that is needed.
int64_t first_pixel(const ResizedAxis& axis);

/// The index of the axis, of up to three, outermost first, that DALI resamples first.
int first_pass(std::span<const ResizedAxis> axes);

}  // namespace forebay::operators
