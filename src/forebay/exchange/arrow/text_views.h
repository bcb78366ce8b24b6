// Converts Arrow's views of text and binary values ('vu', 'vz'), which columns do not have, to offsets and
// bytes.
#pragma once

#include "forebay/base/status.h"
#include "forebay/exchange/arrow/arrow_abi.h"
#include "forebay/tensor/columns/column.h"

namespace forebay::exchange {

struct TextOfViews {
  // 64-bit offsets for rows [0, offset + length]; rows before the offset are empty.
  tensor::BufferRange offsets;
  tensor::BufferRange bytes;
};

/// Copies (and counts) the values of an array of views in host memory whose counts have been checked; nulls
/// become empty. invalid_argument for views that point outside the buffers.
Result<TextOfViews> text_of_views(const arrow::Array& array, const tensor::BufferRange& validity);

}  // namespace forebay::exchange
