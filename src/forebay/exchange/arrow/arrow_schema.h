// Arrow's schemas and Forebay's column types, both ways.
//
// Maps come in as the lists of structs that they are made of. Views of text come in as what a copy makes of
// them (large_utf8, large_binary). Unions, run-end encoding, list views, intervals and decimals of other
// widths than 128 bits are refused by name. The canonical extension arrow.fixed_shape_tensor is understood;
// metadata of other extensions stay with the field.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/exchange/arrow/arrow_abi.h"
#include "forebay/tensor/columns/column_type.h"

namespace forebay::exchange {

/// The field that a schema describes; everything is copied, the schema stays the caller's. invalid_argument
/// with the path of the child for what is broken or has no counterpart. Depth and number of children are
/// bounded; metadata are limited to 16 MiB each.
Result<tensor::Field> field_of(const arrow::Schema& schema);

/// Fills `out`, which the caller releases.
Status export_schema(const tensor::Field& field, arrow::Schema* out);

/// A type without children or dictionary by its format string; the list types come without their element.
/// invalid_argument.
Result<tensor::ColumnType> type_of_format(std::string_view format);
std::string format_of(const tensor::ColumnType& type);

/// True for 'vu' and 'vz', whose values are copied when they come in.
bool is_text_view(std::string_view format);

/// Arrow's binary form of metadata, within `bytes`. invalid_argument.
Result<tensor::Metadata> parse_metadata(Bytes bytes);
std::string pack_metadata(const tensor::Metadata& metadata);

}  // namespace forebay::exchange
