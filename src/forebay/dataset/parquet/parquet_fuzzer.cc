// Reads arbitrary bytes as a Parquet file: every column that its metadata names, every row. Then as the
// metadata alone, and as a page of each type of column.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/dataset/parquet/parquet_file.h"
#include "forebay/dataset/parquet/parquet_page.h"

using namespace forebay;

namespace {

constexpr uint64_t kMaxBytes = 4 << 20;
constexpr uint64_t kMaxRows = 200;

void read_column(const dataset::ParquetFile& file, Bytes bytes) {
  const dataset::NullFill fill = *dataset::null_fill(0, file.leaf(0).dtype);
  for (uint64_t row = 0; row < std::min(file.rows(), kMaxRows); ++row) {
    const dataset::ParquetPiece piece = file.piece(0, row);
    FOREBAY_CHECK(piece.first_row <= row && row - piece.first_row < piece.rows);
    std::vector<Bytes> parts;
    for (const dataset::ByteRange& range : piece.ranges) {
      FOREBAY_CHECK(range.offset_bytes <= bytes.size() &&
                    range.length_bytes <= bytes.size() - range.offset_bytes);
      parts.push_back(bytes.subspan(range.offset_bytes, range.length_bytes));
    }
    const Result<dataset::BlockRef> block = file.decode(0, piece, parts, kMaxBytes);
    if (!block.ok()) {
      return;
    }
    const auto& column = static_cast<const dataset::ColumnBlock&>(**block);
    FOREBAY_CHECK(column.rows() == piece.rows);
    for (uint64_t i = 0; i < std::min(piece.rows, kMaxRows); ++i) {
      column.row(i, i % 2 == 0 ? &fill : nullptr).status().IgnoreError();
    }
    row = piece.first_row + piece.rows - 1;
  }
}

void read_file(Bytes bytes) {
  const MemoryByteSource source(bytes);
  const auto footer_bytes = dataset::parquet_footer_bytes(bytes, bytes.size());
  if (!footer_bytes.ok()) {
    return;
  }
  const Bytes metadata = bytes.last(*footer_bytes + dataset::kParquetTailBytes).first(*footer_bytes);
  const Result<dataset::ParquetFooter> footer = dataset::parse_parquet_footer(metadata, bytes.size());
  if (!footer.ok()) {
    return;
  }
  for (size_t i = 0; i < std::min<size_t>(footer->leaves.size(), 8); ++i) {
    const auto file = dataset::ParquetFile::load(source, {footer->leaves[i].path});
    if (file.ok() && (*file)->problem().ok()) {
      read_column(**file, bytes);
    }
  }
}

void read_page(Bytes bytes, dataset::ParquetType type, uint8_t lists) {
  dataset::ParquetLeaf leaf;
  leaf.type = type;
  leaf.width = type == dataset::ParquetType::kByteArray ? 0 : type == dataset::ParquetType::kBoolean ? 1 : 8;
  leaf.dtype = type == dataset::ParquetType::kByteArray ? tensor::DType::kUint8
               : type == dataset::ParquetType::kBoolean ? tensor::DType::kBool
                                                        : tensor::DType::kInt64;
  leaf.max_repetition = lists;
  leaf.max_definition = static_cast<uint8_t>(lists + 1);
  leaf.first_list = lists > 0 ? 1 : 0;
  leaf.last_list = lists;
  dataset::ColumnBlockBuilder builder(leaf, kMaxBytes);
  uint64_t offset = 0;
  while (offset < bytes.size()) {
    const auto page = dataset::read_parquet_page(bytes, offset, leaf, dataset::Compression::kNone, kMaxBytes);
    if (!page.ok() || !builder.add(*page).ok()) {
      return;
    }
    FOREBAY_CHECK(page->end > offset && page->end <= bytes.size());
    offset = page->end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  read_file(bytes);
  std::string file = "PAR1" + std::string(reinterpret_cast<const char*>(data), size);
  const auto length = static_cast<uint32_t>(size);
  file.append(reinterpret_cast<const char*>(&length), sizeof(length));
  file += "PAR1";
  read_file(std::as_bytes(std::span(file)));
  for (const uint8_t lists : {0, 1, 2}) {
    read_page(bytes, dataset::ParquetType::kInt64, lists);
    read_page(bytes, dataset::ParquetType::kByteArray, 0);
    read_page(bytes, dataset::ParquetType::kBoolean, lists);
  }
  return 0;
}
