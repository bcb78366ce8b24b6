// Gathers and scatters rows of an array, which is treated as `row_count` dense rows of `length` elements.
#pragma once

#include <cstdint>
#include <span>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// out row i = in row places[i]. Places must be in range. Any element type.
void gather_rows(const void* in, int64_t row_bytes, std::span<const int64_t> places, void* out);

/// out row places[i] = in row i, in order: of equal places, the last one wins.
void scatter_rows(const void* in, int64_t row_bytes, std::span<const int64_t> places, void* out);

/// out row places[i] += in row i, in order, for the elements [first, last) of the rows.
void add_rows(tensor::DType dtype, const void* in, int64_t length, int64_t first, int64_t last,
              std::span<const int64_t> places, void* out);

/// Converts the numbers of an index array to integers, truncating fractions. `out` has indices.volume()
/// elements.
void read_indices(const tensor::TensorView& indices, std::span<int64_t> out);

/// out[i, k] = k == indices[i] ? on : off, for `depth` numbers each; indices out of range give only `off`.
void one_hot(std::span<const int64_t> indices, int64_t depth, double on, double off,
             const tensor::MutableTensorView& out);

/// out row i = condition[i] != 0 ? a row i : b row i.
void select_rows(const tensor::TensorView& condition, const void* a, const void* b, int64_t row_bytes,
                 int64_t first, int64_t last, void* out);

}  // namespace forebay::kernels
