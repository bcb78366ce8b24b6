#include "forebay/tensor/columns/table.h"

#include <string>

namespace forebay::tensor {

Result<Table> Table::make(std::vector<Field> fields, std::vector<ColumnRef> columns, int64_t rows,
                          Metadata metadata) {
  if (fields.size() != columns.size() || rows < 0) {
    return invalid_argument("a table of {} fields, {} columns and {} rows", fields.size(), columns.size(),
                            rows);
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    const bool is_there = fields[i].type != nullptr && columns[i] != nullptr && columns[i]->type != nullptr;
    if (!is_there || (fields[i].type != columns[i]->type && !(*fields[i].type == *columns[i]->type))) {
      return invalid_argument("column '{}' is not of its field's type", fields[i].name);
    }
    if (columns[i]->length != rows) {
      return invalid_argument("column '{}' has {} rows, the table {}", fields[i].name, columns[i]->length,
                              rows);
    }
  }
  Table table;
  table.fields_ = std::move(fields);
  table.columns_ = std::move(columns);
  table.rows_ = rows;
  table.metadata_ = std::move(metadata);
  return table;
}

Result<Table> Table::of(std::vector<std::pair<std::string, Column>> columns) {
  if (columns.empty()) {
    return invalid_argument("the rows of a table without columns are unknown");
  }
  std::vector<Field> fields;
  std::vector<ColumnRef> shared;
  for (auto& [name, column] : columns) {
    fields.push_back({std::move(name), column.type, true, {}});
    shared.push_back(std::make_shared<const Column>(std::move(column)));
  }
  const int64_t rows = shared.front()->length;
  return make(std::move(fields), std::move(shared), rows);
}

Column Table::as_struct() const {
  return {.type = struct_type(fields_), .length = rows_, .buffers = {BufferRange()}, .children = columns_};
}

Result<Table> Table::from_struct(const Column& column, Metadata metadata) {
  if (column.type->id != TypeId::kStruct) {
    return invalid_argument("a column of {} cannot become a table", column.type->to_string());
  }
  if (column.count_nulls() != 0) {
    return invalid_argument("a column of structs with {} nulls of its own cannot become a table",
                            column.count_nulls());
  }
  std::vector<ColumnRef> columns;
  for (const ColumnRef& child : column.children) {
    if (column.offset == 0 && child->length == column.length) {
      columns.push_back(child);
      continue;
    }
    FOREBAY_ASSIGN_OR_RETURN(Column part, child->slice(column.offset, column.length));
    columns.push_back(std::make_shared<const Column>(std::move(part)));
  }
  return make(column.type->children, std::move(columns), column.length, std::move(metadata));
}

int Table::find(std::string_view name) const {
  for (int i = 0; i < column_count(); ++i) {
    if (fields_[i].name == name) {
      return i;
    }
  }
  return -1;
}

Result<ColumnRef> Table::column(std::string_view name) const {
  const int index = find(name);
  if (index >= 0) {
    return columns_[index];
  }
  std::string names;
  for (const Field& field : fields_) {
    names += (names.empty() ? "'" : ", '") + field.name + "'";
  }
  return not_found("there is no column '{}'; the columns are {}", name, names.empty() ? "none" : names);
}

Result<Table> Table::slice(int64_t first, int64_t count) const {
  if (first < 0 || count < 0 || first > rows_ || count > rows_ - first) {
    return out_of_range("{} rows from row {} on, in a table of {}", count, first, rows_);
  }
  Table part = *this;
  part.rows_ = count;
  for (ColumnRef& column : part.columns_) {
    FOREBAY_ASSIGN_OR_RETURN(Column rows, column->slice(first, count));
    column = std::make_shared<const Column>(std::move(rows));
  }
  return part;
}

Result<Table> Table::select(std::span<const std::string> names) const {
  Table chosen;
  chosen.rows_ = rows_;
  chosen.metadata_ = metadata_;
  for (const std::string& name : names) {
    FOREBAY_ASSIGN_OR_RETURN(ColumnRef found, column(name));
    chosen.fields_.push_back(fields_[find(name)]);
    chosen.columns_.push_back(std::move(found));
  }
  return chosen;
}

}  // namespace forebay::tensor
