// Rows picked out of an array, and put back: an array is seen as `row_count` rows of `length` elements,
// dense.
#pragma once

#include <cstdint>
#include <span>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// out row i = in row places[i]. Places are in range. Any element type.
void gather_rows(const void* in, int64_t row_bytes, std::span<const int64_t> places, void* out);

/// out row places[i] = in row i, in order: the last one of equal places stays.
void scatter_rows(const void* in, int64_t row_bytes, std::span<const int64_t> places, void* out);

/// out row places[i] += in row i, in order, for elements `first` to, not including, `last` of the rows.
void add_rows(tensor::DType dtype, const void* in, int64_t length, int64_t first, int64_t last,
              std::span<const int64_t> places, void* out);

/// The numbers of an index array as integers: fractions are cut off. `out` has indices.volume() elements.
void read_indices(const tensor::TensorView& indices, std::span<int64_t> out);

/// out[i, k] = k == indices[i] ? on : off for `depth` numbers each; indices out of range give `off` alone.
void one_hot(std::span<const int64_t> indices, int64_t depth, double on, double off,
             const tensor::MutableTensorView& out);

/// out row i = condition[i] != 0 ? a row i : b row i.
void select_rows(const tensor::TensorView& condition, const void* a, const void* b, int64_t row_bytes,
                 int64_t first, int64_t last, void* out);

}  // namespace forebay::kernels
