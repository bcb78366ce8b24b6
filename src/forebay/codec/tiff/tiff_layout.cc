#include "forebay/codec/tiff/tiff_layout.h"

#include <algorithm>
#include <limits>

#include "forebay/codec/format_decoder.h"

namespace forebay::codec {
namespace {

constexpr int kMaxSamples = 32;
constexpr uint64_t kLargestBandBytes = 8 << 20;  // strips that become more are read row by row

/// The bits of a base row's values.
int base_bits(const TiffLayout& layout) {
  if (layout.colours == TiffColours::kOther) {
    return 8;
  }
  if (layout.colours == TiffColours::kPalette) {
    return 16;  // as in the file
  }
  return layout.is_float || layout.bits > 16 ? 32 : layout.bits > 8 ? 16 : 8;
}

int channels_of(const TiffLayout& layout) {
  const bool are_colours = layout.colours == TiffColours::kPalette || layout.colours == TiffColours::kOther;
  return are_colours ? 3 : layout.samples;
}

/// What becomes of a row of tiles or, for planes, of a strip of each.
uint64_t band_bytes(const TiffLayout& layout) {
  const auto rows = static_cast<uint64_t>(std::min(layout.part_height, layout.height));
  return rows * static_cast<uint64_t>(layout.width) * static_cast<uint64_t>(channels_of(layout)) *
         static_cast<uint64_t>(base_bits(layout) / 8);
}

/// Strips of these are read whole: libtiff inflates a whole strip more than twice as fast as its rows, and
/// says where it falls short. Of JPEG and fax it does not. Runs of PackBits, too, go over the ends of rows
/// only there.
bool has_whole_strips(uint16_t coding) {
  return coding == COMPRESSION_NONE || coding == COMPRESSION_DEFLATE || coding == COMPRESSION_ADOBE_DEFLATE ||
         coding == COMPRESSION_PACKBITS;
}

class TiffLayoutReader {
 public:
  TiffLayoutReader(TiffFile& file, uint64_t bytes) : file_(file), bytes_(bytes) {}

  Result<TiffLayout> read() {
    FOREBAY_RETURN_IF_ERROR(read_size());
    FOREBAY_RETURN_IF_ERROR(read_samples());
    FOREBAY_RETURN_IF_ERROR(read_colours());
    FOREBAY_RETURN_IF_ERROR(read_parts());
    FOREBAY_RETURN_IF_ERROR(check_bytes());
    const uint16_t orientation = file_.u16(TIFFTAG_ORIENTATION, 1);
    layout_.orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    FOREBAY_RETURN_IF_ERROR(file_.status());
    return layout_;
  }

 private:
  Status read_size() {
    layout_.width = file_.u32(TIFFTAG_IMAGEWIDTH, 0);
    layout_.height = file_.u32(TIFFTAG_IMAGELENGTH, 0);
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (layout_.width < 1 || layout_.height < 1 || layout_.width > kMost || layout_.height > kMost) {
      return data_loss("TIFF claims a size of {}x{}", layout_.height, layout_.width);
    }
    return ok_status();
  }

  Status read_samples() {
    layout_.samples = file_.u16(TIFFTAG_SAMPLESPERPIXEL, 1);
    layout_.bits = file_.u16(TIFFTAG_BITSPERSAMPLE, 1);
    layout_.is_planar = file_.u16(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
    const uint16_t format = file_.u16(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    layout_.is_float = format == SAMPLEFORMAT_IEEEFP;
    if (layout_.samples < 1 || layout_.samples > kMaxSamples) {
      return unimplemented("TIFF of {} channels is not supported, of 1 to {} is", layout_.samples,
                           kMaxSamples);
    }
    if (!layout_.is_float && format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID) {
      return unimplemented("TIFF of {} is not supported, of unsigned and floating numbers is",
                           format == SAMPLEFORMAT_INT ? "signed numbers" : "complex numbers");
    }
    const bool fits = layout_.is_float ? layout_.bits == 16 || layout_.bits == 32 || layout_.bits == 64
                                       : layout_.bits >= 1 && layout_.bits <= 32;
    return fits ? ok_status()
                : unimplemented("TIFF of {} bits a channel is not supported{}", layout_.bits,
                                layout_.is_float ? " for floating numbers" : "");
  }

  Status read_colours() {
    const uint16_t coding = file_.u16(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    if (TIFFIsCODECConfigured(coding) == 0 || coding == COMPRESSION_OJPEG) {
      return unimplemented("TIFF coding {} is not supported{}", coding,
                           coding == COMPRESSION_OJPEG ? " (the JPEG of TIFF 6.0, since withdrawn)" : "");
    }
    const uint16_t meaning = file_.u16(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    switch (meaning) {
      case PHOTOMETRIC_MINISBLACK:
      case PHOTOMETRIC_RGB:
      case PHOTOMETRIC_MASK:
        break;
      case PHOTOMETRIC_MINISWHITE:
        layout_.colours = TiffColours::kInverted;
        break;
      case PHOTOMETRIC_PALETTE:
        return read_palette();
      case PHOTOMETRIC_SEPARATED:
        return read_inks();
      case PHOTOMETRIC_YCBCR:
        if (coding == COMPRESSION_JPEG && !layout_.is_planar) {  // libjpeg makes RGB of it
          TIFFSetField(file_.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
          break;
        }
        layout_.colours = TiffColours::kOther;
        break;
      case PHOTOMETRIC_CIELAB:
        layout_.colours = TiffColours::kOther;
        break;
      default:
        return unimplemented("TIFF with colours of kind {} (photometric interpretation) is not supported",
                             meaning);
    }
    if (meaning == PHOTOMETRIC_RGB && layout_.samples < 3) {
      return data_loss("TIFF claims RGB of {} channels", layout_.samples);
    }
    return ok_status();
  }

  Status read_palette() {
    layout_.colours = TiffColours::kPalette;
    uint16_t* maps[3] = {};
    if (layout_.samples != 1 || layout_.bits > 16 || layout_.is_float ||
        TIFFGetField(file_.get(), TIFFTAG_COLORMAP, &maps[0], &maps[1], &maps[2]) != 1) {
      return data_loss("TIFF claims a palette with {} channels of {} bits, and {} colour map",
                       layout_.samples, layout_.bits, maps[0] == nullptr ? "no" : "a");
    }
    std::ranges::copy(maps, layout_.palette.begin());
    return ok_status();
  }

  Status read_inks() {
    layout_.colours = TiffColours::kInks;
    const uint16_t inks = file_.u16(TIFFTAG_INKSET, INKSET_CMYK);
    if (inks != INKSET_CMYK || layout_.samples != 4 || (layout_.bits != 8 && layout_.bits != 16)) {
      return unimplemented("TIFF with {} inks of {} bits is not supported, with four of 8 or 16 bits is",
                           layout_.samples, layout_.bits);
    }
    return ok_status();
  }

  Status read_parts() {
    layout_.is_tiled = TIFFIsTiled(file_.get()) != 0;
    if (layout_.is_tiled) {
      layout_.part_height = file_.u32(TIFFTAG_TILELENGTH, 0);
      layout_.part_width = file_.u32(TIFFTAG_TILEWIDTH, 0);
      layout_.part_bytes = TIFFTileSize64(file_.get());
    } else {
      layout_.part_height = std::min<int64_t>(file_.u32(TIFFTAG_ROWSPERSTRIP, UINT32_MAX), layout_.height);
      layout_.part_width = layout_.width;
      layout_.part_bytes = TIFFVStripSize64(file_.get(), static_cast<uint32_t>(layout_.part_height));
    }
    FOREBAY_RETURN_IF_ERROR(file_.status());
    constexpr int64_t kMaxTile = 1 << 20;
    const bool is_huge =
        layout_.is_tiled && (layout_.part_height > kMaxTile || layout_.part_width > kMaxTile);
    if (layout_.part_height < 1 || layout_.part_width < 1 || layout_.part_bytes < 1 || is_huge) {
      return data_loss("TIFF claims {} of {}x{}", layout_.is_tiled ? "tiles" : "strips", layout_.part_height,
                       layout_.part_width);
    }
    const uint16_t coding = file_.u16(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    layout_.has_bands = layout_.is_tiled || layout_.is_planar || layout_.colours == TiffColours::kOther ||
                        coding == COMPRESSION_JBIG ||  // libtiff has nothing else of it
                        (has_whole_strips(coding) && band_bytes(layout_) <= kLargestBandBytes);
    return ok_status();
  }

  /// The fewest bytes that an image takes. 0 if there is no bound: JBIG, WebP and LERC take a few for all of
  /// one colour; so would arithmetic coding of JPEG, which TIFF does not have.
  double least_bytes() const {
    const double pixels = static_cast<double>(layout_.width) * static_cast<double>(layout_.height);
    const int samples = layout_.colours == TiffColours::kOther ? 1 : layout_.samples;  // others may be fewer
    const double unpacked = pixels * samples * layout_.bits / 8;
    switch (file_.u16(TIFFTAG_COMPRESSION, COMPRESSION_NONE)) {
      case COMPRESSION_NONE:
        return unpacked;
      case COMPRESSION_PACKBITS:  // two bytes give 128
        return unpacked / 64;
      case COMPRESSION_ADOBE_DEFLATE:
      case COMPRESSION_DEFLATE:
        return unpacked / 1032;
      case COMPRESSION_LZW:  // nine bits give a string that is no longer than the table
        return unpacked / (4096.0 * 8 / 9);
      case COMPRESSION_LZMA:  // 14 decisions of 0.022 bits give 273
        return unpacked / 8192;
      case COMPRESSION_ZSTD:  // a block's header, of three bytes, gives 128 KiB
        return unpacked / (131072.0 / 3);
      case COMPRESSION_JPEG:  // 8 x 8 pixels take a bit at least
        return pixels / 512;
      case COMPRESSION_CCITTRLE:
      case COMPRESSION_CCITTRLEW:
      case COMPRESSION_CCITTFAX3:
      case COMPRESSION_CCITTFAX4:  // a row like the one above it takes a bit
        return static_cast<double>(layout_.height) / 8;
      default:
        return 0;
    }
  }

  /// The bytes of all strips or tiles, of which some may be the same bytes.
  double stored_bytes() const {
    const uint32_t parts =
        layout_.is_tiled ? TIFFNumberOfTiles(file_.get()) : TIFFNumberOfStrips(file_.get());
    double sum = 0;
    for (uint32_t part = 0; parts <= bytes_ && part < parts; ++part) {  // each is named by some bytes
      sum += static_cast<double>(std::min<uint64_t>(TIFFGetStrileByteCount(file_.get(), part), bytes_));
    }
    return sum;
  }

  Status check_bytes() const {
    const double least = least_bytes();
    if (least > static_cast<double>(bytes_) && least > stored_bytes()) {
      return data_loss("TIFF claims {}x{} pixels, for which its {} bytes cannot be enough", layout_.height,
                       layout_.width, bytes_);
    }
    return ok_status();
  }

  TiffFile& file_;
  const uint64_t bytes_;
  TiffLayout layout_;
};

}  // namespace

Result<TiffLayout> read_tiff_layout(TiffFile& file, uint64_t bytes) {
  return TiffLayoutReader(file, bytes).read();
}

uint64_t tiff_rows_in_one_piece(TiffFile& file, const TiffLayout& layout) {
  const bool is_plain = layout.colours == TiffColours::kPlain && layout.bits == 8 && !layout.is_tiled &&
                        !layout.is_planar &&
                        file.u16(TIFFTAG_COMPRESSION, COMPRESSION_NONE) == COMPRESSION_NONE &&
                        file.u16(TIFFTAG_FILLORDER, FILLORDER_MSB2LSB) == FILLORDER_MSB2LSB;
  if (!is_plain) {
    return 0;
  }
  const auto row = static_cast<uint64_t>(layout.width) * static_cast<uint64_t>(layout.samples);
  const uint64_t begin = TIFFGetStrileOffset(file.get(), 0);
  uint64_t end = begin;
  for (int64_t top = 0; top < layout.height; top += layout.part_height) {
    const auto strip = static_cast<uint32_t>(top / layout.part_height);
    const uint64_t bytes = static_cast<uint64_t>(std::min(layout.part_height, layout.height - top)) * row;
    if (TIFFGetStrileOffset(file.get(), strip) != end || TIFFGetStrileByteCount(file.get(), strip) < bytes) {
      return 0;
    }
    end += bytes;
  }
  return begin;
}

ImageHeader tiff_header_of(const TiffLayout& layout) {
  ImageHeader header;
  header.format = ImageFormat::kTiff;
  header.height = layout.height;
  header.width = layout.width;
  header.channels = channels_of(layout);
  header.bit_depth = base_bits(layout);
  header.index_bits = layout.colours == TiffColours::kPalette ? layout.bits : 0;
  header.is_float = layout.is_float;
  header.orientation = layout.orientation;
  header.whole_image_bytes = layout.has_bands ? layout.part_bytes + band_bytes(layout) : 0;
  if (layout.colours == TiffColours::kOther) {
    header.whole_image_bytes += static_cast<uint64_t>(layout.part_height) *
                                static_cast<uint64_t>(layout.part_width) * sizeof(uint32_t);
  }
  return header;
}

}  // namespace forebay::codec
