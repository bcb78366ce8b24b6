// Enumerations that users pass to operators. The numbers are DALI's, so saved values agree.
#pragma once

#include <cstdint>

namespace forebay::operators {

/// DALIImageType.
enum class ImageType : int64_t { kRGB = 0, kBGR = 1, kGRAY = 2, kYCbCr = 3, kAnyData = 4 };

/// DALIInterpType.
enum class InterpType : int64_t {
  kNearest = 0,
  kLinear = 1,
  kCubic = 2,
  kLanczos3 = 3,
  kTriangular = 4,
  kGaussian = 5,
};

}  // namespace forebay::operators
