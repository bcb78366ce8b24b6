// One case for each datatype: the field that holds it, and how its elements become a tensor's bytes.
#include "forebay/serving/grpc/typed_contents.h"

#include <limits>
#include <string>
#include <string_view>

namespace forebay::serving {
namespace {

using inference::InferTensorContents;
using Owner = std::shared_ptr<const inference::ModelInferRequest>;

/// The names of the fields that have elements.
std::vector<std::string_view> filled_fields(const InferTensorContents& contents) {
  std::vector<std::string_view> fields;
  const auto note = [&](std::string_view field, int count) {
    if (count > 0) {
      fields.push_back(field);
    }
  };
  note("bool_contents", contents.bool_contents_size());
  note("int_contents", contents.int_contents_size());
  note("int64_contents", contents.int64_contents_size());
  note("uint_contents", contents.uint_contents_size());
  note("uint64_contents", contents.uint64_contents_size());
  note("fp32_contents", contents.fp32_contents_size());
  note("fp64_contents", contents.fp64_contents_size());
  note("bytes_contents", contents.bytes_contents_size());
  return fields;
}

std::string_view field_of(Datatype datatype) {
  switch (datatype) {
    case Datatype::kBool:
      return "bool_contents";
    case Datatype::kInt8:
    case Datatype::kInt16:
    case Datatype::kInt32:
      return "int_contents";
    case Datatype::kInt64:
      return "int64_contents";
    case Datatype::kUint8:
    case Datatype::kUint16:
    case Datatype::kUint32:
      return "uint_contents";
    case Datatype::kUint64:
      return "uint64_contents";
    case Datatype::kFp32:
      return "fp32_contents";
    case Datatype::kFp64:
      return "fp64_contents";
    case Datatype::kBytes:
      return "bytes_contents";
    case Datatype::kFp16:
    case Datatype::kBf16:
      return "";
  }
  return "";
}

Status check_field(const InferTensorContents& contents, const NamedTensor& tensor) {
  const std::string_view field = field_of(tensor.datatype);
  if (field.empty()) {
    return unimplemented("input '{}': contents have no field for {}; send its bytes in raw_input_contents",
                         tensor.name, name_of(tensor.datatype));
  }
  for (const std::string_view filled : filled_fields(contents)) {
    if (filled != field) {
      return invalid_argument("input '{}' is of {}, whose elements belong in {}, and has some in {}",
                              tensor.name, name_of(tensor.datatype), field, filled);
    }
  }
  return ok_status();
}

/// The tensor's memory is that of the message.
template <class T>
Status borrow(const google::protobuf::RepeatedField<T>& elements, const Owner& owner, NamedTensor& tensor) {
  tensor.size_bytes = static_cast<size_t>(elements.size()) * sizeof(T);
  if (tensor.size_bytes > 0) {
    tensor.buffer = memory::Buffer::wrap_read_only(elements.data(), tensor.size_bytes,
                                                   memory::MemoryKind::kHost, [owner] {});
  }
  return ok_status();
}

/// Each number becomes one of the type To, into which it must fit.
template <class To, class T>
Status narrow_elements(const google::protobuf::RepeatedField<T>& elements, NamedTensor& tensor) {
  tensor.size_bytes = static_cast<size_t>(elements.size()) * sizeof(To);
  if (elements.empty()) {
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(tensor.buffer, memory::Buffer::allocate(tensor.size_bytes));
  To* const to = static_cast<To*>(tensor.buffer->data());
  for (int i = 0; i < elements.size(); ++i) {
    if (elements[i] < std::numeric_limits<To>::min() || elements[i] > std::numeric_limits<To>::max()) {
      return invalid_argument("input '{}': element {} is {}, which {} cannot hold", tensor.name, i,
                              elements[i], name_of(tensor.datatype));
    }
    to[i] = static_cast<To>(elements[i]);
  }
  return ok_status();
}

Status read_bytes(const google::protobuf::RepeatedPtrField<std::string>& elements, NamedTensor& tensor) {
  FOREBAY_ASSIGN_OR_RETURN(
      NamedTensor all, bytes_tensor(tensor.name, std::vector<std::string>(elements.begin(), elements.end())));
  tensor.buffer = std::move(all.buffer);
  tensor.size_bytes = all.size_bytes;
  return ok_status();
}

static_assert(sizeof(bool) == 1);

}  // namespace

Status read_typed_contents(const InferTensorContents& contents, const Owner& owner, NamedTensor& tensor) {
  FOREBAY_RETURN_IF_ERROR(check_field(contents, tensor));
  switch (tensor.datatype) {
    case Datatype::kBool:
      return borrow(contents.bool_contents(), owner, tensor);
    case Datatype::kInt8:
      return narrow_elements<int8_t>(contents.int_contents(), tensor);
    case Datatype::kInt16:
      return narrow_elements<int16_t>(contents.int_contents(), tensor);
    case Datatype::kInt32:
      return borrow(contents.int_contents(), owner, tensor);
    case Datatype::kInt64:
      return borrow(contents.int64_contents(), owner, tensor);
    case Datatype::kUint8:
      return narrow_elements<uint8_t>(contents.uint_contents(), tensor);
    case Datatype::kUint16:
      return narrow_elements<uint16_t>(contents.uint_contents(), tensor);
    case Datatype::kUint32:
      return borrow(contents.uint_contents(), owner, tensor);
    case Datatype::kUint64:
      return borrow(contents.uint64_contents(), owner, tensor);
    case Datatype::kFp32:
      return borrow(contents.fp32_contents(), owner, tensor);
    case Datatype::kFp64:
      return borrow(contents.fp64_contents(), owner, tensor);
    case Datatype::kBytes:
      return read_bytes(contents.bytes_contents(), tensor);
    case Datatype::kFp16:
    case Datatype::kBf16:
      break;
  }
  return internal_error("no contents are read as {}", name_of(tensor.datatype));
}

}  // namespace forebay::serving
