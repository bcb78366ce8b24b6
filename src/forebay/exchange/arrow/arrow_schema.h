// Conversion between Arrow's schemas and Forebay's column types.
//
// Maps are imported as the lists of structs they consist of. Text views are imported as what a copy makes of
// them (large_utf8, large_binary). Unions, run-end encoding, list views, intervals and decimals other than
// 128 bits are refused by name. The canonical extension arrow.fixed_shape_tensor is understood; metadata of
// other extensions stay with the field.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/exchange/arrow/arrow_abi.h"
#include "forebay/tensor/columns/column_type.h"

namespace forebay::exchange {

/// Returns the field that a schema describes. Everything is copied; the caller keeps the schema.
/// invalid_argument, with the path of the child, if it is malformed or has no counterpart. Depth and number
/// of children are bounded; each metadata is limited to 16 MiB.
Result<tensor::Field> field_of(const arrow::Schema& schema);

/// Fills `out`, which the caller must release.
Status export_schema(const tensor::Field& field, arrow::Schema* out);

/// Returns the type for a format string, without children or dictionary; list types come without their
/// element. invalid_argument.
Result<tensor::ColumnType> type_of_format(std::string_view format);
std::string format_of(const tensor::ColumnType& type);

/// True for 'vu' and 'vz', whose values are copied on import.
bool is_text_view(std::string_view format);

/// Parses Arrow's binary form of metadata from `bytes`. invalid_argument.
Result<tensor::Metadata> parse_metadata(Bytes bytes);
std::string pack_metadata(const tensor::Metadata& metadata);

}  // namespace forebay::exchange
