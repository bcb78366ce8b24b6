#include "bindings/interpreter/bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "bindings/exchange/array_interfaces.h"
#include "bindings/exchange/arrays.h"
#include "bindings/exchange/buffer_protocol.h"
#include "bindings/exchange/dlpack_protocol.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "bindings/interpreter/text.h"
#include "forebay/exchange/arrays/strided_array.h"
#include "forebay/memory/copy.h"

namespace forebay::bindings {
namespace {

using tensor::Tensor;

int checked_index(const PythonTensorList& list, int index) {
  const int place = index < 0 ? index + list.batch.size() : index;
  if (place < 0 || place >= list.batch.size()) {
    raise(out_of_range("sample {} of a batch of {}", index, list.batch.size()));
  }
  return place;
}

nb::object source_info(const PythonTensor& tensor) {
  if (tensor.origins == nullptr) {
    return nb::str("");
  }
  return text_to_python((*tensor.origins)[tensor.sample].object);
}

PythonTensor with_layout(const PythonTensor& tensor, const std::string& layout) {
  if (!layout.empty() && static_cast<int>(layout.size()) != tensor.tensor.shape().rank()) {
    raise(invalid_argument("the layout '{}' does not fit a tensor of {} dimensions", layout,
                           tensor.tensor.shape().rank()));
  }
  tensor::TensorSpec spec = tensor.tensor.spec();
  spec.layout = tensor::Layout(layout);
  return {value_of(tensor.tensor.reinterpreted(spec)), tensor.origins, tensor.sample, {}, tensor.enumeration};
}

tensor::DType dtype_from(nb::handle dtype) {
  const int number = nb::cast<int>(nb::int_(dtype));
  const auto last = static_cast<int>(tensor::DType::kBool);
  if (number < 0 || number > last) {
    raise(invalid_argument("{} is the number of no element type of tensors", number));
  }
  return static_cast<tensor::DType>(number);
}

/// The same memory as elements of another type of the same size.
Tensor with_dtype(const Tensor& tensor, tensor::DType dtype) {
  if (tensor::size_of(dtype) != tensor::size_of(tensor.dtype())) {
    raise(invalid_argument("elements of {} bytes cannot be seen as {}, which has {}",
                           tensor::size_of(tensor.dtype()), tensor::name_of(dtype), tensor::size_of(dtype)));
  }
  tensor::TensorSpec spec = tensor.spec();
  spec.dtype = dtype;
  return value_of(tensor.reinterpreted(spec));
}

/// Takes axes of extent 1 off the tensor itself; false when there are none.
bool squeeze(PythonTensor& self, std::optional<int> axis) {
  tensor::TensorSpec spec{tensor::Shape(), self.tensor.dtype(), {}};
  std::string layout;
  const tensor::Shape shape = self.tensor.shape();
  const int chosen = axis && *axis < 0 ? *axis + shape.rank() : axis.value_or(-1);
  if (axis && (chosen < 0 || chosen >= shape.rank())) {
    raise(invalid_argument("axis {} of a tensor of {} dimensions", *axis, shape.rank()));
  }
  for (int place = 0; place < shape.rank(); ++place) {
    if (shape[place] == 1 && (!axis || chosen == place)) {
      continue;
    }
    spec.shape.push_back(shape[place]);
    if (!self.tensor.layout().empty()) {
      layout += self.tensor.layout()[place];
    }
  }
  spec.layout = tensor::Layout(layout);
  self.tensor = value_of(self.tensor.reinterpreted(spec));
  return spec.shape.rank() < shape.rank();
}

/// So many tensors of that kind, side by side in the memory of `whole`.
std::vector<Tensor> parts_of(const Tensor& whole, const tensor::TensorSpec& spec, int64_t count) {
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < count; ++i) {
    const size_t offset = whole.offset_bytes() + static_cast<size_t>(i) * spec.size_bytes();
    parts.emplace_back(whole.buffer(), offset, spec);
  }
  return parts;
}

/// The parts along the first axis, over the tensor's memory: a batch of them is dense.
nb::list samples_in(const PythonTensor& whole, const std::string& layout) {
  const tensor::Shape& shape = whole.tensor.shape();
  if (shape.rank() == 0) {
    raise(invalid_argument("a tensor without axes has no samples"));
  }
  tensor::TensorSpec spec{tensor::Shape(), whole.tensor.dtype(), {}};
  for (int axis = 1; axis < shape.rank(); ++axis) {
    spec.shape.push_back(shape[axis]);
  }
  nb::list samples;
  for (Tensor& part : parts_of(whole.tensor, spec, shape[0])) {
    const PythonTensor sample = {std::move(part), nullptr, 0};
    samples.append(layout.empty() ? sample : with_layout(sample, layout));
  }
  return samples;
}

void copy_to(const PythonTensor& tensor, uintptr_t pointer) {
  check_host_accessible(tensor.tensor);
  const GilRelease no_gil;
  memory::copy(reinterpret_cast<void*>(pointer), tensor.tensor.data(), tensor.tensor.size_bytes());
}

/// The element type as Python's enumeration.
nb::object python_dtype(tensor::DType dtype, int enumeration) {
  const int number = enumeration >= 0 ? enumeration : static_cast<int>(dtype);
  return nb::module_::import_("forebay.types").attr("DALIDataType")(number);
}

void mark_as_enumeration(PythonTensorList& self, nb::handle type) {
  self.enumeration = nb::cast<int>(nb::int_(type));
}

nb::object described(const char* function, nb::handle self) {
  return nb::module_::import_("forebay.tensors").attr(function)(self);
}

nb::object property_of(const PythonTensor& self, const std::string& name) {
  if (name == "layout") {
    const std::string layout = self.tensor.layout().to_string();
    return layout.empty() ? nb::none() : nb::object(nb::str(layout.c_str()));
  }
  if (name == "source_info") {
    return source_info(self);
  }
  throw nb::key_error(name.c_str());
}

nb::object numpy_array_of(nb::object owner, nb::handle dtype, nb::handle copy) {
  nb::object array = numpy_array(owner);
  if (!dtype.is_none()) {
    array = array.attr("astype")(dtype, nb::arg("copy") = false);
  }
  return copy.ptr() == Py_True ? nb::object(array.attr("copy")()) : array;
}

nb::object itself(nb::object self) {
  return self;
}

constexpr char kDtypeSignature[] = "def dtype(self) -> forebay.types.DALIDataType";
constexpr char kArraySignature[] = "def as_array(self) -> numpy.ndarray";

/// Arrays of other libraries over the memory of a tensor.
void bind_borders(nb::class_<PythonTensor>& binding) {
  bind_dlpack(binding, true);
  binding.def_prop_ro("__array_interface__", &array_interface)
      .def("__array__", &numpy_array_of, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def("data_ptr",
           [](const PythonTensor& self) { return reinterpret_cast<uintptr_t>(self.tensor.data()); })
      .def("copy_to_external", &copy_to, nb::arg("pointer"));
}

/// `is_pinned` is what DALI is told of the memory; here nothing depends on it.
void construct_tensor(PythonTensor* self, nb::handle buffer, const std::optional<std::string>& layout_or_none,
                      bool copy, bool /*is_pinned*/) {
  const std::string layout = layout_or_none.value_or("");
  if (PyCapsule_CheckExact(buffer.ptr()) == 0) {
    new (self) PythonTensor{tensor_from_buffer(buffer, layout, copy), nullptr, 0};
    return;
  }
  const exchange::StridedArray array = array_from_dlpack(buffer, nb::none(), nb::none());
  tensor::Tensor tensor = value_of(exchange::tensor_of(array, true));
  if (copy) {
    tensor = value_of(tensor::Tensor::copy_of_bytes(tensor.view().bytes(), tensor.spec()));
  }
  const PythonTensor taken = {std::move(tensor), nullptr, 0};
  new (self) PythonTensor(layout.empty() ? taken : with_layout(taken, layout));
}

void bind_single(nb::module_& module) {
  module.def("samples_of", &samples_in, nb::arg("whole"), nb::arg("layout"),
             nb::sig("def samples_of(whole: TensorCPU, layout: str) -> list[TensorCPU]"),
             "The parts of a tensor along its first axis, over the same memory.");
  module.def("with_layout", &with_layout, nb::arg("tensor"), nb::arg("layout"),
             "A tensor over the same memory, with that layout.");
  nb::class_<PythonTensor> binding(
      module, "TensorCPU", nb::dynamic_attr(), nb::is_weak_referenceable(), nb::type_slots(buffer_slots),
      "A dense tensor in host memory; shares that memory with every array made from it.");
  binding
      .def("__init__", &construct_tensor, nb::arg("buffer"), nb::arg("layout").none() = "",
           nb::arg("copy") = false, nb::arg("is_pinned") = false,
           "Takes any C-contiguous object with the buffer protocol, or a DLPack capsule; without `copy` the "
           "memory is shared.")
      .def(
          "shape", [](const PythonTensor& self) { return nb::list(shape_of(self.tensor.shape())); },
          nb::sig("def shape(self) -> list[int]"))
      .def("ndim", [](const PythonTensor& self) { return self.tensor.shape().rank(); })
      .def("layout", [](const PythonTensor& self) { return self.tensor.layout().to_string(); })
      .def("set_layout",
           [](PythonTensor& self, const std::string& layout) { self = with_layout(self, layout); })
      .def(
          "reinterpret",
          [](PythonTensor& self, nb::handle dtype) {
            self.tensor = with_dtype(self.tensor, dtype_from(dtype));
            self.enumeration = -1;
          },
          nb::arg("new_type"), "Sees the elements as another type of the same size.")
      .def("squeeze", &squeeze, nb::arg("dim") = nb::none(),
           "Takes off the axes of extent 1, or that axis if it is one; whether anything has changed.")
      .def("source_info", &source_info, nb::sig("def source_info(self) -> str"),
           "The object that the sample was read from; empty when it was fed.")
      .def("get_property", &property_of, nb::arg("name"))
      .def("as_cpu", &itself, nb::sig("def as_cpu(self) -> TensorCPU"))
      .def("as_array", &numpy_array, nb::sig(kArraySignature), "A NumPy array over the same memory.")
      .def_prop_ro(
          "dtype",
          [](const PythonTensor& self) { return python_dtype(self.tensor.dtype(), self.enumeration); },
          nb::sig(kDtypeSignature))
      .def_prop_ro("nbytes", [](const PythonTensor& self) { return self.tensor.size_bytes(); })
      .def(
          "__repr__", [](nb::handle self) { return described("describe_tensor", self); },
          nb::sig("def __repr__(self) -> str"))
      .def("__len__", [](const PythonTensor& self) {
        return self.tensor.shape().rank() == 0 ? 0 : self.tensor.shape()[0];
      });
  bind_borders(binding);
}

PythonTensorList list_from(nb::handle samples, const std::string& layout) {
  std::vector<Tensor> tensors;
  for (const nb::handle sample : nb::module_::import_("forebay.tensors").attr("to_batch")(samples, layout)) {
    tensors.push_back(nb::cast<PythonTensor&>(sample).tensor);
  }
  return {tensor::Batch(std::move(tensors)), nullptr};
}

/// `contiguous` and `is_pinned` are what DALI is told; here nothing depends on them.
void construct_list(PythonTensorList* self, nb::handle samples, const std::optional<std::string>& layout,
                    bool /*contiguous*/, bool /*is_pinned*/) {
  new (self) PythonTensorList(list_from(samples, layout.value_or("")));
}

nb::object whole(const PythonTensorList& self) {
  return nb::cast(self.stacked());
}

PythonTensorList broadcast(const PythonTensor& tensor, int count) {
  if (count < 0) {
    raise(invalid_argument("a batch cannot have {} samples", count));
  }
  return {tensor::Batch(std::vector<Tensor>(static_cast<size_t>(count), tensor.tensor)), nullptr};
}

PythonTensorList from_dlpack_list(nb::list objects, const std::optional<std::string>& layout,
                                  bool contiguous) {
  PythonTensorList list = list_from(objects, layout.value_or(""));
  if (!contiguous || list.batch.size() == 0) {
    return list;
  }
  const Tensor all = list.stacked().tensor;
  return {tensor::Batch(parts_of(all, list.batch[0].spec(), list.batch.size())), nullptr};
}

void retype_list(PythonTensorList& self, nb::handle dtype) {
  std::vector<Tensor> samples;
  for (const Tensor& sample : self.batch.samples()) {
    samples.push_back(with_dtype(sample, dtype_from(dtype)));
  }
  self.batch = tensor::Batch(std::move(samples));
  self.enumeration = -1;
}

void set_layout_of_list(PythonTensorList& self, const std::optional<std::string>& layout) {
  std::vector<Tensor> samples;
  for (int place = 0; place < self.batch.size(); ++place) {
    PythonTensor sample = self.at(place);
    tensor::TensorSpec spec = sample.tensor.spec();
    spec.layout = {};
    sample.tensor = value_of(sample.tensor.reinterpreted(spec));
    samples.push_back(with_layout(sample, layout.value_or("")).tensor);
  }
  self.batch = tensor::Batch(std::move(samples));
}

nb::list samples_of(const PythonTensorList& self) {
  nb::list samples;
  for (int i = 0; i < self.batch.size(); ++i) {
    samples.append(self.at(i));
  }
  return samples;
}

nb::list shapes_of(const PythonTensorList& self) {
  nb::list shapes;
  for (const Tensor& sample : self.batch.samples()) {
    shapes.append(shape_of(sample.shape()));
  }
  return shapes;
}

tensor::DType dtype_of(const PythonTensorList& self) {
  return self.batch.size() == 0 ? tensor::DType::kNone : self.batch[0].dtype();
}

tensor::Shape shape_from(const std::vector<int64_t>& extents) {
  const bool is_short = extents.size() <= tensor::kMaxRank;
  if (!is_short || std::ranges::any_of(extents, [](int64_t extent) { return extent < 0; })) {
    raise(invalid_argument("a shape has at most {} extents, none of them negative", tensor::kMaxRank));
  }
  return tensor::Shape(std::span<const int64_t>(extents));
}

/// The values of all samples in a row, copied only where they are not in a row already.
Tensor joined(const PythonTensorList& self) {
  if (self.batch.size() == 0 || self.batch.has_uniform_shape()) {
    return self.stacked().tensor;
  }
  int64_t count = 0;
  for (const Tensor& sample : self.batch.samples()) {
    check_host_accessible(sample);
    count += sample.shape().volume();
  }
  Tensor all = value_of(Tensor::allocate({tensor::Shape{count}, self.batch[0].dtype(), {}}));
  auto* end = static_cast<std::byte*>(all.mutable_data());
  for (const Tensor& sample : self.batch.samples()) {
    memory::copy(end, sample.data(), sample.size_bytes());
    end += sample.size_bytes();
  }
  return all;
}

/// Where the values begin. Samples that do not lie in a row are copied into one, which the batch keeps.
uintptr_t address_of_list(PythonTensorList& self) {
  const std::byte* end = nullptr;
  bool is_row = true;
  for (const Tensor& sample : self.batch.samples()) {
    const auto* data = static_cast<const std::byte*>(sample.data());
    is_row = is_row && (end == nullptr || end == data);
    end = data + sample.size_bytes();
  }
  if (!is_row) {
    const Tensor all = joined(self);
    std::vector<Tensor> parts;
    size_t offset = all.offset_bytes();
    for (const Tensor& sample : self.batch.samples()) {
      parts.emplace_back(all.buffer(), offset, sample.spec());
      offset += sample.size_bytes();
    }
    self.batch = tensor::Batch(std::move(parts));
  }
  return self.batch.size() == 0 ? 0 : reinterpret_cast<uintptr_t>(self.batch[0].data());
}

PythonTensor reshaped(const PythonTensorList& self, const std::vector<int64_t>& extents) {
  tensor::TensorSpec spec{shape_from(extents), dtype_of(self), {}};
  const std::string layout = self.layout().to_string();
  if (!layout.empty() && layout.size() + 1 == extents.size()) {
    spec.layout = tensor::Layout("N" + layout);
  }
  return {value_of(joined(self).reinterpreted(spec)), nullptr, 0};
}

/// Arrays of other libraries over the memory of a batch.
void bind_borders(nb::class_<PythonTensorList>& binding) {
  bind_dlpack(binding, false);
  binding
      .def(
          "__array__",
          [](const PythonTensorList& self, nb::handle dtype, nb::handle copy) {
            return numpy_array_of(whole(self), dtype, copy);
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def("data_ptr", &address_of_list, "The address of the values, one sample behind the other.")
      .def("copy_to_external",
           [](const PythonTensorList& self, uintptr_t pointer) { copy_to(self.stacked(), pointer); });
}

void bind_list(nb::module_& module) {
  module.def(
      "mark_as_enumeration", &mark_as_enumeration, nb::arg("batch"), nb::arg("type"),
      nb::sig("def mark_as_enumeration(batch: TensorListCPU, type: forebay.types.DALIDataType) -> None"),
      "Lets the integers of a batch be known as numbers of an enumeration.");
  nb::class_<PythonTensorList> binding(module, "TensorListCPU", nb::dynamic_attr(),
                                       nb::is_weak_referenceable(),
                                       "A batch: the samples of one output of one iteration.");
  binding
      .def("__init__", &construct_list, nb::arg("samples"), nb::arg("layout").none() = "",
           nb::arg("contiguous") = true, nb::arg("is_pinned") = false)
      .def("__len__", [](const PythonTensorList& self) { return self.batch.size(); })
      .def("__getitem__",
           [](const PythonTensorList& self, int index) { return self.at(checked_index(self, index)); })
      .def(
          "__iter__", [](const PythonTensorList& self) { return nb::iter(samples_of(self)); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[TensorCPU]"))
      .def(
          "at",
          [](const PythonTensorList& self, int index) {
            return numpy_array(nb::cast(self.at(checked_index(self, index))));
          },
          nb::sig("def at(self, index: int) -> numpy.ndarray"),
          "Sample `index` as a NumPy array over the same memory.")
      .def("shape", &shapes_of, nb::sig("def shape(self) -> list[tuple[int, ...]]"))
      .def("ndim",
           [](const PythonTensorList& self) {
             return self.batch.size() == 0 ? 0 : self.batch[0].shape().rank();
           })
      .def("layout", [](const PythonTensorList& self) { return self.layout().to_string(); })
      .def("is_dense_tensor", [](const PythonTensorList& self) { return self.batch.has_uniform_shape(); })
      .def(
          "is_contiguous", [](const PythonTensorList& self) { return self.batch.as_tensor().has_value(); },
          "True when as_tensor() copies nothing.")
      .def("as_tensor", &PythonTensorList::stacked, "The batch as one tensor; ValueError when shapes differ.")
      .def("as_reshaped_tensor", &reshaped, nb::arg("shape"),
           "All values of the batch as one tensor of that shape; ValueError when they do not fill it.")
      .def(
          "as_array", [](const PythonTensorList& self) { return numpy_array(whole(self)); },
          nb::sig(kArraySignature), "The batch as one NumPy array; ValueError when shapes differ.")
      .def("as_cpu", &itself, nb::sig("def as_cpu(self) -> TensorListCPU"))
      .def_static("broadcast", &broadcast, nb::arg("tensor"), nb::arg("num_samples"),
                  "A batch of that many samples, all over the memory of `tensor`.")
      .def_static("from_dlpack_list", &from_dlpack_list, nb::arg("list_of_objects"),
                  nb::arg("layout") = nb::none(), nb::arg("contiguous") = false,
                  "A batch of objects with `__dlpack__`; with `contiguous` they are copied into one piece.")
      .def("reinterpret", &retype_list, nb::arg("new_type"),
           "Sees the elements as another type of the same size.")
      .def("set_layout", &set_layout_of_list, nb::arg("layout").none())
      .def(
          "reset", [](PythonTensorList& self) { self = {}; }, "Lets go of the samples: the batch is empty.")
      .def_prop_ro(
          "dtype",
          [](const PythonTensorList& self) { return python_dtype(dtype_of(self), self.enumeration); },
          nb::sig(kDtypeSignature))
      .def(
          "__repr__", [](nb::handle self) { return described("describe_batch", self); },
          nb::sig("def __repr__(self) -> str"));
  bind_borders(binding);
}

}  // namespace

void bind_tensor(nb::module_& module) {
  bind_single(module);
  bind_list(module);
}

}  // namespace forebay::bindings
