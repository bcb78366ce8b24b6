// Discrete cosine transforms as matrices, for the few coefficients that cepstra have.
#pragma once

#include <cstdint>

#include "forebay/kernels/signal/band_matrix.h"

namespace forebay::kernels {

/// The first `num_rows` rows of the transform of `size` numbers, of `type` 1 to 4 as in K. R. Rao, P. Yip,
/// "Discrete cosine transform" (1990): X[k] = sum over n of
///
///   1: x[n] cos(pi n k / (size - 1)), half of it for the first and last n; `size` must be above 1
///   2: x[n] cos(pi (n + 1/2) k / size)
///   3: x[n] cos(pi n (k + 1/2) / size), half of it for n = 0
///   4: x[n] cos(pi (n + 1/2) (k + 1/2) / size)
///
/// `is_orthonormal` (not of type 1) scales them so that all rows together are an orthonormal matrix. With a
/// lifter L other than 0, row k is scaled by 1 + L / 2 sin(pi (k + 1) / L).
BandMatrix dct_matrix(int type, bool is_orthonormal, double lifter, int64_t num_rows, int64_t size);

}  // namespace forebay::kernels
