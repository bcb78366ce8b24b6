#include "forebay/dataset/caffe/caffe_source.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {

template <>
struct ParameterTraits<dataset::Caffe2Labels> {
  static constexpr ArgumentKind kKind = ArgumentKind::kInt;
  static constexpr bool kAcceptsTensor = false;
  static Value to_value(dataset::Caffe2Labels value) { return static_cast<int64_t>(value); }
  static Result<dataset::Caffe2Labels> from_value(const Value& value) {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t number, to_int(value));
    return static_cast<dataset::Caffe2Labels>(number);
  }
};

struct ReadersCaffe2 : Reader<dataset::Caffe2Options, dataset::make_caffe2_source> {
  int num_outputs() const { return num_fields(); }
};

OperatorSpec readers_caffe2() {
  using Op = ReadersCaffe2;
  return describe<Op>("readers.caffe2", "Reads pictures and labels out of Caffe2's LMDB databases.")
      .param("path", &Op::path,
             "The databases: folders with a data.mdb, or such files, in any store. Of a remote one its pages "
             "are "
             "read by ranges, once, to find the samples; the host's cache keeps what samples are read.")
      .required()
      .param("image_available", &Op::image_available, "Gives the picture.")
      .param("label_type", &Op::label_type,
             "How labels are kept. 0: one; 1: numbers of classes; 2: a vector; 3: numbers of classes and "
             "weights; "
             "4: none.")
      .param("num_labels", &Op::num_labels, "The number of classes, for kinds 1 and 3.")
      .param("additional_inputs", &Op::additional_inputs, "How many more tensors of numbers each sample has.")
      .param("bbox", &Op::bbox, "Gives the box, the last tensor of a sample.")
      .group(add_shard_arguments<Op>)
      .group(add_reader_arguments<Op>)
      .outputs("The picture, the labels, the additional tensors, the box: those that are asked for.")
      .matches("DALI fn.readers.caffe2")
      .build();
}

}  // namespace forebay::operators
