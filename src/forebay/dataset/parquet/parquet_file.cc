#include "forebay/dataset/parquet/parquet_file.h"

#include <algorithm>
#include <utility>

#include "forebay/dataset/object_reader.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kFirstRead = 64 << 10;  // has the metadata of most files

Result<ParquetFooter> read_footer_of(const ByteSource& file) {
  const uint64_t size = file.size_bytes();
  std::vector<std::byte> end(std::min(size, kFirstRead));
  FOREBAY_RETURN_IF_ERROR(file.read(size - end.size(), end));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t length, parquet_footer_bytes(end, size));
  const uint64_t needed = length + kParquetTailBytes;
  if (needed > end.size()) {
    end.resize(needed);
    FOREBAY_RETURN_IF_ERROR(file.read(size - needed, end));
  }
  return parse_parquet_footer(Bytes(end).last(needed).first(length), size);
}

/// Where the index of a chunk's pages is, and for whom.
struct PageIndexPlace {
  uint64_t offset_bytes;
  size_t column;
  size_t group;
};

}  // namespace

uint64_t ParquetPiece::read_bytes() const {
  uint64_t bytes = 0;
  for (const ByteRange& range : ranges) {
    bytes += range.length_bytes;
  }
  return bytes;
}

Result<std::shared_ptr<const ParquetFile>> ParquetFile::load(const ByteSource& file,
                                                             const std::vector<std::string>& columns) {
  FOREBAY_ASSIGN_OR_RETURN(ParquetFooter footer, read_footer_of(file));
  auto loaded = std::make_shared<ParquetFile>();
  loaded->problem_ = loaded->find_columns(footer, columns);
  loaded->rows_ = footer.rows;
  loaded->groups_ = std::move(footer.groups);
  if (loaded->problem_.ok()) {
    FOREBAY_RETURN_IF_ERROR(loaded->read_page_indexes(file));
  }
  for (ParquetGroup& group : loaded->groups_) {
    group.chunks = {};  // columns_ has those that are needed
  }
  return loaded;
}

Status ParquetFile::find_columns(const ParquetFooter& footer, const std::vector<std::string>& columns) {
  for (const std::string& name : columns) {
    FOREBAY_ASSIGN_OR_RETURN(const size_t number, find_parquet_leaf(footer.leaves, name));
    Column column;
    column.leaf = footer.leaves[number];
    column.pages.resize(footer.groups.size());
    for (size_t group = 0; group < footer.groups.size(); ++group) {
      const ParquetChunk& chunk = footer.groups[group].chunks[number];
      if (!chunk.problem.ok()) {
        return annotate(chunk.problem, fmt::format("column '{}' in row group {}", name, group));
      }
      if (column.leaf.max_repetition == 0 && chunk.values != footer.groups[group].rows) {
        return data_loss("column '{}' in row group {} has {} values for {} rows", name, group, chunk.values,
                         footer.groups[group].rows);
      }
      column.chunks.push_back(chunk);
    }
    columns_.push_back(std::move(column));
  }
  return ok_status();
}

/// An index that contradicts the rest is not used: a column is then read whole.
Status ParquetFile::read_page_indexes(const ByteSource& file) {
  std::vector<PageIndexPlace> places;
  for (size_t column = 0; column < columns_.size(); ++column) {
    for (size_t group = 0; group < groups_.size(); ++group) {
      if (columns_[column].chunks[group].page_index_bytes > 0) {
        places.push_back({columns_[column].chunks[group].page_index_offset, column, group});
      }
    }
  }
  std::ranges::sort(places, {}, &PageIndexPlace::offset_bytes);
  WindowReader reader(file);
  for (const PageIndexPlace& place : places) {
    Column& column = columns_[place.column];
    const ParquetChunk& chunk = column.chunks[place.group];
    FOREBAY_ASSIGN_OR_RETURN(const Bytes index, reader.at(chunk.page_index_offset, chunk.page_index_bytes));
    Result<std::vector<ParquetPagePlace>> pages =
        parse_parquet_page_index(index, chunk, groups_[place.group].rows);
    if (pages.ok() && pages->size() > 1) {
      column.pages[place.group] = *std::move(pages);
    }
  }
  return ok_status();
}

size_t ParquetFile::group_of(uint64_t row) const {
  const auto behind = std::ranges::upper_bound(groups_, row, {}, &ParquetGroup::first_row);
  return static_cast<size_t>(behind - groups_.begin()) - 1;
}

ParquetPiece ParquetFile::piece(size_t column, uint64_t row) const {
  const size_t number = group_of(row);
  const ParquetGroup& group = groups_[number];
  const ParquetChunk& chunk = columns_[column].chunks[number];
  const std::vector<ParquetPagePlace>& pages = columns_[column].pages[number];
  constexpr uint64_t kSlotBytes = 12;
  ParquetPiece piece;
  if (pages.empty()) {
    piece.ranges = {{chunk.offset_bytes, chunk.length_bytes}};
    piece.first_row = group.first_row;
    piece.rows = group.rows;
    piece.values = chunk.values;
    piece.memory_bytes = chunk.unpacked_bytes + chunk.values * kSlotBytes;
    return piece;
  }
  const auto behind =
      std::ranges::upper_bound(pages, row - group.first_row, {}, &ParquetPagePlace::first_row);
  const ParquetPagePlace& page = *std::prev(behind);
  const uint64_t end = behind == pages.end() ? group.rows : behind->first_row;
  const uint64_t dictionary_bytes = pages.front().offset_bytes - chunk.offset_bytes;
  if (dictionary_bytes > 0) {
    piece.ranges.push_back({chunk.offset_bytes, dictionary_bytes});
  }
  piece.ranges.push_back({page.offset_bytes, page.length_bytes});
  piece.first_row = group.first_row + page.first_row;
  piece.rows = end - page.first_row;
  const double part = static_cast<double>(piece.read_bytes()) / static_cast<double>(chunk.length_bytes);
  piece.memory_bytes = static_cast<uint64_t>(part * static_cast<double>(chunk.unpacked_bytes)) +
                       chunk.values / group.rows * piece.rows * kSlotBytes;
  return piece;
}

Result<BlockRef> ParquetFile::decode(size_t column, const ParquetPiece& piece,
                                     const std::vector<Bytes>& parts, uint64_t most_bytes) const {
  const ParquetLeaf& leaf = columns_[column].leaf;
  const Compression compression = columns_[column].chunks[group_of(piece.first_row)].compression;
  ColumnBlockBuilder builder(leaf, most_bytes);
  for (const Bytes part : parts) {
    uint64_t offset = 0;
    while (offset < part.size() && (piece.values == 0 || builder.slots() < piece.values)) {
      FOREBAY_ASSIGN_OR_RETURN(const ParquetPage page,
                               read_parquet_page(part, offset, leaf, compression, most_bytes));
      FOREBAY_RETURN_IF_ERROR(builder.add(page));
      offset = page.end;
    }
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const ColumnBlock> block, builder.finish(piece.rows));
  return BlockRef(std::move(block));
}

}  // namespace forebay::dataset
