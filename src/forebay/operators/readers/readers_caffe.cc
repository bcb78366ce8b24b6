#include "forebay/dataset/caffe/caffe_source.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {

struct ReadersCaffe : Reader<dataset::CaffeOptions, dataset::make_caffe_source> {
  int num_outputs() const { return num_fields(); }
};

OperatorSpec readers_caffe() {
  using Op = ReadersCaffe;
  return describe<Op>("readers.caffe", "Reads pictures and labels out of Caffe's LMDB databases.")
      .param("path", &Op::path,
             "The databases: folders with a data.mdb, or such files, in any store. Of a remote one its pages "
             "are "
             "read by ranges, once, to find the samples; the host's cache keeps what samples are read.")
      .required()
      .param("image_available", &Op::image_available, "Gives the picture.")
      .param("label_available", &Op::label_available, "Gives the label.")
      .group(add_shard_arguments<Op>)
      .group(add_reader_arguments<Op>)
      .outputs("The picture, uint8: its encoded bytes or its pixels; its label, int32.")
      .matches("DALI fn.readers.caffe")
      .build();
}

}  // namespace forebay::operators
