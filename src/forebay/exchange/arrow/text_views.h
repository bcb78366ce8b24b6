// Arrow's views of text and binary values ('vu', 'vz'), which columns do not have, made into offsets and
// bytes.
#pragma once

#include "forebay/base/status.h"
#include "forebay/exchange/arrow/arrow_abi.h"
#include "forebay/tensor/columns/column.h"

namespace forebay::exchange {

struct TextOfViews {
  tensor::BufferRange offsets;  // of 64 bits, for rows [0, offset + length]; rows before the offset are empty
  tensor::BufferRange bytes;
};

/// Copies (and counts) the values of an array of views in host memory whose counts have been checked; what is
/// null becomes empty. invalid_argument for views that point outside.
Result<TextOfViews> text_of_views(const arrow::Array& array, const tensor::BufferRange& validity);

}  // namespace forebay::exchange
