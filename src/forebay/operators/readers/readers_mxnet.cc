#include "forebay/dataset/recordio/recordio_source.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {

struct ReadersMxnet : Reader<dataset::RecordIoOptions, dataset::make_recordio_source> {
  int num_outputs() const { return 2; }
};

OperatorSpec readers_mxnet() {
  using Op = ReadersMxnet;
  return describe<Op>("readers.mxnet",
                      "Reads pictures and their labels out of RecordIO files, as im2rec writes them.")
      .param("path", &Op::path, "The RecordIO files.")
      .required()
      .param(
          "index_path", &Op::index_path,
          "An index file of im2rec or rec2idx for all of them, or one for each; else the files are scanned.")
      .group(add_shard_arguments<Op>)
      .group(add_reader_arguments<Op>)
      .outputs("The picture's bytes, uint8, and its labels, float: one, or the record's list.")
      .matches("DALI fn.readers.mxnet")
      .build();
}

}  // namespace forebay::operators
