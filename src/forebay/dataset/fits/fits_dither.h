// The random numbers that are subtracted from floats before they are stored as integers (FITS standard 4.0,
// section 10.2 and appendix I).
#pragma once

#include <cstdint>

namespace forebay::dataset {

/// The numbers of one tile. Not thread safe.
class FitsDither {
 public:
  /// `tile`: from 0 on. `seed`: ZDITHER0, from 1 on.
  FitsDither(uint64_t tile, int64_t seed);

  double next();

 private:
  int64_t begin_;
  int64_t place_;
};

}  // namespace forebay::dataset
