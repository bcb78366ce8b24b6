// TIFFs for tests, made by libtiff.
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec::testing {
namespace {

struct TiffKind {
  const char* name = "";
  int samples = 3;
  int bits = 8;
  uint16_t coding = COMPRESSION_NONE;
  uint16_t meaning = PHOTOMETRIC_RGB;
  bool is_tiled = false;
  bool is_planar = false;
  int rows_per_strip = 7;
  int orientation = 0;  // 0: not said
};

constexpr int kTiffHeight = 37;
constexpr int kTiffWidth = 53;
constexpr int kTileSide = 16;

/// A file in memory for libtiff to write.
struct MemoryFile {
  std::vector<std::byte> bytes;
  size_t position = 0;
};

MemoryFile& file_of(thandle_t handle) {
  return *static_cast<MemoryFile*>(handle);
}

tmsize_t read_memory(thandle_t handle, void* to, tmsize_t size) {
  MemoryFile& file = file_of(handle);
  const size_t taken =
      std::min(static_cast<size_t>(size), file.bytes.size() - std::min(file.position, file.bytes.size()));
  std::copy_n(file.bytes.data() + file.position, taken, static_cast<std::byte*>(to));
  file.position += taken;
  return static_cast<tmsize_t>(taken);
}

tmsize_t write_memory(thandle_t handle, void* from, tmsize_t size) {
  MemoryFile& file = file_of(handle);
  file.bytes.resize(std::max(file.bytes.size(), file.position + static_cast<size_t>(size)));
  std::copy_n(static_cast<const std::byte*>(from), size, file.bytes.data() + file.position);
  file.position += static_cast<size_t>(size);
  return size;
}

toff_t seek_memory(thandle_t handle, toff_t offset, int whence) {
  MemoryFile& file = file_of(handle);
  file.position = offset + (whence == SEEK_CUR ? file.position : whence == SEEK_END ? file.bytes.size() : 0);
  return file.position;
}

int close_memory(thandle_t) {
  return 0;
}

toff_t size_of_memory(thandle_t handle) {
  return file_of(handle).bytes.size();
}

/// Rows of `width` pixels of `samples` values, packed to their bits.
std::vector<uint8_t> packed(std::span<const uint16_t> values, int per_row, int bits) {
  std::vector<uint8_t> bytes;
  for (size_t begin = 0; begin < values.size(); begin += per_row) {
    uint64_t pending = 0;
    int filled = 0;
    for (const uint16_t value : values.subspan(begin, per_row)) {
      if (bits % 8 == 0) {  // in the machine's order; of 32 bits the upper half is the value
        const uint64_t whole = bits == 32 ? static_cast<uint64_t>(value) << 16 | value : value;
        for (int shift = 0; shift < bits; shift += 8) {
          bytes.push_back(static_cast<uint8_t>(whole >> shift));
        }
        continue;
      }
      pending = pending << bits | value;
      for (filled += bits; filled >= 8; filled -= 8) {
        bytes.push_back(static_cast<uint8_t>(pending >> (filled - 8)));
      }
    }
    if (filled > 0) {
      bytes.push_back(static_cast<uint8_t>(pending << (8 - filled)));
    }
  }
  return bytes;
}

/// The samples of one plane, or of all, of a part of the image; 0 outside of it.
std::vector<uint16_t> part_of(const std::vector<uint16_t>& values, const TiffKind& kind, int top, int left,
                              int height, int width, int plane) {
  std::vector<uint16_t> part;
  for (int y = top; y < top + height; ++y) {
    for (int x = left; x < left + width; ++x) {
      for (int c = kind.is_planar ? plane : 0; c < (kind.is_planar ? plane + 1 : kind.samples); ++c) {
        const bool is_inside = y < kTiffHeight && x < kTiffWidth;
        part.push_back(is_inside ? values[(y * kTiffWidth + x) * kind.samples + c] : uint16_t{0});
      }
    }
  }
  return part;
}

void set_tags(TIFF* tiff, const TiffKind& kind) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, kTiffWidth);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, kTiffHeight);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind.samples);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind.bits);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind.coding);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind.meaning);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, kind.is_planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  if (kind.coding == COMPRESSION_JPEG && kind.meaning == PHOTOMETRIC_YCBCR) {
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
  if (kind.orientation != 0) {
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, kind.orientation);
  }
  if (kind.is_tiled) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, kTileSide);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, kTileSide);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, kind.coding == COMPRESSION_JPEG ? 16 : kind.rows_per_strip);
  }
  if (kind.meaning == PHOTOMETRIC_PALETTE) {
    std::vector<uint16_t> map(size_t{1} << kind.bits);
    for (size_t i = 0; i < map.size(); ++i) {
      map[i] = static_cast<uint16_t>(i * 4000 + 77);
    }
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), map.data(), map.data());
  }
}

void write_parts(TIFF* tiff, const TiffKind& kind, const std::vector<uint16_t>& values) {
  const int rows = kind.is_tiled ? kTileSide : kind.coding == COMPRESSION_JPEG ? 16 : kind.rows_per_strip;
  const int columns = kind.is_tiled ? kTileSide : kTiffWidth;
  const int planes = kind.is_planar ? kind.samples : 1;
  for (int plane = 0; plane < planes; ++plane) {
    for (int top = 0; top < kTiffHeight; top += rows) {
      const int height = kind.is_tiled ? rows : std::min(rows, kTiffHeight - top);
      for (int left = 0; left < kTiffWidth; left += columns) {
        const auto part = part_of(values, kind, top, left, height, columns, plane);
        auto bytes = packed(part, columns * kind.samples / planes, kind.bits);
        const auto size = static_cast<tmsize_t>(bytes.size());
        const tmsize_t written =
            kind.is_tiled
                ? TIFFWriteEncodedTile(tiff, TIFFComputeTile(tiff, left, top, 0, plane), bytes.data(), size)
                : TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, top, plane), bytes.data(), size);
        FOREBAY_CHECK(written == size);
      }
    }
  }
}

/// What a reader makes of a stored sample.
uint16_t read_back(uint16_t value, const TiffKind& kind) {
  if (kind.meaning == PHOTOMETRIC_PALETTE) {
    return static_cast<uint16_t>(value * 4000 + 77);
  }
  const int base = kind.bits <= 8 ? 255 : 65535;
  const double white = kind.bits == 32 ? 65535 : (1 << kind.bits) - 1;
  const auto stretched = static_cast<uint16_t>(value * (base / white));
  return kind.meaning == PHOTOMETRIC_MINISWHITE ? static_cast<uint16_t>(base - stretched) : stretched;
}

std::vector<uint16_t> values_of_kind(const TiffKind& kind) {
  const int white = kind.bits >= 16 ? 65535 : (1 << kind.bits) - 1;
  return sample_pixels(kTiffHeight, kTiffWidth, kind.samples, white);
}

TIFF* open_to_write(MemoryFile& file, const char* mode) {
  TIFF* tiff = TIFFClientOpen("test", mode, &file, read_memory, write_memory, seek_memory, close_memory,
                              size_of_memory, nullptr, nullptr);
  FOREBAY_CHECK(tiff != nullptr);
  return tiff;
}

/// A page for each kind.
std::vector<std::byte> file_of_pages(std::span<const TiffKind> kinds, const char* mode) {
  MemoryFile file;
  TIFF* tiff = open_to_write(file, mode);
  for (const TiffKind& kind : kinds) {
    set_tags(tiff, kind);
    write_parts(tiff, kind, values_of_kind(kind));
    FOREBAY_CHECK(TIFFWriteDirectory(tiff) == 1);
  }
  TIFFClose(tiff);
  return file.bytes;
}

/// What is in a page of `bytes`.
SampleImage described(const TiffKind& kind, std::vector<std::byte> bytes) {
  const bool has_palette = kind.meaning == PHOTOMETRIC_PALETTE;
  SampleImage sample{
      kind.name, {}, ImageFormat::kTiff, kTiffHeight, kTiffWidth, has_palette ? 3 : kind.samples, {}};
  sample.bytes = std::move(bytes);
  const auto values = values_of_kind(kind);
  if (has_palette) {
    sample.indices.assign(values.begin(), values.end());
  }
  for (size_t i = 0; kind.coding != COMPRESSION_JPEG && i < values.size(); ++i) {
    sample.pixels.insert(sample.pixels.end(), has_palette ? 3 : 1, read_back(values[i], kind));
  }
  return sample;
}

SampleImage tiff(const TiffKind& kind) {
  return described(kind, file_of_pages({&kind, 1}, "w"));
}

}  // namespace

std::vector<SampleImage> tiff_pages(const char* mode) {
  std::array kinds = {
      TiffKind{"page 0, RGB"}, TiffKind{"page 1, palette", 1, 4, COMPRESSION_LZW, PHOTOMETRIC_PALETTE},
      TiffKind{"page 2, 16 bits", 1, 16, COMPRESSION_ADOBE_DEFLATE, PHOTOMETRIC_MINISBLACK, true},
      TiffKind{"page 3, planes", 4, 8, COMPRESSION_LZW, PHOTOMETRIC_RGB, false, true}};
  kinds[1].orientation = 6;
  const auto bytes = file_of_pages(kinds, mode);
  std::vector<SampleImage> pages;
  for (const TiffKind& kind : kinds) {
    pages.push_back(described(kind, bytes));
  }
  return pages;
}

SampleImage turned_tiff(int orientation) {
  TiffKind kind{"tiff palette, turned", 1, 4, COMPRESSION_LZW, PHOTOMETRIC_PALETTE};
  kind.orientation = orientation;
  return tiff(kind);
}

std::vector<std::byte> blank_tiff(int side, int bits, int coding) {
  MemoryFile file;
  TIFF* tiff = open_to_write(file, "w");
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, side);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, side);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, coding);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, side);
  std::vector<uint8_t> black(static_cast<size_t>(side) * ((side * bits + 7) / 8));
  const auto size = static_cast<tmsize_t>(black.size());
  FOREBAY_CHECK(TIFFWriteEncodedStrip(tiff, 0, black.data(), size) == size);
  TIFFClose(tiff);
  return file.bytes;
}

std::vector<SampleImage> tiff_samples() {
  constexpr uint16_t kGrey = PHOTOMETRIC_MINISBLACK;
  constexpr uint16_t kDeflate = COMPRESSION_ADOBE_DEFLATE;
  const TiffKind kinds[] = {
      {"tiff plain"},
      {"tiff one strip", 3, 8, COMPRESSION_LZW, PHOTOMETRIC_RGB, false, false, kTiffHeight},
      {"tiff tiles", 3, 8, kDeflate, PHOTOMETRIC_RGB, true},
      {"tiff planes", 3, 8, COMPRESSION_LZW, PHOTOMETRIC_RGB, false, true},
      {"tiff planes of tiles", 4, 8, kDeflate, PHOTOMETRIC_RGB, true, true},
      {"tiff packbits", 4, 8, COMPRESSION_PACKBITS},
      {"tiff 1 bit", 1, 1, COMPRESSION_CCITTFAX4, kGrey},
      {"tiff 1 bit, white is 0", 1, 1, COMPRESSION_NONE, PHOTOMETRIC_MINISWHITE},
      {"tiff 3 bits", 3, 3, COMPRESSION_LZW},
      {"tiff 4 bits in tiles", 1, 4, COMPRESSION_LZW, kGrey, true},
      {"tiff grey and alpha", 2, 8, kDeflate, kGrey},
      {"tiff 12 bits", 3, 12, kDeflate},
      {"tiff 16 bits", 3, 16, COMPRESSION_LZW},
      {"tiff 16 bits, planes", 3, 16, COMPRESSION_LZW, PHOTOMETRIC_RGB, false, true},
      {"tiff 5 channels", 5, 8, kDeflate, kGrey},
      {"tiff palette", 1, 4, COMPRESSION_LZW, PHOTOMETRIC_PALETTE},
      {"tiff palette in tiles", 1, 4, COMPRESSION_NONE, PHOTOMETRIC_PALETTE, true},
      {"tiff palette of 2 bits", 1, 2, kDeflate, PHOTOMETRIC_PALETTE},
      {"tiff palette of 8 bits", 1, 8, kDeflate, PHOTOMETRIC_PALETTE},
      {"tiff jpeg", 3, 8, COMPRESSION_JPEG, PHOTOMETRIC_YCBCR},
      {"tiff jpeg in tiles", 3, 8, COMPRESSION_JPEG, PHOTOMETRIC_YCBCR, true},
      {"tiff jpeg grey", 1, 8, COMPRESSION_JPEG, kGrey},
      {"tiff fax of rows", 1, 1, COMPRESSION_CCITTFAX3, kGrey},
      {"tiff fax of runs", 1, 1, COMPRESSION_CCITTRLE, kGrey},
      {"tiff fax in tiles", 1, 1, COMPRESSION_CCITTFAX4, kGrey, true},
  };
  std::vector<SampleImage> samples;
  for (const TiffKind& kind : kinds) {
    samples.push_back(tiff(kind));
  }
  return samples;
}

}  // namespace forebay::codec::testing
