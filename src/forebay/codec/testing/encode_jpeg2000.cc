// JPEG 2000 files for tests, made by OpenJPEG.
#include <openjpeg.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "forebay/base/check.h"
#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec::testing {
namespace {

struct Jpeg2000Kind {
  const char* name = "";
  int channels = 3;
  int bits = 8;
  bool is_boxed = true;
  bool is_lossy = false;
  int tile_side = 0;    // 0: one tile
  int subsampling = 1;  // of the channels behind the first, which makes them YCbCr
  int origin = 0;
  int palette_size = 0;  // of three colours; 0: none
  int palette_bits = 8;
};

constexpr int kJpeg2000Height = 37;
constexpr int kJpeg2000Width = 53;

struct Written {
  std::vector<std::byte> bytes;
  size_t position = 0;
};

OPJ_SIZE_T write_bytes(void* from, OPJ_SIZE_T count, void* self) {
  Written& written = *static_cast<Written*>(self);
  written.bytes.resize(std::max(written.bytes.size(), written.position + count));
  std::copy_n(static_cast<const std::byte*>(from), count, written.bytes.data() + written.position);
  written.position += count;
  return count;
}

OPJ_OFF_T skip_bytes(OPJ_OFF_T count, void* self) {
  Written& written = *static_cast<Written*>(self);
  written.position += static_cast<size_t>(count);
  written.bytes.resize(std::max(written.bytes.size(), written.position));
  return count;
}

OPJ_BOOL seek_byte(OPJ_OFF_T position, void* self) {
  static_cast<Written*>(self)->position = static_cast<size_t>(position);
  return OPJ_TRUE;
}

opj_image_t* image_of(const Jpeg2000Kind& kind, const std::vector<uint16_t>& pixels) {
  std::vector<opj_image_cmptparm_t> planes(static_cast<size_t>(kind.channels));
  for (int c = 0; c < kind.channels; ++c) {
    const int step = c == 0 ? 1 : kind.subsampling;
    opj_image_cmptparm_t& plane = planes[c];
    std::memset(&plane, 0, sizeof(plane));
    plane.dx = static_cast<OPJ_UINT32>(step);
    plane.dy = static_cast<OPJ_UINT32>(step);
    plane.w = static_cast<OPJ_UINT32>((kJpeg2000Width + step - 1) / step);
    plane.h = static_cast<OPJ_UINT32>((kJpeg2000Height + step - 1) / step);
    plane.x0 = static_cast<OPJ_UINT32>(kind.origin);
    plane.y0 = static_cast<OPJ_UINT32>(kind.origin);
    plane.prec = static_cast<OPJ_UINT32>(kind.bits);
  }
  const OPJ_COLOR_SPACE colours = kind.channels < 3      ? OPJ_CLRSPC_GRAY
                                  : kind.subsampling > 1 ? OPJ_CLRSPC_SYCC
                                                         : OPJ_CLRSPC_SRGB;
  opj_image_t* image = opj_image_create(static_cast<OPJ_UINT32>(kind.channels), planes.data(), colours);
  FOREBAY_CHECK(image != nullptr);
  image->x0 = static_cast<OPJ_UINT32>(kind.origin);
  image->y0 = static_cast<OPJ_UINT32>(kind.origin);
  image->x1 = static_cast<OPJ_UINT32>(kind.origin + kJpeg2000Width);
  image->y1 = static_cast<OPJ_UINT32>(kind.origin + kJpeg2000Height);
  for (int c = 0; c < kind.channels; ++c) {
    const int step = c == 0 ? 1 : kind.subsampling;
    for (OPJ_UINT32 i = 0; i < image->comps[c].w * image->comps[c].h; ++i) {
      const OPJ_UINT32 y = i / image->comps[c].w * static_cast<OPJ_UINT32>(step);
      const OPJ_UINT32 x = i % image->comps[c].w * static_cast<OPJ_UINT32>(step);
      const int value = pixels[(y * kJpeg2000Width + x) * kind.channels + c];
      const bool is_plain = kind.subsampling == 1;
      image->comps[c].data[i] = is_plain ? value
                                : c == 0 ? 60 + value / 2
                                         : 112 + value / 8;  // no colour is cut off
    }
  }
  return image;
}

void put_big(std::vector<std::byte>& out, uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<std::byte>(value >> shift));
  }
}

int palette_value(const Jpeg2000Kind& kind, int index, int channel) {
  const int white = (1 << kind.palette_bits) - 1;
  return channel == 0 ? index * 37 & white : channel == 1 ? white - index : 7;
}

/// A palette of RGB, and the mapping of the only component to its columns.
std::vector<std::byte> palette_boxes(const Jpeg2000Kind& kind) {
  const int value_bytes = kind.palette_bits > 8 ? 2 : 1;
  std::vector<std::byte> boxes;
  put_big(boxes, 8 + 3 + 3 + static_cast<uint64_t>(kind.palette_size * 3 * value_bytes), 4);
  put_big(boxes, 0x70636C72, 4);  // pclr
  put_big(boxes, static_cast<uint64_t>(kind.palette_size), 2);
  put_big(boxes, 3, 1);
  put_big(boxes, 0x010101 * static_cast<uint64_t>(kind.palette_bits - 1), 3);
  for (int i = 0; i < kind.palette_size; ++i) {
    for (int c = 0; c < 3; ++c) {
      put_big(boxes, static_cast<uint64_t>(palette_value(kind, i, c)), value_bytes);
    }
  }
  put_big(boxes, 8 + 12, 4);
  put_big(boxes, 0x636D6170, 4);  // cmap
  for (uint64_t column = 0; column < 3; ++column) {
    put_big(boxes, 0x100 | column, 4);  // component 0, through the palette
  }
  return boxes;
}

/// Puts the boxes at the end of the header box and says that colours are sRGB.
void add_palette(std::vector<std::byte>& file, const Jpeg2000Kind& kind) {
  const auto place_of_name = [&](std::string_view name) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    return text.find(name);
  };
  const std::vector<std::byte> boxes = palette_boxes(kind);
  const size_t colours = place_of_name("colr") + 4;
  file[colours + 6] = std::byte{16};
  const size_t header = place_of_name("jp2h") - 4;
  const size_t size = static_cast<size_t>(file[header + 2]) << 8 | static_cast<size_t>(file[header + 3]);
  const size_t longer = size + boxes.size();
  file.insert(file.begin() + static_cast<ptrdiff_t>(header + size), boxes.begin(), boxes.end());
  file[header + 2] = static_cast<std::byte>(longer >> 8);
  file[header + 3] = static_cast<std::byte>(longer);
}

/// The colours that indices name: numbers beyond the end name the last.
void set_palette_pixels(SampleImage& sample, const Jpeg2000Kind& kind, const std::vector<uint16_t>& indices) {
  sample.channels = 3;
  sample.indices.assign(indices.begin(), indices.end());
  for (const uint16_t index : indices) {
    for (int c = 0; c < 3; ++c) {
      const int value = palette_value(kind, std::min<int>(index, kind.palette_size - 1), c);
      sample.pixels.push_back(static_cast<uint16_t>(value));
    }
  }
}

SampleImage jpeg2000(const Jpeg2000Kind& kind) {
  SampleImage sample{kind.name,     {}, ImageFormat::kJpeg2000, kJpeg2000Height, kJpeg2000Width,
                     kind.channels, {}};
  const int white = (1 << kind.bits) - 1;
  const auto pixels = sample_pixels(kJpeg2000Height, kJpeg2000Width, kind.channels, white);
  opj_image_t* image = image_of(kind, pixels);
  opj_cparameters_t parameters;
  opj_set_default_encoder_parameters(&parameters);
  parameters.tcp_numlayers = 1;
  parameters.tcp_rates[0] = kind.is_lossy ? 8.0F : 0.0F;
  parameters.cp_disto_alloc = 1;
  parameters.irreversible = kind.is_lossy ? 1 : 0;
  parameters.numresolution = 4;
  parameters.tcp_mct = kind.channels >= 3 && kind.subsampling == 1 ? 1 : 0;
  parameters.tile_size_on = kind.tile_side > 0 ? OPJ_TRUE : OPJ_FALSE;
  parameters.cp_tdx = kind.tile_side;
  parameters.cp_tdy = kind.tile_side;
  opj_codec_t* codec = opj_create_compress(kind.is_boxed ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
  FOREBAY_CHECK(opj_setup_encoder(codec, &parameters, image) == OPJ_TRUE);
  Written written;
  opj_stream_t* stream = opj_stream_default_create(OPJ_FALSE);
  opj_stream_set_user_data(stream, &written, nullptr);
  opj_stream_set_write_function(stream, write_bytes);
  opj_stream_set_skip_function(stream, skip_bytes);
  opj_stream_set_seek_function(stream, seek_byte);
  FOREBAY_CHECK(opj_start_compress(codec, image, stream) == OPJ_TRUE);
  FOREBAY_CHECK(opj_encode(codec, stream) == OPJ_TRUE);
  FOREBAY_CHECK(opj_end_compress(codec, stream) == OPJ_TRUE);
  opj_stream_destroy(stream);
  opj_destroy_codec(codec);
  opj_image_destroy(image);
  sample.bytes = written.bytes;
  if (kind.palette_size > 0) {
    add_palette(sample.bytes, kind);
    set_palette_pixels(sample, kind, pixels);
    return sample;
  }
  const int base = kind.bits <= 8 ? 255 : 65535;
  for (size_t i = 0; !kind.is_lossy && kind.subsampling == 1 && i < pixels.size(); ++i) {
    sample.pixels.push_back(static_cast<uint16_t>(int64_t{pixels[i]} * base / white));
  }
  return sample;
}

}  // namespace

std::vector<SampleImage> jpeg2000_samples() {
  const Jpeg2000Kind kinds[] = {
      {"jp2"},
      {"jp2 in tiles", 3, 8, true, false, 16},
      {"jp2 lossy", 3, 8, true, true},
      {"jp2 lossy in tiles", 3, 8, true, true, 32},
      {"jp2 16 bits", 3, 16},
      {"jp2 12 bits grey", 1, 12},
      {"jp2 4 bits grey", 1, 4},
      {"jp2 grey and alpha", 2, 8},
      {"jp2 alpha", 4, 8},
      {"jp2 subsampled", 3, 8, true, false, 0, 2},
      {"j2k", 3, 8, false},
      {"j2k beginning elsewhere", 3, 8, false, false, 16, 1, 5},
      {"jp2 palette", 1, 8, true, false, 0, 1, 0, 256},
      {"jp2 palette of 4 bits in tiles", 1, 4, true, false, 16, 1, 0, 16},
      {"jp2 palette of 16 bits, shorter than its indices", 1, 8, true, false, 0, 1, 0, 100, 16},
  };
  std::vector<SampleImage> samples;
  for (const Jpeg2000Kind& kind : kinds) {
    samples.push_back(jpeg2000(kind));
  }
  return samples;
}

}  // namespace forebay::codec::testing
