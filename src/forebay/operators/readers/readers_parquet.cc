#include "forebay/dataset/parquet/parquet_source.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {

struct ReadersParquet : Reader<dataset::ParquetOptions, dataset::make_parquet_source> {
  Status prepare(const Arguments& arguments) const {
    FOREBAY_RETURN_IF_ERROR(Reader::prepare(arguments));
    return columns.empty() ? invalid_argument("`columns` may not be empty") : ok_status();
  }
  int num_outputs() const { return static_cast<int>(columns.size()); }
};

OperatorSpec readers_parquet() {
  using Op = ReadersParquet;
  return describe<Op>("readers.parquet", "Reads columns of Parquet files, a row a sample.")
      .param("path", &Op::path, "The files, or folders of which all files *.parquet are read, in any store.")
      .required()
      .param("columns", &Op::columns,
             "The columns to read, an output each; a part of a structure as \"structure.part\".")
      .required()
      .param("fill", &Op::fill,
             "What stands for null in numbers; null texts and lists are then empty. When not given, null is "
             "an error.")
      .any_number()
      .param("block_bytes", &Op::block_bytes,
             "How many bytes decoded pieces of columns may take in memory together. A piece is a page where "
             "files have a "
             "page index (pyarrow: `write_page_index=True`), which is best for shuffled reading, else all of "
             "a column in "
             "a row group.")
      .group(add_shard_arguments<Op>)
      .group(add_reader_arguments<Op>)
      .outputs(
          "One for each entry of `columns`: numbers as scalars of their type (times and dates as they are "
          "stored), text "
          "and bytes as UINT8, lists as 1-D tensors, lists of equally long lists with more axes.")
      .build();
}

}  // namespace forebay::operators
