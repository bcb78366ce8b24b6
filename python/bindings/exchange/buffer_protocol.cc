#include "bindings/exchange/buffer_protocol.h"

#include <fmt/format.h>

#include <memory>

#include "bindings/exchange/array_object.h"
#include "bindings/exchange/own_class.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "forebay/exchange/arrays/array_type.h"

namespace forebay::bindings {
namespace {

using exchange::StridedArray;

/// The memory behind a Py_buffer that was handed out.
struct LentView {
  memory::BufferRef owner;
  exchange::Extents shape;
  exchange::Extents strides;
  exchange::RecordTypeRef record;  // holds the format
};

bool is_column_major(const StridedArray& array) {
  auto expected = static_cast<int64_t>(array.item_bytes());
  for (int axis = 0; axis < array.rank(); ++axis) {
    if (array.shape[axis] != 1 && array.strides_bytes[axis] != expected) {
      return array.volume() == 0;
    }
    expected *= array.shape[axis];
  }
  return true;
}

bool has(int flags, int wanted) {
  return (flags & wanted) == wanted;
}

// Why the array cannot be given with these `flags`, or null.
const char* refusal(const StridedArray& array, int flags) {
  if (!array.is_on_host()) {
    return "the memory is not the host's";
  }
  if (has(flags, PyBUF_WRITABLE) && array.is_read_only) {
    return "the memory is read-only";
  }
  const bool is_dense = array.is_dense();
  if ((has(flags, PyBUF_C_CONTIGUOUS) || !has(flags, PyBUF_STRIDES)) && !is_dense) {
    return "the array is not contiguous in row-major order";
  }
  if (has(flags, PyBUF_F_CONTIGUOUS) && !is_column_major(array)) {
    return "the array is not contiguous in column-major order";
  }
  if (has(flags, PyBUF_ANY_CONTIGUOUS) && !is_dense && !is_column_major(array)) {
    return "the array is not contiguous";
  }
  return nullptr;
}

void lend(const StridedArray& array, const char* format, PyObject* self, Py_buffer* view, int flags) {
  auto lent =
      std::make_unique<LentView>(LentView{array.owner, array.shape, array.strides_bytes, array.record});
  static std::byte nothing{};
  view->buf = array.data == nullptr ? &nothing : array.data;
  view->obj = Py_NewRef(self);
  view->len = static_cast<Py_ssize_t>(array.size_bytes());
  view->itemsize = static_cast<Py_ssize_t>(array.item_bytes());
  view->readonly = array.is_read_only ? 1 : 0;
  view->ndim = array.rank();
  view->format = has(flags, PyBUF_FORMAT) ? const_cast<char*>(format) : nullptr;
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  view->shape = has(flags, PyBUF_ND) ? reinterpret_cast<Py_ssize_t*>(lent->shape.data()) : nullptr;
  view->strides = has(flags, PyBUF_STRIDES) ? reinterpret_cast<Py_ssize_t*>(lent->strides.data()) : nullptr;
  view->suboffsets = nullptr;
  view->internal = lent.release();
}

const char* format_of(const StridedArray& array) {
  if (array.time) {
    raise_buffer_error(failed_precondition("the buffer protocol has no {}: {}",
                                           exchange::name_of(*array.time), exchange::kTimesAsNumbers));
  }
  return array.record != nullptr ? array.record->format.c_str()
                                 : value_or_buffer_error(exchange::buffer_format_of(array.type));
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  try {
    const StridedArray array = array_of_object(self);
    const char* reason = refusal(array, flags);
    if (reason != nullptr) {
      PyErr_SetString(PyExc_BufferError, reason);
      return -1;
    }
    const char* format = format_of(array);
    if (!array.owner->last_write().is_trivial()) {
      const GilRelease no_gil;
      (void)exchange::wait_until_readable(array);
    }
    lend(array, format, self, view, flags);
    const OwnClass* own = has(flags, PyBUF_WRITABLE) ? own_class_of(self) : nullptr;
    if (own != nullptr) {
      own->note_write(self);
    }
    return 0;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_BufferError, error.what());
  }
  return -1;
}

void release_buffer(PyObject*, Py_buffer* view) noexcept {
  delete static_cast<LentView*>(view->internal);
}

/// Owns a Py_buffer that was borrowed.
struct BorrowedView {
  Py_buffer view{};

  ~BorrowedView() {
    if (view.obj == nullptr) {
      return;
    }
    if (const GilEntry gil; gil) {
      PyObject *type, *value, *trace;  // an error may be on its way
      PyErr_Fetch(&type, &value, &trace);
      PyBuffer_Release(&view);
      PyErr_Restore(type, value, trace);
    }
  }
};

template <class T>
T value_or_type_error(Result<T> result) {
  if (!result.ok()) {
    throw nb::type_error(std::string(message(result.status())).c_str());
  }
  return *std::move(result);
}

void set_type(StridedArray& array, const Py_buffer& view) {
  const char* format = view.format == nullptr ? "B" : view.format;
  if (exchange::is_record_format(format)) {
    array.record = value_or_type_error(exchange::parse_record_format(format, view.itemsize));
    array.type = exchange::kRecordElement;
    return;
  }
  array.type =
      value_or_type_error(exchange::type_of_buffer_format(format, static_cast<size_t>(view.itemsize)));
}

}  // namespace

PyType_Slot buffer_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(&get_buffer)},
                              {Py_bf_releasebuffer, reinterpret_cast<void*>(&release_buffer)},
                              {0, nullptr}};

StridedArray array_from_buffer(nb::handle object) {
  auto borrowed = std::make_shared<BorrowedView>();
  Py_buffer& view = borrowed->view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_RECORDS_RO) != 0) {
    throw nb::python_error();
  }
  StridedArray array;
  set_type(array, view);
  array.data = static_cast<std::byte*>(view.buf);
  array.is_read_only = view.readonly != 0;
  array.shape.assign(view.shape, view.shape + view.ndim);
  if (view.strides != nullptr) {
    array.strides_bytes.assign(view.strides, view.strides + view.ndim);
  } else {
    array.strides_bytes = exchange::dense_strides(array.shape, view.itemsize);
  }
  const Status status = exchange::check_array(array);
  if (!status.ok()) {
    raise_buffer_error(status);
  }
  const exchange::ByteSpan span = exchange::span_of(array);
  auto release = [held = std::move(borrowed)]() mutable { held.reset(); };
  array.owner = memory::Buffer::wrap(array.data + span.first, static_cast<size_t>(span.last - span.first),
                                     memory::MemoryKind::kHost, std::move(release));
  return array;
}

}  // namespace forebay::bindings
