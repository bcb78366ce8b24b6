// A table: named columns of one length; Arrow's record batch.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "forebay/tensor/columns/column.h"

namespace forebay::tensor {

/// Cheap to copy, since it shares its columns.
class Table {
 public:
  Table() = default;  // no columns, no rows

  /// invalid_argument unless there is a column for each field, with the field's type and `rows` rows, in a
  /// slice of exactly that length. Does not check content; validate() in validate_column.h does.
  static Result<Table> make(std::vector<Field> fields, std::vector<ColumnRef> columns, int64_t rows,
                            Metadata metadata = {});
  /// Makes a table of nullable fields with the columns' own types; at least one column is required.
  static Result<Table> of(std::vector<std::pair<std::string, Column>> columns);

  /// The table as a column of structs without nulls, as Arrow's C Data Interface passes record batches.
  Column as_struct() const;
  /// The reverse; slices of the struct become slices of the columns. invalid_argument if the struct itself
  /// has nulls.
  static Result<Table> from_struct(const Column& column, Metadata metadata = {});

  int64_t rows() const { return rows_; }
  int column_count() const { return static_cast<int>(columns_.size()); }
  const std::vector<Field>& fields() const { return fields_; }
  const std::vector<ColumnRef>& columns() const { return columns_; }
  const Metadata& metadata() const { return metadata_; }
  const Field& field(int index) const { return fields_[index]; }
  const Column& column(int index) const { return *columns_[index]; }

  /// The first column with that name, or -1.
  int find(std::string_view name) const;
  /// Returns the column; not_found lists the existing names.
  Result<ColumnRef> column(std::string_view name) const;

  /// Returns rows [first, first + count) without a copy; out_of_range if they do not exist.
  Result<Table> slice(int64_t first, int64_t count) const;
  /// Returns these columns in this order, without a copy; not_found if one is missing.
  Result<Table> select(std::span<const std::string> names) const;

 private:
  std::vector<Field> fields_;
  std::vector<ColumnRef> columns_;
  int64_t rows_ = 0;
  Metadata metadata_;
};

/// Whether fields, metadata and values are equal.
bool equal_values(const Table& a, const Table& b);

}  // namespace forebay::tensor
