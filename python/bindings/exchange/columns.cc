#include "bindings/exchange/columns.h"

#include <fmt/format.h>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/exchange/array_object.h"
#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "forebay/base/metrics/metrics.h"
#include "forebay/exchange/arrow/column_copy.h"
#include "forebay/memory/copy.h"
#include "forebay/tensor/columns/table.h"
#include "forebay/tensor/records/record_table.h"

namespace forebay::bindings {
namespace {

using exchange::ColumnChunks;
using tensor::Column;
using tensor::Table;
using tensor::TypeId;

ColumnChunks copied_chunks(const ColumnChunks& chunks) {
  ColumnChunks copy{chunks.field, {}};
  for (const Column& chunk : chunks.chunks) {
    copy.chunks.push_back(value_or_buffer_error(without_gil([&] { return exchange::copied(chunk); })));
  }
  return copy;
}

int64_t null_count(const PythonColumn& self) {
  int64_t nulls = 0;
  for (const Column& chunk : self.chunks.chunks) {
    nulls += chunk.count_nulls();
  }
  return nulls;
}

// Rows of all chunks, without a copy.
ColumnChunks sliced(const ColumnChunks& chunks, int64_t first, int64_t count) {
  if (first < 0 || count < 0 || count > chunks.length() - first) {
    raise(out_of_range("rows {} to {} of {}", first, first + count, chunks.length()));
  }
  ColumnChunks slice{chunks.field, {}};
  for (const Column& chunk : chunks.chunks) {
    const int64_t taken = std::min(count, std::max<int64_t>(0, chunk.length - first));
    if (taken > 0) {
      slice.chunks.push_back(value_of(chunk.slice(first, taken)));
    }
    count -= taken;
    first = std::max<int64_t>(0, first - chunk.length);
  }
  if (slice.chunks.empty() && !chunks.chunks.empty()) {
    slice.chunks.push_back(value_of(chunks.chunks.front().slice(0, 0)));
  }
  return slice;
}

PythonArray array_of_column(const PythonColumn& self, nb::handle copy) {
  const bool may_copy = copy.ptr() != Py_False;
  auto array = value_or_buffer_error(without_gil([&] { return exchange::array_of(self.chunks, may_copy); }));
  if (copy.ptr() == Py_True && !array.is_copied) {
    array = value_or_buffer_error(without_gil([&] { return exchange::copied(array); }));
  }
  return {std::move(array)};
}

PythonColumn column_from(nb::handle object, nb::handle copy) {
  const bool may_copy = copy.ptr() != Py_False;
  if (speaks_arrow(object) || nb::isinstance<PythonColumn>(object)) {
    ColumnChunks chunks = chunks_of(object, may_copy);
    return {copy.ptr() == Py_True ? copied_chunks(chunks) : std::move(chunks)};
  }
  exchange::StridedArray array = array_of_any(object);
  if (copy.ptr() == Py_True) {
    array = value_or_buffer_error(without_gil([&] { return exchange::copied(array); }));
  }
  Column column = value_or_buffer_error(without_gil([&] { return exchange::column_of(array, may_copy); }));
  tensor::Field field{"", column.type, column.has_validity()};
  return {ColumnChunks{std::move(field), {std::move(column)}}};
}

const ColumnChunks& checked_structs(const ColumnChunks& chunks) {
  if (chunks.field.type->id != TypeId::kStruct) {
    raise(invalid_argument("a column of {} cannot become a table", chunks.field.type->to_string()));
  }
  for (const Column& chunk : chunks.chunks) {
    if (chunk.count_nulls() != 0) {
      raise(invalid_argument("a struct column with nulls of its own cannot become a table"));
    }
  }
  return chunks;
}

PythonTable table_from(nb::handle object, nb::handle copy) {
  const ColumnChunks chunks = checked_structs(chunks_of(object, copy.ptr() != Py_False));
  return {copy.ptr() == Py_True ? copied_chunks(chunks) : chunks};
}

/// A table of columns of equal length, each of one chunk.
PythonTable table_of(const std::vector<std::pair<std::string, PythonColumn*>>& columns) {
  std::vector<std::pair<std::string, Column>> parts;
  for (const auto& [name, column] : columns) {
    if (column->chunks.chunks.size() != 1) {
      raise(invalid_argument("column '{}' has {} chunks: a table is made of whole columns", name,
                             column->chunks.chunks.size()));
    }
    parts.emplace_back(name, column->chunks.chunks.front());
  }
  const Column whole = value_of(Table::of(std::move(parts))).as_struct();
  return {ColumnChunks{{"", whole.type, false}, {whole}}};
}

/// The columns of an array of records: a conversion, so all of its bytes move (and are counted).
PythonTable table_of_records(const PythonArray& records, nb::handle copy) {
  exchange::StridedArray array = records.array;
  if (array.record == nullptr || array.rank() != 1) {
    throw nb::type_error("a table is made of an array of records of one dimension");
  }
  if (copy.ptr() == Py_False) {
    raise_buffer_error(failed_precondition(
        "the memory cannot be shared without a copy: records lie row by row, a table column by column"));
  }
  const tensor::RecordLayout layout = value_of(exchange::record_layout_of(*array.record));
  const uint64_t before = memory::bytes_copied();
  Table table = value_or_buffer_error(without_gil([&]() -> Result<Table> {
    if (!array.is_dense() || !array.is_on_host()) {
      FOREBAY_ASSIGN_OR_RETURN(array, exchange::copied(array));
    }
    FOREBAY_RETURN_IF_ERROR(exchange::wait_until_readable(array));
    return tensor::table_of_records(layout, Bytes(array.data, array.size_bytes()));
  }));
  if (memory::bytes_copied() == before) {
    counter("bytes_copied").add(array.size_bytes());
  }
  const Column whole = table.as_struct();
  return {ColumnChunks{{"", whole.type, false}, {whole}}};
}

PythonColumn column_at(const PythonTable& self, int64_t place) {
  const auto& fields = self.chunks.field.type->children;
  if (place < 0 || place >= static_cast<int64_t>(fields.size())) {
    raise(out_of_range("column {} of {}", place, fields.size()));
  }
  PythonColumn column{ColumnChunks{fields[static_cast<size_t>(place)], {}}};
  for (const Column& chunk : self.chunks.chunks) {
    const Table table = value_of(Table::from_struct(chunk));
    column.chunks.chunks.push_back(table.column(static_cast<int>(place)));
  }
  return column;
}

/// The table with another column at that place, of the same length and in one chunk.
PythonTable with_column(const PythonTable& self, int64_t place, const PythonColumn& column) {
  if (place < 0 || place >= static_cast<int64_t>(self.chunks.field.type->children.size()) ||
      column.chunks.chunks.size() != 1 || column.chunks.length() != self.chunks.length()) {
    raise(invalid_argument("a column of {} rows in {} chunks cannot stand at place {} of this table",
                           column.chunks.length(), column.chunks.chunks.size(), place));
  }
  return {value_of(exchange::with_child(self.chunks, place, column.chunks.chunks.front()))};
}

PythonColumn column_named(const PythonTable& self, const std::string& name) {
  const auto& fields = self.chunks.field.type->children;
  const auto is_it = [&name](const tensor::Field& field) { return field.name == name; };
  const auto found = std::find_if(fields.begin(), fields.end(), is_it);
  if (found == fields.end()) {
    throw nb::key_error(name.c_str());
  }
  if (std::count_if(found, fields.end(), is_it) > 1) {
    throw nb::key_error(fmt::format("several columns are called '{}': take column(place)", name).c_str());
  }
  return column_at(self, found - fields.begin());
}

std::vector<std::string> column_names(const PythonTable& self) {
  std::vector<std::string> names;
  for (const tensor::Field& field : self.chunks.field.type->children) {
    names.push_back(field.name);
  }
  return names;
}

/// Addresses of the buffers of a chunk, its children's after them; 0 for absent ones.
void add_addresses(const Column& column, nb::list& addresses) {
  for (const tensor::BufferRange& range : column.buffers) {
    addresses.append(reinterpret_cast<uintptr_t>(range.data()));
  }
  for (const tensor::ColumnRef& child : column.children) {
    add_addresses(*child, addresses);
  }
}

nb::list buffer_addresses(const ColumnChunks& chunks) {
  nb::list addresses;
  for (const Column& chunk : chunks.chunks) {
    add_addresses(chunk, addresses);
  }
  return addresses;
}

/// `method` of an object of one chunk; AttributeError for others, because consumers ask for a stream only
/// where an object cannot give an array.
template <class T, const char* method>
nb::object of_one_chunk(nb::handle self) {
  const size_t count = nb::inst_ptr<T>(self)->chunks.chunks.size();
  if (count != 1) {
    throw nb::attribute_error(
        fmt::format("{} chunks do not make one array; use __arrow_c_stream__", count).c_str());
  }
  return self.attr(method);
}

constexpr char kArrayMethod[] = "_arrow_c_array";
constexpr char kDeviceArrayMethod[] = "_arrow_c_device_array";

template <class T>
void bind_array_protocol(nb::class_<T>& binding) {
  binding
      .def(
          kArrayMethod,
          [](const T& self, nb::handle requested) { return array_capsules(self.chunks, requested); },
          nb::arg("requested_schema") = nb::none())
      .def(
          kDeviceArrayMethod,
          [](const T& self, nb::handle requested, nb::kwargs options) {
            return device_array_capsules(self.chunks, requested, options);
          },
          nb::arg("requested_schema") = nb::none(), nb::arg("kwargs"))
      .def_prop_ro("__arrow_c_array__", &of_one_chunk<T, kArrayMethod>,
                   nb::sig("def __arrow_c_array__(self) -> Any"),
                   "A method; only objects of one chunk have it.")
      .def_prop_ro("__arrow_c_device_array__", &of_one_chunk<T, kDeviceArrayMethod>,
                   nb::sig("def __arrow_c_device_array__(self) -> Any"),
                   "A method; only objects of one chunk have it.");
}

/// The protocol as producer, for both classes.
template <class T>
void bind_protocol(nb::class_<T>& binding) {
  bind_array_protocol(binding);
  binding.def("__arrow_c_schema__", [](const T& self) { return schema_capsule(self.chunks); })
      .def(
          "__arrow_c_stream__",
          [](const T& self, nb::handle requested) { return stream_capsule(self.chunks, requested); },
          nb::arg("requested_schema") = nb::none())
      .def(
          "__arrow_c_device_stream__",
          [](const T& self, nb::handle requested, nb::kwargs options) {
            return device_stream_capsule(self.chunks, requested, options);
          },
          nb::arg("requested_schema") = nb::none(), nb::arg("kwargs"))
      .def("__len__", [](const T& self) { return self.chunks.length(); })
      .def_prop_ro("chunk_count", [](const T& self) { return self.chunks.chunks.size(); })
      .def(
          "buffer_addresses", [](const T& self) { return buffer_addresses(self.chunks); },
          nb::sig("def buffer_addresses(self) -> list[int]"),
          "Where the buffers of each chunk lie, children's after their parent's; 0 for absent ones.")
      .def(
          "slice",
          [](const T& self, int64_t first, int64_t count) { return T{sliced(self.chunks, first, count)}; },
          nb::arg("first"), nb::arg("count"), "These rows, without a copy.");
}

}  // namespace

void bind_columns(nb::module_& module) {
  nb::class_<PythonColumn> column(
      module, "Column", nb::is_weak_referenceable(),
      "A column in Arrow's layout, in any number of chunks; shares its memory and "
      "speaks Arrow's capsule protocol. Made by interop.column().");
  bind_protocol(column);
  column.def_prop_ro("type", [](const PythonColumn& self) { return self.chunks.field.type->to_string(); })
      .def_prop_ro("name", [](const PythonColumn& self) { return self.chunks.field.name; })
      .def_prop_ro("null_count", &null_count)
      .def("array", &array_of_column, nb::arg("copy") = nb::none(),
           "The numbers as an Array over the same memory; several chunks are copied together.")
      .def("__repr__", [](const PythonColumn& self) {
        return fmt::format("Column({}, {} rows in {} chunks)", self.chunks.field.type->to_string(),
                           self.chunks.length(), self.chunks.chunks.size());
      });
  nb::class_<PythonTable> table(
      module, "Table", nb::is_weak_referenceable(),
      "Named columns of one length in Arrow's layout, in any number of chunks. Made by "
      "interop.table().");
  bind_protocol(table);
  table.def_prop_ro("column_names", &column_names)
      .def("__getitem__", &column_named, nb::arg("name"))
      .def("column", &column_at, nb::arg("place"), "The column at that place, counted from 0; IndexError.")
      .def("with_column", &with_column, nb::arg("place"), nb::arg("column"),
           "The table with another column of its length, in one chunk, at that place; ValueError.")
      .def("__repr__", [](const PythonTable& self) {
        return fmt::format("Table({}, {} rows)", self.chunks.field.type->to_string(), self.chunks.length());
      });
  module.def("speaks_arrow", &speaks_arrow, nb::arg("object").none());
  module.def("column_from", &column_from, nb::arg("object").none(), nb::arg("copy") = nb::none(),
             "A column of any object that speaks Arrow, or of an array.");
  module.def("table_from", &table_from, nb::arg("object").none(), nb::arg("copy") = nb::none(),
             "A table of any object that speaks Arrow.");
  module.def("table_of_records", &table_of_records, nb::arg("records"), nb::arg("copy") = nb::none(),
             "A table with a column for each member of an array of records; all bytes move (counted).");
  module.def("table_of", &table_of, nb::arg("columns"), "A table of named columns of equal length.");
}

}  // namespace forebay::bindings
