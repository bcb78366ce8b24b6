#include "forebay/dataset/mds/mds_source.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {

struct ReadersMds : Reader<dataset::MdsOptions, dataset::make_mds_source> {
  Status prepare(const Arguments& arguments) const {
    FOREBAY_RETURN_IF_ERROR(Reader::prepare(arguments));
    return columns.empty() ? invalid_argument("`columns` may not be empty") : ok_status();
  }
  int num_outputs() const { return static_cast<int>(columns.size()); }
};

OperatorSpec readers_mds() {
  using Op = ReadersMds;
  return describe<Op>("readers.mds", "Reads columns of MosaicML's streaming shards (MDS).")
      .param("path", &Op::path, "The data sets: folders with an index.json, in any store.")
      .required()
      .param("columns", &Op::columns, "The columns to read, an output each.")
      .required()
      .param("verify_hashes", &Op::verify_hashes,
             "Checks the hashes that index.json gives. Shards are then read as a whole.")
      .param("block_bytes", &Op::block_bytes,
             "How many bytes unpacked shards may take in memory together. A compressed shard is unpacked as "
             "a whole "
             "and kept for its other samples.")
      .group(add_shard_arguments<Op>)
      .group(add_reader_arguments<Op>)
      .outputs(
          "One for each entry of `columns`: numbers as scalars of their type, `ndarray` as it is, `pil` as "
          "HWC, all "
          "else (`bytes`, `str`, `json`, `jpeg`, `png`) as bytes, UINT8. `pkl` is refused, since reading it "
          "runs code.")
      .build();
}

}  // namespace forebay::operators
