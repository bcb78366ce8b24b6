// The classification extension: the highest values of each row, sorted and written as text.
#include "forebay/serving/protocol/classify.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>

namespace forebay::serving {
namespace {

// Where the highest values go.
struct ClassRows {
  int64_t rows = 1;
  int64_t row_elements = 0;
  int64_t count = 0;  // of each row
  const std::vector<std::string>& labels;
  std::vector<std::string> texts;
};

template <class Value>
bool is_higher(Value a, Value b) {
  if constexpr (std::is_floating_point_v<Value>) {
    if (std::isnan(a) || std::isnan(b)) {
      return !std::isnan(a) && std::isnan(b);
    }
  }
  return a > b;
}

template <class Value>
std::string class_text(Value value, int64_t index, const std::vector<std::string>& labels) {
  std::string text;
  if constexpr (std::is_floating_point_v<Value>) {
    text = fmt::format("{:f}:{}", value, index);
  } else {
    text = fmt::format("{}:{}", value, index);
  }
  if (static_cast<size_t>(index) < labels.size()) {
    text += ":" + labels[static_cast<size_t>(index)];
  }
  return text;
}

// `Stored` is how elements lie in memory, `Value` how they are compared and written.
template <class Stored, class Value = Stored>
Status classify_rows(const NamedTensor& tensor, ClassRows& rows) {
  const std::byte* const bytes = tensor.bytes().data();
  std::vector<int64_t> order(static_cast<size_t>(rows.row_elements));
  for (int64_t row = 0; row < rows.rows; ++row) {
    const auto value_at = [&](int64_t index) {
      Stored stored;
      const std::byte* const from = bytes + (row * rows.row_elements + index) * int64_t{sizeof(Stored)};
      std::memcpy(&stored, from, sizeof(Stored));  // copy: one element, which need not be aligned
      return static_cast<Value>(stored);
    };
    std::iota(order.begin(), order.end(), int64_t{0});
    std::partial_sort(order.begin(), order.begin() + rows.count, order.end(), [&](int64_t a, int64_t b) {
      const Value first = value_at(a);
      const Value second = value_at(b);
      return is_higher(first, second) || (!is_higher(second, first) && a < b);
    });
    for (int64_t k = 0; k < rows.count; ++k) {
      const int64_t index = order[static_cast<size_t>(k)];
      rows.texts.push_back(class_text(value_at(index), index, rows.labels));
    }
  }
  return ok_status();
}

Status classify_datatype(const NamedTensor& tensor, ClassRows& rows) {
  switch (tensor.datatype) {
    case Datatype::kUint8:
      return classify_rows<uint8_t, uint32_t>(tensor, rows);
    case Datatype::kUint16:
      return classify_rows<uint16_t>(tensor, rows);
    case Datatype::kUint32:
      return classify_rows<uint32_t>(tensor, rows);
    case Datatype::kUint64:
      return classify_rows<uint64_t>(tensor, rows);
    case Datatype::kInt8:
      return classify_rows<int8_t, int32_t>(tensor, rows);
    case Datatype::kInt16:
      return classify_rows<int16_t>(tensor, rows);
    case Datatype::kInt32:
      return classify_rows<int32_t>(tensor, rows);
    case Datatype::kInt64:
      return classify_rows<int64_t>(tensor, rows);
    case Datatype::kFp16:
      return classify_rows<tensor::Float16, float>(tensor, rows);
    case Datatype::kFp32:
      return classify_rows<float>(tensor, rows);
    case Datatype::kFp64:
      return classify_rows<double>(tensor, rows);
    default:
      return invalid_argument("output '{}' is of {}, which has no classes", tensor.name,
                              name_of(tensor.datatype));
  }
}

}  // namespace

Result<NamedTensor> classify(const NamedTensor& tensor, int64_t count, const std::vector<std::string>& labels,
                             bool has_batch) {
  if (count < 1) {
    return invalid_argument("output '{}': {} classes were asked for", tensor.name, count);
  }
  FOREBAY_RETURN_IF_ERROR(check_size(tensor));
  const bool has_rows = has_batch && !tensor.shape.empty();
  ClassRows rows{.labels = labels};
  rows.rows = has_rows ? tensor.shape[0] : 1;
  const std::vector<int64_t> row_shape(tensor.shape.begin() + (has_rows ? 1 : 0), tensor.shape.end());
  FOREBAY_ASSIGN_OR_RETURN(rows.row_elements, volume_of(row_shape));
  rows.count = std::min(count, rows.row_elements);
  if (rows.rows > 0) {
    FOREBAY_RETURN_IF_ERROR(classify_datatype(tensor, rows));
  }
  FOREBAY_ASSIGN_OR_RETURN(NamedTensor classes, bytes_tensor(tensor.name, rows.texts));
  classes.shape = has_rows ? std::vector{rows.rows, rows.count} : std::vector{rows.count};
  return classes;
}

Result<NamedTensor> classify_output(const NamedTensor& output, int64_t count, const ModelMetadata* model) {
  const std::vector<std::string> no_labels;
  if (model == nullptr) {
    return classify(output, count, no_labels, /*has_batch=*/false);
  }
  const auto found = std::find_if(model->outputs.begin(), model->outputs.end(),
                                  [&output](const TensorMetadata& each) { return each.name == output.name; });
  const std::vector<std::string>& labels = found == model->outputs.end() ? no_labels : found->labels;
  return classify(output, count, labels, model->max_batch_size > 0);
}

}  // namespace forebay::serving
