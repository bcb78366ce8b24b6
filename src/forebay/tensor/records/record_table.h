// Records as tables and back: the ends of AoS <-> SoA that know about columns.
#pragma once

#include <memory>
#include <span>

#include "forebay/tensor/columns/table.h"
#include "forebay/tensor/records/convert_records.h"

namespace forebay::tensor {

/// The type of a field's column: its element type (bools become bits), or for an array a tensor of its
/// extents a row.
ColumnTypeRef column_type_of(const RecordField& field);

/// A column for each field, without nulls, all in one block placed by place_columns. Without a resource the
/// block lies on huge pages when it is of kStreamingBytes or more, else in the process's pool.
Result<Table> table_of_records(const RecordLayout& layout, Bytes records,
                               std::shared_ptr<memory::MemoryResource> resource = nullptr);

/// A structure's records: table_of_records(record_layout_of(...), std::span<const Point>(points)).
template <class Record>
Result<Table> table_of_records(const RecordLayout& layout, std::span<const Record> records,
                               std::shared_ptr<memory::MemoryResource> resource = nullptr) {
  if (layout.stride_bytes() != sizeof(Record)) {
    return invalid_argument("records of {} bytes for a layout of {}", sizeof(Record), layout.stride_bytes());
  }
  return table_of_records(layout, std::as_bytes(records), std::move(resource));
}

/// Fills `records` (rows() times the stride, exactly) from the columns that are named as the fields; others
/// are left out. Padding becomes zero. invalid_argument when a column is of another type or holds nulls,
/// not_found when there is none.
Status records_of_table(const RecordLayout& layout, const Table& table, MutableBytes records);

}  // namespace forebay::tensor
