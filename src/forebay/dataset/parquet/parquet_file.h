// A Parquet file as a reader needs it: its row groups, and for each column that is asked for the pieces that
// can be read and decoded alone.
//
// A piece is a page where the file says where its pages are (the "page index"): pages then begin with rows.
// Otherwise it is all of a column in a row group.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/dataset/index/indexed_source.h"
#include "forebay/dataset/parquet/column_block.h"
#include "forebay/dataset/parquet/parquet_footer.h"

namespace forebay::dataset {

/// Rows of a column that are read and decoded together.
struct ParquetPiece {
  std::vector<ByteRange> ranges;  // a dictionary may come first
  uint64_t first_row = 0;         // in the file
  uint64_t rows = 0;
  uint64_t values = 0;        // and nulls; 0: as many as the pages have
  uint64_t memory_bytes = 0;  // about what it takes when it is decoded

  uint64_t read_bytes() const;
};

/// Immutable; thread safe.
class ParquetFile {
 public:
  /// Reads the file's metadata; blocks. data_loss and unimplemented for a file that cannot be read at all;
  /// what is wrong with the columns is problem().
  static Result<std::shared_ptr<const ParquetFile>> load(const ByteSource& file,
                                                         const std::vector<std::string>& columns);

  uint64_t rows() const { return rows_; }
  /// The row groups, without their chunks.
  const std::vector<ParquetGroup>& groups() const { return groups_; }
  /// Why the columns that were asked for cannot be read; nothing below may be used then.
  const Status& problem() const { return problem_; }

  const ParquetLeaf& leaf(size_t column) const { return columns_[column].leaf; }
  /// The piece with a row of the file.
  ParquetPiece piece(size_t column, uint64_t row) const;
  /// `parts`: what piece.ranges have. `most_bytes`: what the block may take.
  Result<BlockRef> decode(size_t column, const ParquetPiece& piece, const std::vector<Bytes>& parts,
                          uint64_t most_bytes) const;

 private:
  struct Column {
    ParquetLeaf leaf;
    std::vector<ParquetChunk> chunks;                  // by row group
    std::vector<std::vector<ParquetPagePlace>> pages;  // by row group; empty: not known
  };

  Status find_columns(const ParquetFooter& footer, const std::vector<std::string>& columns);
  Status read_page_indexes(const ByteSource& file);
  size_t group_of(uint64_t row) const;

  std::vector<ParquetGroup> groups_;
  uint64_t rows_ = 0;
  std::vector<Column> columns_;
  Status problem_;
};

}  // namespace forebay::dataset
