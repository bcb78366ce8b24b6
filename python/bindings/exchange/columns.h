// forebay._core.Column and Table: columns in Arrow's layout, in chunks, and the Arrow PyCapsule protocol.
#pragma once

#include <nanobind/nanobind.h>

#include "forebay/exchange/arrow/arrow_array.h"

namespace forebay::bindings {

/// forebay._core.Column: one column, in any number of chunks.
struct PythonColumn {
  exchange::ColumnChunks chunks;
};

/// forebay._core.Table: named columns; each chunk is a column of structs.
struct PythonTable {
  exchange::ColumnChunks chunks;
};

/// The columns that an object hands over by `__arrow_c_stream__`, `__arrow_c_array__` or their device forms,
/// checked. TypeError when it has none of them; BufferError where `may_copy` forbids what it needs.
exchange::ColumnChunks chunks_of(nanobind::handle object, bool may_copy);

/// True when the object has one of these methods.
bool speaks_arrow(nanobind::handle object);

/// The methods of the protocol, as producer. ValueError where several chunks are asked for as one array, and
/// for a requested schema of another shape; a schema of the same shape is a wish that is not granted.
nanobind::object schema_capsule(const exchange::ColumnChunks& chunks);
nanobind::object array_capsules(const exchange::ColumnChunks& chunks, nanobind::handle requested_schema);
nanobind::object stream_capsule(const exchange::ColumnChunks& chunks, nanobind::handle requested_schema);
nanobind::object device_array_capsules(const exchange::ColumnChunks& chunks,
                                       nanobind::handle requested_schema, const nanobind::kwargs& options);
nanobind::object device_stream_capsule(const exchange::ColumnChunks& chunks,
                                       nanobind::handle requested_schema, const nanobind::kwargs& options);

}  // namespace forebay::bindings
