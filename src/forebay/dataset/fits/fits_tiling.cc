// How the header of a table says that an image lies in it, and how.
#include <algorithm>
#include <charconv>
#include <string>

#include "forebay/dataset/fits/fits_tiles.h"

namespace forebay::dataset {
namespace {

constexpr int64_t kMaxTableColumns = 999;

/// A column's format: "1PB(123)", "1D", "16A".
struct ColumnFormat {
  int64_t repeat = 1;
  char type = 0;
  char element = 0;

  uint64_t bytes() const {
    const auto count = static_cast<uint64_t>(repeat);
    switch (type) {
      case 'X':
        return (count + 7) / 8;
      case 'I':
        return 2 * count;
      case 'J':
      case 'E':
        return 4 * count;
      case 'K':
      case 'D':
      case 'C':
      case 'P':
        return 8 * count;
      case 'M':
      case 'Q':
        return 16 * count;
      default:
        return count;
    }
  }
};

Result<ColumnFormat> parse_format(std::string_view text) {
  ColumnFormat format;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at != end && *at >= '0' && *at <= '9') {
    at = std::from_chars(at, end, format.repeat).ptr;
  }
  constexpr std::string_view kTypes = "LXBIJKAEDCMPQ";
  if (at == end || kTypes.find(*at) == kTypes.npos || format.repeat < 0 || format.repeat > (1 << 24)) {
    return data_loss("a column has the format '{}'", text);
  }
  format.type = *at++;
  format.element = at == end ? 0 : *at;
  return format;
}

/// Where a column goes that the standard names; null for others.
std::optional<FitsColumn>* place_of(std::string_view name, FitsTiles& tiles) {
  return name == "COMPRESSED_DATA"        ? &tiles.packed
         : name == "GZIP_COMPRESSED_DATA" ? &tiles.packed_by_gzip
         : name == "UNCOMPRESSED_DATA"    ? &tiles.plain
         : name == "ZSCALE"               ? &tiles.scales
         : name == "ZZERO"                ? &tiles.zeros
         : name == "ZBLANK"               ? &tiles.blanks
                                          : nullptr;
}

Status take_columns(const FitsHeader& header, FitsTiles& tiles) {
  FOREBAY_ASSIGN_OR_RETURN(const int64_t columns, header.number("TFIELDS"));
  uint64_t offset = 0;
  for (int64_t i = 1; i <= std::min(columns, kMaxTableColumns); ++i) {
    FOREBAY_ASSIGN_OR_RETURN(const ColumnFormat format,
                             parse_format(header.text("TFORM" + std::to_string(i))));
    const std::string_view name = header.text("TTYPE" + std::to_string(i));
    if (std::optional<FitsColumn>* const place = place_of(name, tiles)) {
      const bool points = format.type == 'P' || format.type == 'Q';
      const bool is_number = std::string_view("DEIJK").find(format.type) != std::string_view::npos;
      if (name.ends_with("_DATA") ? !points : !is_number || format.repeat != 1) {
        return data_loss("its column {} has the format '{}'", name, header.text("TFORM" + std::to_string(i)));
      }
      *place = FitsColumn{offset, format.type, format.element};
    }
    offset += format.repeat == 0 ? 0 : format.bytes();
  }
  if (offset > tiles.row_bytes) {
    return data_loss("its columns take {} bytes in rows of {}", offset, tiles.row_bytes);
  }
  return tiles.packed || tiles.plain || tiles.packed_by_gzip ? ok_status()
                                                             : data_loss("no column of its table has tiles");
}

Status take_table(const FitsHeader& header, Bytes data, FitsTiles& tiles) {
  FOREBAY_ASSIGN_OR_RETURN(const int64_t row_bytes, header.number("NAXIS1"));
  FOREBAY_ASSIGN_OR_RETURN(const int64_t rows, header.number("NAXIS2"));
  if (row_bytes < 1 || rows < 0 ||
      static_cast<uint64_t>(rows) > data.size() / static_cast<uint64_t>(row_bytes)) {
    return data_loss("a table of {} rows of {} bytes", rows, row_bytes);
  }
  tiles.row_bytes = static_cast<uint64_t>(row_bytes);
  tiles.rows = static_cast<uint64_t>(rows);
  const int64_t table_bytes = rows * row_bytes;
  FOREBAY_ASSIGN_OR_RETURN(const int64_t heap, header.number_or("THEAP", table_bytes));
  if (heap < table_bytes || static_cast<uint64_t>(heap) > data.size()) {
    return data_loss("its heap begins at {}, in {} bytes", heap, data.size());
  }
  tiles.table = data.first(static_cast<size_t>(table_bytes));
  tiles.heap = data.subspan(static_cast<size_t>(heap));
  return ok_status();
}

Status take_shapes(const FitsHeader& header, FitsTiles& tiles) {
  FOREBAY_ASSIGN_OR_RETURN(const int64_t axes, header.number("ZNAXIS"));
  if (axes < 1 || axes > tensor::kMaxRank) {
    return unimplemented("a compressed image of {} axes; 1 to {} are read", axes, tensor::kMaxRank);
  }
  for (int64_t axis = axes; axis > 0; --axis) {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t extent, header.number("ZNAXIS" + std::to_string(axis)));
    FOREBAY_ASSIGN_OR_RETURN(const int64_t tile,
                             header.number_or("ZTILE" + std::to_string(axis), axis == 1 ? extent : 1));
    if (tile < 1 && extent > 0) {
      return data_loss("its tiles are {} long on axis {}", tile, axis);
    }
    tiles.shape.push_back(extent);
    tiles.tile.push_back(std::min(tile, extent));
  }
  const std::optional<int64_t> volume = tiles.shape.checked_volume();
  if (!volume || *volume > (int64_t{1} << 40)) {
    return data_loss("the shape {} is larger than any file", tiles.shape.to_string());
  }
  return ok_status();
}

/// Parameters of Rice coding: ZNAMEi, ZVALi.
Status take_rice(const FitsHeader& header, FitsTiles& tiles) {
  int64_t bytes = 4;
  for (int i = 1; i < 10; ++i) {
    const std::string_view name = header.text("ZNAME" + std::to_string(i));
    if (name == "BLOCKSIZE" || name == "BYTEPIX") {
      FOREBAY_ASSIGN_OR_RETURN((name == "BYTEPIX" ? bytes : tiles.rice_block),
                               header.number("ZVAL" + std::to_string(i)));
    }
  }
  if (tiles.rice_block < 1 || tiles.rice_block > 65536 || (bytes != 1 && bytes != 2 && bytes != 4)) {
    return unimplemented("Rice coding of {} bytes in blocks of {}", bytes, tiles.rice_block);
  }
  if (tiles.bits == 64) {
    return unimplemented("Rice coding of integers of 64 bits");
  }
  tiles.rice_bytes = static_cast<int>(bytes);
  return ok_status();
}

Status take_method(const FitsHeader& header, FitsTiles& tiles) {
  const std::string_view method = header.text("ZCMPTYPE");
  if (method == "RICE_1" || method == "RICE_ONE") {
    tiles.method = FitsTiles::Method::kRice;
    return take_rice(header, tiles);
  }
  if (method == "GZIP_1" || method == "GZIP_2") {
    tiles.method = method == "GZIP_1" ? FitsTiles::Method::kGzip : FitsTiles::Method::kGzipShuffled;
    return ok_status();
  }
  if (method == "NOCOMPRESS") {
    return ok_status();
  }
  return unimplemented(
      "a FITS image is compressed by '{}'; RICE_1, GZIP_1 and GZIP_2 are read, funpack inflates others",
      method);
}

Status take_quantization(const FitsHeader& header, FitsTiles& tiles) {
  const std::string_view kind = header.text("ZQUANTIZ");
  tiles.is_quantized = tiles.bits < 0 && kind != "NONE" && (tiles.scales || header.value("ZSCALE"));
  FOREBAY_ASSIGN_OR_RETURN(tiles.scale, header.real_or("ZSCALE", 1));
  FOREBAY_ASSIGN_OR_RETURN(tiles.zero, header.real_or("ZZERO", 0));
  if (header.value("ZBLANK")) {
    FOREBAY_ASSIGN_OR_RETURN(tiles.blank, header.number("ZBLANK"));
  }
  FOREBAY_ASSIGN_OR_RETURN(tiles.dither_seed, header.number_or("ZDITHER0", 1));
  if (kind == "SUBTRACTIVE_DITHER_1") {
    tiles.dither = FitsTiles::Dither::kFirst;
  } else if (kind == "SUBTRACTIVE_DITHER_2") {
    tiles.dither = FitsTiles::Dither::kSecond;
  } else if (!kind.empty() && kind != "NO_DITHER" && kind != "NONE") {
    return unimplemented("floats that were quantized by '{}'", kind);
  }
  if (tiles.dither_seed < 1 || tiles.dither_seed > 10000) {
    return data_loss("its ZDITHER0 is {}; it is from 1 to 10000", tiles.dither_seed);
  }
  return ok_status();
}

}  // namespace

Result<FitsTiles> parse_fits_tiles(const FitsHeader& header, Bytes data) {
  FitsTiles tiles;
  FOREBAY_ASSIGN_OR_RETURN(tiles.bits, header.element_bits("ZBITPIX"));
  FOREBAY_RETURN_IF_ERROR(take_method(header, tiles));
  FOREBAY_RETURN_IF_ERROR(take_table(header, data, tiles));
  FOREBAY_RETURN_IF_ERROR(take_shapes(header, tiles));
  FOREBAY_RETURN_IF_ERROR(take_columns(header, tiles));
  FOREBAY_RETURN_IF_ERROR(take_quantization(header, tiles));
  return tiles;
}

}  // namespace forebay::dataset
