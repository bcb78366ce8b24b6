#include "bindings/exchange/arrays.h"

#include <fmt/format.h>

#include <utility>

#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "forebay/exchange/arrays/element_type.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"

namespace forebay::bindings {
namespace {

using tensor::DType;
using tensor::Tensor;

DType dtype_of_buffer(const Py_buffer& view) {
  const char* format = view.format == nullptr ? "B" : view.format;
  const auto dtype = exchange::dtype_of_buffer_format(format, static_cast<size_t>(view.itemsize));
  if (!dtype.ok()) {
    throw nb::type_error(
        fmt::format("arrays with elements of format '{}' cannot become tensors", format).c_str());
  }
  return *dtype;
}

/// Owns a Py_buffer; gives it back with the GIL.
struct HeldBuffer {
  Py_buffer view{};

  ~HeldBuffer() {
    if (view.obj == nullptr) {
      return;
    }
    if (const GilEntry gil; gil) {
      PyBuffer_Release(&view);
    }
  }
};

tensor::TensorSpec spec_of(const Py_buffer& view, const std::string& layout) {
  if (view.ndim > tensor::kMaxRank) {
    raise(
        invalid_argument("arrays have at most {} dimensions, this one has {}", tensor::kMaxRank, view.ndim));
  }
  if (!layout.empty() && static_cast<int>(layout.size()) != view.ndim) {
    raise(invalid_argument("the layout '{}' does not fit an array of {} dimensions", layout, view.ndim));
  }
  tensor::TensorSpec spec;
  spec.dtype = dtype_of_buffer(view);
  for (int axis = 0; axis < view.ndim; ++axis) {
    spec.shape.push_back(view.shape[axis]);
  }
  spec.layout = tensor::Layout(layout);
  return spec;
}

}  // namespace

void check_host_accessible(const Tensor& tensor) {
  if (tensor.is_valid() && !memory::is_host_accessible(tensor.kind())) {
    raise(failed_precondition("the tensor lies in {} memory; call as_cpu() in the pipeline first",
                              memory::name_of(tensor.kind())));
  }
}

Tensor tensor_from_buffer(nb::handle object, const std::string& layout, bool copy) {
  auto held = std::make_shared<HeldBuffer>();
  if (PyObject_GetBuffer(object.ptr(), &held->view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    nb::python_error error;
    if (error.matches(PyExc_ValueError)) {  // as NumPy says it of strides
      raise(invalid_argument("{}", nb::str(error.value()).c_str()));
    }
    throw error;
  }
  const tensor::TensorSpec spec = spec_of(held->view, layout);
  const size_t bytes = spec.size_bytes();
  const bool is_aligned = reinterpret_cast<uintptr_t>(held->view.buf) % tensor::size_of(spec.dtype) == 0;
  if (copy || !is_aligned) {
    Tensor target = value_of(Tensor::allocate(spec));
    {
      const GilRelease no_gil;
      memory::copy(target.mutable_data(), held->view.buf, bytes);
    }
    return target;
  }
  const bool is_read_only = held->view.readonly != 0;
  void* data = held->view.buf;
  auto release = [held = std::move(held)]() mutable { held.reset(); };
  constexpr auto kKind = memory::MemoryKind::kHost;
  memory::BufferRef buffer = is_read_only
                                 ? memory::Buffer::wrap_read_only(data, bytes, kKind, std::move(release))
                                 : memory::Buffer::wrap(data, bytes, kKind, std::move(release));
  return Tensor(std::move(buffer), 0, spec);
}

PythonTensor PythonTensorList::stacked() const {
  if (batch.size() == 0) {
    raise(invalid_argument("an empty batch has no array form"));
  }
  check_host_accessible(batch[0]);
  return {value_of(without_gil([&] { return batch.stacked(); })), nullptr, 0, {}, enumeration};
}

tensor::Layout PythonTensorList::layout() const {
  return batch.size() == 0 ? tensor::Layout() : batch[0].layout();
}

nb::tuple shape_of(const tensor::Shape& shape) {
  nb::list extents;
  for (const int64_t extent : shape) {
    extents.append(extent);
  }
  return nb::tuple(extents);
}

nb::object numpy_array(nb::object owner) {
  return nb::module_::import_("numpy").attr("asarray")(owner);
}

}  // namespace forebay::bindings
