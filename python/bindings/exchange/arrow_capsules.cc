// The Arrow PyCapsule protocol, both sides. A capsule owns its structure until a consumer moves the content
// out.
#include <fmt/format.h>

#include <memory>

#include "bindings/exchange/array_object.h"
#include "bindings/exchange/columns.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "bindings/interpreter/limited_api.h"

namespace forebay::bindings {
namespace {

using exchange::ColumnChunks;
namespace arrow = exchange::arrow;

template <class T>
struct NameOf;
template <>
struct NameOf<arrow::Schema> {
  static constexpr const char* kName = "arrow_schema";
};
template <>
struct NameOf<arrow::Array> {
  static constexpr const char* kName = "arrow_array";
};
template <>
struct NameOf<arrow::Stream> {
  static constexpr const char* kName = "arrow_array_stream";
};
template <>
struct NameOf<arrow::DeviceArray> {
  static constexpr const char* kName = "arrow_device_array";
};
template <>
struct NameOf<arrow::DeviceStream> {
  static constexpr const char* kName = "arrow_device_array_stream";
};

template <class T>
nb::object capsule_of(std::unique_ptr<arrow::Owned<T>> structure) {
  PyObject* capsule = PyCapsule_New(structure->get(), NameOf<T>::kName, [](PyObject* self) {
    void* held = PyCapsule_GetPointer(self, NameOf<T>::kName);
    delete static_cast<arrow::Owned<T>*>(held);  // begins with its structure
  });
  if (capsule == nullptr) {
    throw nb::python_error();
  }
  structure.release();
  return nb::steal(capsule);
}

/// Moves the content out of a capsule.
template <class T>
arrow::Owned<T> taken(nb::handle capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), NameOf<T>::kName) == 0) {
    throw nb::type_error(fmt::format("a capsule named '{}' was expected", NameOf<T>::kName).c_str());
  }
  return arrow::Owned<T>(static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), NameOf<T>::kName)));
}

template <class T>
const T& peeked(nb::handle capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), NameOf<T>::kName) == 0) {
    throw nb::type_error(fmt::format("a capsule named '{}' was expected", NameOf<T>::kName).c_str());
  }
  return *static_cast<const T*>(PyCapsule_GetPointer(capsule.ptr(), NameOf<T>::kName));
}

// A requested schema is a wish; one of another shape is refused.
bool same_shape(const tensor::ColumnType& a, const tensor::ColumnType& b) {
  if (a.children.size() != b.children.size()) {
    return false;
  }
  for (size_t i = 0; i < a.children.size(); ++i) {
    if (!same_shape(*a.children[i].type, *b.children[i].type)) {
      return false;
    }
  }
  return true;
}

void check_request(const ColumnChunks& chunks, nb::handle requested_schema) {
  if (requested_schema.is_none()) {
    return;
  }
  const auto wanted = value_of(exchange::field_of(peeked<arrow::Schema>(requested_schema)));
  if (!same_shape(*chunks.field.type, *wanted.type)) {
    raise(invalid_argument("the requested schema is of another shape: {} instead of {}",
                           wanted.type->to_string(), chunks.field.type->to_string()));
  }
}

void check_options(const nb::kwargs& options) {
  for (const auto& [name, value] : options) {
    if (!value.is_none()) {
      PyErr_Format(PyExc_NotImplementedError, "the argument %R is not known", name.ptr());
      throw nb::python_error();
    }
  }
}

tensor::Column only_chunk(const ColumnChunks& chunks) {
  if (chunks.chunks.size() == 1) {
    return chunks.chunks.front();
  }
  raise(invalid_argument("{} chunks do not make one array; use __arrow_c_stream__", chunks.chunks.size()));
}

template <class T, class Fill>
nb::object filled(Fill&& fill) {
  auto structure = std::make_unique<arrow::Owned<T>>();
  const Status status = fill(structure->get());
  if (!status.ok()) {
    raise_buffer_error(status);
  }
  return capsule_of(std::move(structure));
}

exchange::ArrowImportOptions options_of(bool may_copy) {
  exchange::ArrowImportOptions options;
  options.may_copy = may_copy;
  return options;
}

template <class Import>
ColumnChunks imported(Import&& import) {
  Result<ColumnChunks> chunks = import();
  if (!chunks.ok()) {
    if (PyErr_Occurred() != nullptr) {
      throw nb::python_error();
    }
    if (chunks.status().code() == StatusCode::kInvalidArgument) {
      raise(chunks.status());
    }
    raise_buffer_error(chunks.status());
  }
  return *std::move(chunks);
}

template <class T, class Import>
ColumnChunks one_array(const nb::tuple& capsules, Import&& import) {
  return imported([&]() -> Result<ColumnChunks> {
    const arrow::Owned<arrow::Schema> schema = taken<arrow::Schema>(capsules[0]);
    arrow::Owned<T> array = taken<T>(capsules[1]);
    ColumnChunks chunks;
    FOREBAY_ASSIGN_OR_RETURN(chunks.field, exchange::field_of(*schema));
    FOREBAY_ASSIGN_OR_RETURN(tensor::Column column, import(*schema, std::move(array)));
    chunks.chunks.push_back(std::move(column));
    return chunks;
  });
}

nb::object called(nb::handle object, const char* method) {
  return stopping_at_the_end([&]() -> nb::object { return object.attr(method)(); });
}

}  // namespace

bool speaks_arrow(nb::handle object) {
  for (const char* method :
       {"__arrow_c_stream__", "__arrow_c_array__", "__arrow_c_device_array__", "__arrow_c_device_stream__"}) {
    if (nb::hasattr(object, method)) {
      return true;
    }
  }
  return false;
}

ColumnChunks chunks_of(nb::handle object, bool may_copy) {
  if (nb::isinstance<PythonColumn>(object)) {
    return nb::cast<PythonColumn&>(object).chunks;
  }
  if (nb::isinstance<PythonTable>(object)) {
    return nb::cast<PythonTable&>(object).chunks;
  }
  const exchange::ArrowImportOptions options = options_of(may_copy);
  if (nb::hasattr(object, "__arrow_c_stream__")) {
    const nb::object capsule = called(object, "__arrow_c_stream__");
    return imported([&] { return exchange::import_stream(taken<arrow::Stream>(capsule), options); });
  }
  if (nb::hasattr(object, "__arrow_c_array__")) {
    const nb::tuple capsules = nb::cast<nb::tuple>(called(object, "__arrow_c_array__"));
    return one_array<arrow::Array>(capsules, [&](const arrow::Schema& schema, auto array) {
      return exchange::import_column(schema, std::move(array), options);
    });
  }
  if (nb::hasattr(object, "__arrow_c_device_stream__")) {
    const nb::object capsule = called(object, "__arrow_c_device_stream__");
    return imported(
        [&] { return exchange::import_device_stream(taken<arrow::DeviceStream>(capsule), options); });
  }
  if (nb::hasattr(object, "__arrow_c_device_array__")) {
    const nb::tuple capsules = nb::cast<nb::tuple>(called(object, "__arrow_c_device_array__"));
    return one_array<arrow::DeviceArray>(capsules, [&](const arrow::Schema& schema, auto array) {
      return exchange::import_device_column(schema, std::move(array), options);
    });
  }
  throw nb::type_error(
      fmt::format("{} does not speak Arrow's capsule protocol", type_name_of(object)).c_str());
}

nb::object schema_capsule(const ColumnChunks& chunks) {
  return filled<arrow::Schema>([&](auto* out) { return exchange::export_schema(chunks.field, out); });
}

nb::object array_capsules(const ColumnChunks& chunks, nb::handle requested_schema) {
  check_request(chunks, requested_schema);
  const tensor::Column column = only_chunk(chunks);
  nb::object array = filled<arrow::Array>(
      [&](auto* out) { return without_gil([&] { return exchange::export_column(column, out); }); });
  return nb::make_tuple(schema_capsule(chunks), array);
}

nb::object stream_capsule(const ColumnChunks& chunks, nb::handle requested_schema) {
  check_request(chunks, requested_schema);
  return filled<arrow::Stream>([&](auto* out) { return exchange::export_stream(chunks, out); });
}

nb::object device_array_capsules(const ColumnChunks& chunks, nb::handle requested_schema,
                                 const nb::kwargs& options) {
  check_options(options);
  check_request(chunks, requested_schema);
  const tensor::Column column = only_chunk(chunks);
  nb::object array = filled<arrow::DeviceArray>(
      [&](auto* out) { return without_gil([&] { return exchange::export_device_column(column, out); }); });
  return nb::make_tuple(schema_capsule(chunks), array);
}

nb::object device_stream_capsule(const ColumnChunks& chunks, nb::handle requested_schema,
                                 const nb::kwargs& options) {
  check_options(options);
  check_request(chunks, requested_schema);
  return filled<arrow::DeviceStream>(
      [&](auto* out) { return without_gil([&] { return exchange::export_device_stream(chunks, out); }); });
}

}  // namespace forebay::bindings
