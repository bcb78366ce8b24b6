#include "forebay/dataset/caffe/caffe_source.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "forebay/dataset/caffe/datum.h"

namespace forebay::dataset {
namespace {

using Fields = std::vector<tensor::Tensor>;

constexpr int64_t kMaxLabels = 1 << 24;
constexpr int64_t kMaxInputs = 4096;

/// A tensor of bytes of the message that was read, sharing its buffer.
Result<tensor::Tensor> part_of(const storage::ReadBytes& read, Bytes part, const tensor::Shape& shape) {
  const std::optional<int64_t> volume = shape.checked_volume();
  if (!volume || static_cast<uint64_t>(*volume) != part.size()) {
    return data_loss("{} bytes of a picture of shape {}", part.size(), shape.to_string());
  }
  const auto offset = part.empty() ? 0 : static_cast<uint64_t>(part.data() - read.bytes.data());
  return tensor::Tensor(storage::buffer_of(read), offset, {shape, tensor::DType::kUint8, {}});
}

Result<Fields> fields_of_datum(const CaffeOptions& options, const storage::ReadBytes& read) {
  FOREBAY_ASSIGN_OR_RETURN(const Datum datum, parse_datum(read.bytes));
  Fields fields;
  if (options.image_available) {
    if (!datum.data) {
      return data_loss("a Datum without a picture");
    }
    const auto size = static_cast<int64_t>(datum.data->size());
    const tensor::Shape shape =
        datum.is_encoded ? tensor::Shape{size} : tensor::Shape{datum.height, datum.width, datum.channels};
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor image, part_of(read, *datum.data, shape));
    fields.push_back(std::move(image));
  }
  if (options.label_available) {
    if (!datum.label) {
      return data_loss("a Datum without a label");
    }
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor label,
                             tensor::Tensor::copy_of<int32_t>(std::span(&*datum.label, 1), {1}));
    fields.push_back(std::move(label));
  }
  return fields;
}

/// The tensors of a message, one after the other.
class ProtoReader {
 public:
  ProtoReader(const Caffe2Options& options, const storage::ReadBytes& read, std::vector<TensorProto> protos)
      : options_(options), read_(read), protos_(std::move(protos)) {}

  Result<Fields> run() {
    if (options_.image_available) {
      FOREBAY_RETURN_IF_ERROR(take([this] { return image(); }));
    }
    if (options_.label_type != Caffe2Labels::kNone) {
      FOREBAY_RETURN_IF_ERROR(take([this] { return labels(); }));
    }
    for (int64_t i = 0; i < options_.additional_inputs; ++i) {
      FOREBAY_RETURN_IF_ERROR(take([this] { return numbers(); }));
    }
    if (options_.bbox) {
      FOREBAY_RETURN_IF_ERROR(take([this] { return box(); }));
    }
    return std::move(fields_);
  }

 private:
  template <class Make>
  Status take(Make&& make) {
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor field, make());
    fields_.push_back(std::move(field));
    return ok_status();
  }

  Result<const TensorProto*> next() {
    if (next_ >= protos_.size()) {
      return data_loss("{} tensors, too few for what is asked for", protos_.size());
    }
    return &protos_[next_++];
  }

  Result<tensor::Tensor> image() {
    FOREBAY_ASSIGN_OR_RETURN(const TensorProto* const proto, next());
    if (proto->type == ProtoType::kString && proto->text) {
      return part_of(read_, *proto->text, {static_cast<int64_t>(proto->text->size())});
    }
    if (proto->type != ProtoType::kByte || proto->dims.size() < 2 || proto->dims.size() > 3) {
      return data_loss("a picture that is neither bytes nor pixels");
    }
    const int64_t channels = proto->dims.size() == 3 ? proto->dims[2] : 1;
    return part_of(read_, proto->bytes, {proto->dims[0], proto->dims[1], channels});
  }

  Result<tensor::Tensor> numbers() {
    FOREBAY_ASSIGN_OR_RETURN(const TensorProto* const proto, next());
    switch (proto->type) {
      case ProtoType::kFloat:
        return tensor_of<float>(proto->floats);
      case ProtoType::kInt32:
        return tensor_of<int32_t>(proto->int32s);
      case ProtoType::kInt64:
        return tensor_of<int64_t>(proto->int64s);
      default:
        return data_loss("a tensor whose data type {} is none of numbers", static_cast<int64_t>(proto->type));
    }
  }

  Result<tensor::Tensor> labels() {
    FOREBAY_ASSIGN_OR_RETURN(const TensorProto* const proto, next());
    if (proto->type == ProtoType::kFloat) {
      return labels_of<float>(proto->floats);
    }
    if (proto->type == ProtoType::kInt32) {
      return labels_of<int32_t>(proto->int32s);
    }
    return data_loss("labels that are neither int32 nor float");
  }

  template <class T>
  Result<tensor::Tensor> labels_of(const std::vector<T>& values) {
    switch (options_.label_type) {
      case Caffe2Labels::kSparse:
        return spread<T>(values, [](size_t) { return T{1}; });
      case Caffe2Labels::kWeightedSparse: {
        FOREBAY_ASSIGN_OR_RETURN(const TensorProto* const weights, next());
        if (weights->floats.size() < values.size()) {
          return data_loss("{} weights of {} labels", weights->floats.size(), values.size());
        }
        return spread<float>(values, [weights](size_t i) { return weights->floats[i]; });
      }
      case Caffe2Labels::kSingle:
        if (values.size() != 1) {
          return data_loss("{} labels where one is needed", values.size());
        }
        return tensor_of<T>(values);
      default:
        return tensor_of<T>(values);
    }
  }

  /// A tensor with a place for each class: zeros, and what `value` says at those that `classes` name.
  template <class T, class Class, class Value>
  Result<tensor::Tensor> spread(const std::vector<Class>& classes, Value&& value) const {
    std::vector<T> all(static_cast<size_t>(options_.num_labels));
    for (size_t i = 0; i < classes.size(); ++i) {
      if (!(classes[i] >= Class{0}) || !(static_cast<double>(classes[i]) < static_cast<double>(all.size()))) {
        return data_loss("the label {} of {}", classes[i], options_.num_labels);
      }
      all[static_cast<size_t>(classes[i])] = value(i);
    }
    return tensor_of<T>(all);
  }

  Result<tensor::Tensor> box() {
    FOREBAY_ASSIGN_OR_RETURN(const TensorProto* const proto, next());
    if (proto->type != ProtoType::kInt32 || proto->int32s.size() != 4) {
      return data_loss("a box that is not four int32");
    }
    return tensor_of<int32_t>(proto->int32s);
  }

  template <class T>
  static Result<tensor::Tensor> tensor_of(const std::vector<T>& values) {
    return tensor::Tensor::copy_of<T>(values, {static_cast<int64_t>(values.size())});
  }

  const Caffe2Options& options_;
  const storage::ReadBytes& read_;
  const std::vector<TensorProto> protos_;
  size_t next_ = 0;
  Fields fields_;
};

Result<Fields> fields_of_protos(const Caffe2Options& options, const storage::ReadBytes& read) {
  FOREBAY_ASSIGN_OR_RETURN(std::vector<TensorProto> protos, parse_tensor_protos(read.bytes));
  return ProtoReader(options, read, std::move(protos)).run();
}

}  // namespace

int Caffe2Options::num_fields() const {
  const bool has_labels = label_type != Caffe2Labels::kNone;
  return (image_available ? 1 : 0) + (has_labels ? 1 : 0) + static_cast<int>(additional_inputs) +
         (bbox ? 1 : 0);
}

Status check(const CaffeOptions& options) {
  if (!options.image_available && !options.label_available) {
    return invalid_argument("one of `image_available` and `label_available` is needed");
  }
  return ok_status();
}

Status check(const Caffe2Options& options) {
  if (options.label_type < Caffe2Labels::kSingle || options.label_type > Caffe2Labels::kNone) {
    return invalid_argument("label_type is {}; 0 to 4 are known", static_cast<int64_t>(options.label_type));
  }
  if (options.num_labels < 1 || options.num_labels > kMaxLabels) {
    return invalid_argument("num_labels is {}; 1 to {} are possible", options.num_labels, kMaxLabels);
  }
  if (options.additional_inputs < 0 || options.additional_inputs > kMaxInputs) {
    return invalid_argument("additional_inputs is {}; 0 to {} are possible", options.additional_inputs,
                            kMaxInputs);
  }
  return options.num_fields() > 0 ? ok_status() : invalid_argument("nothing of the samples is asked for");
}

Result<std::shared_ptr<Source>> make_caffe_source(const CaffeOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  return make_lmdb_source(
      options, options.num_fields(),
      [options](const SampleRow&, const storage::ReadBytes& read) { return fields_of_datum(options, read); });
}

Result<std::shared_ptr<Source>> make_caffe2_source(const Caffe2Options& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  return make_lmdb_source(options, options.num_fields(),
                          [options](const SampleRow&, const storage::ReadBytes& read) {
                            return fields_of_protos(options, read);
                          });
}

}  // namespace forebay::dataset
