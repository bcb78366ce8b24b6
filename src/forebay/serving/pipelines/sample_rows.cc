// Rows of a batch lent to samples, and samples' outputs put behind each other.
#include "forebay/serving/pipelines/sample_rows.h"

#include "forebay/memory/copy.h"

namespace forebay::serving {
namespace {

using tensor::Tensor;
using tensor::TensorSpec;

Result<tensor::Shape> shape_of_row(const NamedTensor& given, bool has_batch) {
  const size_t first = has_batch ? 1 : 0;
  if (given.shape.size() < first) {
    return invalid_argument("input '{}' is a scalar, and its first extent is that of the batch", given.name);
  }
  const std::span<const int64_t> extents = std::span(given.shape).subspan(first);
  if (extents.size() > tensor::kMaxRank) {
    return invalid_argument("input '{}' has {} axes, and a sample at most {}", given.name, extents.size(),
                            tensor::kMaxRank);
  }
  return tensor::Shape(extents);
}

/// A tensor of uint8 over each element.
Result<std::vector<Tensor>> rows_of_bytes(const NamedTensor& given, int64_t rows) {
  const std::vector<Bytes> elements = elements_of(given);
  if (static_cast<int64_t>(elements.size()) != rows) {
    return invalid_argument("input '{}' has {} elements in {} rows: each sample takes one", given.name,
                            elements.size(), rows);
  }
  std::vector<Tensor> samples;
  for (const Bytes element : elements) {
    TensorSpec spec;
    spec.dtype = tensor::DType::kUint8;
    spec.shape = {static_cast<int64_t>(element.size())};
    samples.emplace_back(given.buffer, element.data() - given.buffer->bytes().data(), spec);
  }
  return samples;
}

std::vector<int64_t> extents_of(const tensor::Shape& shape) {
  return {shape.begin(), shape.end()};
}

Result<NamedTensor> lent_row(std::string name, const Tensor& row, bool has_batch) {
  NamedTensor made;
  made.name = std::move(name);
  made.datatype = datatype_of(row.dtype());
  made.shape = extents_of(row.shape());
  if (has_batch) {
    made.shape.insert(made.shape.begin(), 1);
  }
  made.buffer = row.buffer();
  made.offset_bytes = row.offset_bytes();
  made.size_bytes = row.size_bytes();
  return made;
}

}  // namespace

Result<std::vector<Tensor>> rows_of(const NamedTensor& given, bool has_batch, const tensor::Layout& layout) {
  TensorSpec spec;
  FOREBAY_ASSIGN_OR_RETURN(spec.shape, shape_of_row(given, has_batch));
  const int64_t rows = has_batch ? given.shape[0] : 1;
  if (given.datatype == Datatype::kBytes) {
    return rows_of_bytes(given, rows);
  }
  const Result<tensor::DType> dtype = dtype_of(given.datatype);
  if (!dtype.ok()) {
    return annotate(dtype.status(), fmt::format("input '{}'", given.name));
  }
  spec.dtype = *dtype;
  if (layout.size() == spec.shape.rank()) {
    spec.layout = layout;
  }
  memory::BufferRef buffer = given.buffer;
  if (buffer == nullptr) {
    FOREBAY_ASSIGN_OR_RETURN(buffer, memory::Buffer::allocate(0));
  }
  std::vector<Tensor> samples;
  for (int64_t row = 0; row < rows; ++row) {
    samples.emplace_back(buffer, given.offset_bytes + row * spec.size_bytes(), spec);
  }
  return samples;
}

Result<NamedTensor> tensor_of_rows(std::string name, const std::vector<Tensor>& rows, bool has_batch) {
  const TensorSpec& first = rows[0].spec();
  if (rows.size() == 1) {
    return lent_row(std::move(name), rows[0], has_batch);
  }
  for (size_t row = 1; row < rows.size(); ++row) {
    const TensorSpec& spec = rows[row].spec();
    if (spec.shape != first.shape || spec.dtype != first.dtype) {
      return invalid_argument(
          "output '{}' is {} in row 0 and {} in row {}: rows of a request must be equal in shape; "
          "send such samples one by one, or resize or pad them in the pipeline",
          name, first.to_string(), spec.to_string(), row);
    }
  }
  NamedTensor made;
  made.name = std::move(name);
  made.datatype = datatype_of(first.dtype);
  made.shape = extents_of(first.shape);
  made.shape.insert(made.shape.begin(), static_cast<int64_t>(rows.size()));
  made.size_bytes = first.size_bytes() * rows.size();
  FOREBAY_ASSIGN_OR_RETURN(made.buffer, memory::Buffer::allocate(made.size_bytes));
  std::byte* to = made.buffer->mutable_bytes().data();
  for (const Tensor& row : rows) {
    memory::copy(to, row.data(), row.size_bytes());
    to += row.size_bytes();
  }
  return made;
}

}  // namespace forebay::serving
