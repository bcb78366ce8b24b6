// Tensors to ONNX Runtime and from it, without copying but for strings.
#include "forebay/serving/processes/onnx_values.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "forebay/memory/copy.h"

namespace forebay::serving {
namespace {

struct OnnxTypeRow {
  int onnx;  // ONNXTensorElementDataType
  Datatype datatype;
};

constexpr std::array kOnnxTypes = {
    OnnxTypeRow{1, Datatype::kFp32},    OnnxTypeRow{2, Datatype::kUint8}, OnnxTypeRow{3, Datatype::kInt8},
    OnnxTypeRow{4, Datatype::kUint16},  OnnxTypeRow{5, Datatype::kInt16}, OnnxTypeRow{6, Datatype::kInt32},
    OnnxTypeRow{7, Datatype::kInt64},   OnnxTypeRow{8, Datatype::kBytes}, OnnxTypeRow{9, Datatype::kBool},
    OnnxTypeRow{10, Datatype::kFp16},   OnnxTypeRow{11, Datatype::kFp64}, OnnxTypeRow{12, Datatype::kUint32},
    OnnxTypeRow{13, Datatype::kUint64}, OnnxTypeRow{16, Datatype::kBf16},
};

/// The bytes behind a value that has none.
std::byte no_bytes{};

Result<OrtValueRef> onnx_strings(const OnnxLibrary& library, const NamedTensor& tensor) {
  std::vector<std::string> texts;
  std::vector<const char*> pointers;
  for (const Bytes element : elements_of(tensor)) {
    texts.emplace_back(reinterpret_cast<const char*>(element.data()), element.size());
    if (texts.back().find('\0') != std::string::npos) {
      return invalid_argument(
          "input '{}': element {} has a zero byte, which ONNX Runtime's strings cannot hold", tensor.name,
          texts.size() - 1);
    }
  }
  for (const std::string& text : texts) {
    pointers.push_back(text.c_str());
  }
  OrtAllocator* allocator = nullptr;
  FOREBAY_RETURN_IF_ERROR(library.call(OrtEntry::kDefaultAllocator, &allocator));
  OrtValue* value = nullptr;
  FOREBAY_RETURN_IF_ERROR(library.call(OrtEntry::kCreateTensor, allocator, tensor.shape.data(),
                                       tensor.shape.size(), onnx_type_of(Datatype::kBytes), &value));
  OrtValueRef owned(value, {&library});
  FOREBAY_RETURN_IF_ERROR(library.call(OrtEntry::kFillStrings, value,
                                       static_cast<const char* const*>(pointers.data()), pointers.size()));
  return owned;
}

/// All strings lie behind each other in `content`; string i begins at `begins[i]`.
NamedTensor strings_of(const std::vector<char>& content, const std::vector<size_t>& begins,
                       const memory::BufferRef& to) {
  std::byte* at = to->mutable_bytes().data();
  for (size_t i = 0; i < begins.size(); ++i) {
    const size_t end = i + 1 < begins.size() ? begins[i + 1] : content.size();
    const auto length = static_cast<uint32_t>(end - begins[i]);
    std::memcpy(at, &length, sizeof(length));  // copy: a number of 4 bytes
    memory::copy(at + sizeof(length), content.data() + begins[i], length);
    at += sizeof(length) + length;
  }
  NamedTensor tensor;
  tensor.buffer = to;
  tensor.size_bytes = to->size_bytes();
  return tensor;
}

Result<NamedTensor> string_tensor(const OnnxLibrary& library, const OrtValue* value, int64_t count) {
  size_t length = 0;
  FOREBAY_RETURN_IF_ERROR(library.call(OrtEntry::kStringsLength, value, &length));
  std::vector<char> content(length);
  std::vector<size_t> begins(static_cast<size_t>(count));
  if (count > 0) {
    char nothing = 0;
    FOREBAY_RETURN_IF_ERROR(library.call(OrtEntry::kStringsContent, value,
                                         static_cast<void*>(length > 0 ? content.data() : &nothing), length,
                                         begins.data(), begins.size()));
  }
  FOREBAY_ASSIGN_OR_RETURN(const memory::BufferRef to,
                           memory::Buffer::allocate(length + begins.size() * sizeof(uint32_t)));
  return strings_of(content, begins, to);
}

}  // namespace

Result<Datatype> datatype_of_onnx(int element_type) {
  for (const OnnxTypeRow& row : kOnnxTypes) {
    if (row.onnx == element_type) {
      return row.datatype;
    }
  }
  return unimplemented("tensors of ONNX's element type {} have no datatype in the protocol", element_type);
}

int onnx_type_of(Datatype datatype) {
  const auto* const row = std::find_if(kOnnxTypes.begin(), kOnnxTypes.end(),
                                       [&](const OnnxTypeRow& one) { return one.datatype == datatype; });
  return row->onnx;
}

Result<OnnxShape> shape_of(const OnnxLibrary& library, const OrtShapeInfo* info) {
  OnnxShape shape;
  size_t rank = 0;
  FOREBAY_RETURN_IF_ERROR(library.call(OrtEntry::kElementType, info, &shape.element_type));
  FOREBAY_RETURN_IF_ERROR(library.call(OrtEntry::kDimensionCount, info, &rank));
  shape.extents.resize(rank);
  FOREBAY_RETURN_IF_ERROR(library.call(OrtEntry::kDimensions, info, shape.extents.data(), rank));
  return shape;
}

Result<OrtValueRef> onnx_value(const OnnxLibrary& library, const OrtMemoryInfo* memory,
                               const NamedTensor& tensor) {
  if (tensor.datatype == Datatype::kBytes) {
    return onnx_strings(library, tensor);
  }
  // Inputs are only read, though the interface takes a pointer to what may change.
  auto* const data = tensor.size_bytes == 0 ? &no_bytes : const_cast<std::byte*>(tensor.bytes().data());
  OrtValue* value = nullptr;
  FOREBAY_RETURN_IF_ERROR(library.call(OrtEntry::kCreateTensorWithData, memory, static_cast<void*>(data),
                                       tensor.size_bytes, tensor.shape.data(), tensor.shape.size(),
                                       onnx_type_of(tensor.datatype), &value));
  return OrtValueRef(value, {&library});
}

Result<NamedTensor> tensor_of(const OnnxLibrary& library, std::string name, OrtValueRef value) {
  OrtShapeInfo* info = nullptr;
  FOREBAY_RETURN_IF_ERROR(
      library.call(OrtEntry::kShapeInfo, static_cast<const OrtValue*>(value.get()), &info));
  const OrtShapeInfoRef owned_info(info, {&library});
  FOREBAY_ASSIGN_OR_RETURN(OnnxShape shape, shape_of(library, info));
  FOREBAY_ASSIGN_OR_RETURN(const Datatype datatype, datatype_of_onnx(shape.element_type));
  FOREBAY_ASSIGN_OR_RETURN(const int64_t count, volume_of(shape.extents));
  NamedTensor tensor;
  if (datatype == Datatype::kBytes) {
    FOREBAY_ASSIGN_OR_RETURN(tensor, string_tensor(library, value.get(), count));
  } else if (count > 0) {
    void* data = nullptr;
    FOREBAY_RETURN_IF_ERROR(library.call(OrtEntry::kTensorData, value.get(), &data));
    tensor.size_bytes = static_cast<size_t>(count) * size_of(datatype);
    tensor.buffer = memory::Buffer::wrap_read_only(data, tensor.size_bytes, memory::MemoryKind::kHost,
                                                   [shared = std::shared_ptr<OrtValue>(std::move(value))] {});
  }
  tensor.name = std::move(name);
  tensor.datatype = datatype;
  tensor.shape = std::move(shape.extents);
  return tensor;
}

}  // namespace forebay::serving
