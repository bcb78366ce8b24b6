#include "bindings/arrays.h"

#include <fmt/format.h>

#include <utility>

#include "bindings/errors.h"
#include "bindings/python_ref.h"
#include "forebay/exchange/dlpack.h"
#include "forebay/exchange/element_type.h"
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
    if (view.obj != nullptr && interpreter_is_alive()) {
      const nb::gil_scoped_acquire gil;
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
    throw nb::python_error();
  }
  const tensor::TensorSpec spec = spec_of(held->view, layout);
  const size_t bytes = spec.size_bytes();
  if (copy) {
    Tensor target = value_of(Tensor::allocate(spec));
    {
      const nb::gil_scoped_release no_gil;
      memory::copy(target.mutable_data(), held->view.buf, bytes);
    }
    return target;
  }
  void* data = held->view.buf;
  auto release = [held = std::move(held)]() mutable { held.reset(); };
  return Tensor(memory::Buffer::wrap(data, bytes, memory::MemoryKind::kHost, std::move(release)), 0, spec);
}

PythonTensor PythonTensorList::stacked() const {
  if (batch.size() == 0) {
    raise(invalid_argument("an empty batch has no array form"));
  }
  check_host_accessible(batch[0]);
  Result<Tensor> tensor = [&] {
    const nb::gil_scoped_release no_gil;
    return batch.stacked();
  }();
  return {value_of(std::move(tensor)), nullptr, 0};
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

nb::object array_interface(const PythonTensor& tensor) {
  check_host_accessible(tensor.tensor);
  nb::dict fields;
  fields["version"] = 3;
  fields["typestr"] = nb::str(value_of(exchange::typestring_of(tensor.tensor.dtype())).c_str());
  fields["shape"] = shape_of(tensor.tensor.shape());
  fields["data"] = nb::make_tuple(reinterpret_cast<uintptr_t>(tensor.tensor.mutable_data()), false);
  fields["strides"] = nb::none();
  return fields;
}

namespace {

/// A capsule that calls the deleter unless a consumer, which renames it, has taken the structure over.
template <class Managed, const char* kName>
nb::object capsule_of(Managed* managed) {
  return nb::steal(PyCapsule_New(managed, kName, [](PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, kName) != 0) {
      auto* unused = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kName));
      unused->deleter(unused);
    }
  }));
}

constexpr char kUnversioned[] = "dltensor";
constexpr char kVersioned[] = "dltensor_versioned";

bool wants_version_one(const nb::kwargs& options) {
  if (!options.contains("max_version") || options["max_version"].is_none()) {
    return false;
  }
  return nb::cast<int>(nb::object(options["max_version"])[0]) >= 1;
}

}  // namespace

nb::object dlpack(const PythonTensor& tensor, const nb::kwargs& options) {
  check_host_accessible(tensor.tensor);
  Tensor shared = tensor.tensor;
  if (options.contains("copy") && nb::object(options["copy"]).is(nb::bool_(true))) {
    shared = value_of(Tensor::copy_of_bytes(shared.bytes(), shared.spec()));
  }
  if (wants_version_one(options)) {
    return capsule_of<exchange::dlpack::ManagedTensorVersioned, kVersioned>(
        value_of(exchange::to_dlpack_versioned(shared)));
  }
  return capsule_of<exchange::dlpack::ManagedTensor, kUnversioned>(value_of(exchange::to_dlpack(shared)));
}

nb::object numpy_array(nb::object owner) {
  return nb::module_::import_("numpy").attr("asarray")(owner);
}

}  // namespace forebay::bindings
