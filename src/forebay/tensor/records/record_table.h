// Records as tables and back: the column-aware ends of AoS <-> SoA.
#pragma once

#include <memory>
#include <span>

#include "forebay/tensor/columns/table.h"
#include "forebay/tensor/records/convert_records.h"

namespace forebay::tensor {

/// The type of a field's column: its element type (bools become bits), or for an array one tensor of its
/// extents per row.
ColumnTypeRef column_type_of(const RecordField& field);

/// One column for each field, without nulls, all in one block placed by place_columns. Without a resource the
/// block is on huge pages if it has at least kStreamingBytes, else in the process's pool.
Result<Table> table_of_records(const RecordLayout& layout, Bytes records,
                               std::shared_ptr<memory::MemoryResource> resource = nullptr);

/// For a structure's records: table_of_records(record_layout_of(...), std::span<const Point>(points)).
template <class Record>
Result<Table> table_of_records(const RecordLayout& layout, std::span<const Record> records,
                               std::shared_ptr<memory::MemoryResource> resource = nullptr) {
  if (layout.stride_bytes() != sizeof(Record)) {
    return invalid_argument("records of {} bytes for a layout of {}", sizeof(Record), layout.stride_bytes());
  }
  return table_of_records(layout, std::as_bytes(records), std::move(resource));
}

/// Fills `records` (exactly rows() times the stride) from the columns named like the fields; other columns
/// are ignored. Padding becomes zero. invalid_argument if a column has another type or contains nulls,
/// not_found if it is missing.
Status records_of_table(const RecordLayout& layout, const Table& table, MutableBytes records);

}  // namespace forebay::tensor
