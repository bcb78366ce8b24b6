#include "bindings/arrays.h"

#include <nanobind/ndarray.h>

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "bindings/errors.h"
#include "bindings/python_ref.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"

namespace forebay::bindings {
namespace {

using tensor::DType;
using tensor::Tensor;

/// The kind of a buffer format ("u", "i", "f", "b"), or 0. Sizes come from the item size: "l" is not the same
/// everywhere.
char kind_of_format(std::string_view format) {
  if (format.size() == 2 && (format[0] == '<' || format[0] == '=' || format[0] == '@' || format[0] == '|')) {
    format.remove_prefix(1);
  }
  if (format.size() != 1) {
    return 0;
  }
  if (format == "?") {
    return 'b';
  }
  if (std::string_view("BHILQNc").find(format[0]) != std::string_view::npos) {
    return 'u';
  }
  if (std::string_view("bhilqn").find(format[0]) != std::string_view::npos) {
    return 'i';
  }
  return std::string_view("efd").find(format[0]) != std::string_view::npos ? 'f' : 0;
}

struct TypeRow {
  DType dtype;
  char kind;
  uint8_t bytes;
  nb::dlpack::dtype_code code;
};

constexpr std::array<TypeRow, 12> kTypes = {{
    {DType::kUint8, 'u', 1, nb::dlpack::dtype_code::UInt},
    {DType::kUint16, 'u', 2, nb::dlpack::dtype_code::UInt},
    {DType::kUint32, 'u', 4, nb::dlpack::dtype_code::UInt},
    {DType::kUint64, 'u', 8, nb::dlpack::dtype_code::UInt},
    {DType::kInt8, 'i', 1, nb::dlpack::dtype_code::Int},
    {DType::kInt16, 'i', 2, nb::dlpack::dtype_code::Int},
    {DType::kInt32, 'i', 4, nb::dlpack::dtype_code::Int},
    {DType::kInt64, 'i', 8, nb::dlpack::dtype_code::Int},
    {DType::kFloat16, 'f', 2, nb::dlpack::dtype_code::Float},
    {DType::kFloat, 'f', 4, nb::dlpack::dtype_code::Float},
    {DType::kFloat64, 'f', 8, nb::dlpack::dtype_code::Float},
    {DType::kBool, 'b', 1, nb::dlpack::dtype_code::Bool},
}};

const TypeRow& row_of(DType dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) {
      return row;
    }
  }
  raise(invalid_argument("a tensor without an element type has no array form"));
}

DType dtype_of_buffer(const Py_buffer& view) {
  const char* format = view.format == nullptr ? "B" : view.format;
  const char kind = kind_of_format(format);
  for (const TypeRow& row : kTypes) {
    if (row.kind == kind && row.bytes == view.itemsize) {
      return row.dtype;
    }
  }
  throw nb::type_error(
      fmt::format("arrays with elements of format '{}' cannot become tensors", format).c_str());
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
  const TypeRow& row = row_of(tensor.tensor.dtype());
  const char order = row.bytes == 1 ? '|' : '<';
  nb::dict fields;
  fields["version"] = 3;
  fields["typestr"] = nb::str(fmt::format("{}{}{}", order, row.kind, row.bytes).c_str());
  fields["shape"] = shape_of(tensor.tensor.shape());
  fields["data"] = nb::make_tuple(reinterpret_cast<uintptr_t>(tensor.tensor.mutable_data()), false);
  fields["strides"] = nb::none();
  return fields;
}

nb::object dlpack(nb::handle owner, const PythonTensor& tensor) {
  check_host_accessible(tensor.tensor);
  const TypeRow& row = row_of(tensor.tensor.dtype());
  const tensor::Shape& shape = tensor.tensor.shape();
  std::array<size_t, tensor::kMaxRank> extents{};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    extents[axis] = static_cast<size_t>(shape[axis]);
  }
  const nb::dlpack::dtype dtype{static_cast<uint8_t>(row.code), static_cast<uint8_t>(row.bytes * 8), 1};
  const nb::ndarray<> array(tensor.tensor.mutable_data(), shape.rank(), extents.data(), owner, nullptr, dtype,
                            nb::device::cpu::value, 0);
  return nb::cast(array);
}

nb::object numpy_array(nb::object owner) {
  return nb::module_::import_("numpy").attr("asarray")(owner);
}

}  // namespace forebay::bindings
