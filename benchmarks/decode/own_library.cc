// The library of each format, used bare, whole and by window: libjpeg-turbo, libpng, libtiff, libwebp and
// OpenJPEG of the system, each by the calls that its manual names for the purpose, into memory that is kept
// from picture to picture.
#include <openjpeg.h>
#include <png.h>
#include <tiffio.h>
#include <webp/decode.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "harness/contender.h"

#include <jpeglib.h>  // needs <cstdio> before it

namespace {

struct Region {
  int64_t y = 0;
  int64_t x = 0;
  int64_t height = 0;
  int64_t width = 0;
};

struct Picture {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> pixels;  // RGB

  uint8_t* row(int64_t y) { return pixels.data() + y * width * 3; }
};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s does not decode this\n", what);
  std::exit(1);
}

void check(bool holds, const char* what) {
  if (!holds) {
    fail(what);
  }
}

/// All of a picture, or the middle half of its height and width; `out` gets room for it.
Region region_of(int64_t height, int64_t width, bool is_window, Picture& out) {
  const Region region =
      is_window ? Region{height / 4, width / 4, height / 2, width / 2} : Region{0, 0, height, width};
  out.height = region.height;
  out.width = region.width;
  out.pixels.resize(static_cast<size_t>(region.height * region.width * 3));
  return region;
}

void decode_jpeg(const std::string& data, bool is_window, Picture& out) {
  jpeg_decompress_struct state = {};
  jpeg_error_mgr errors = {};
  state.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&state);
  jpeg_mem_src(&state, reinterpret_cast<const unsigned char*>(data.data()), data.size());
  jpeg_read_header(&state, TRUE);
  state.out_color_space = JCS_RGB;
  jpeg_start_decompress(&state);
  const Region region = region_of(state.output_height, state.output_width, is_window, out);
  JDIMENSION first = static_cast<JDIMENSION>(region.x);
  JDIMENSION width = static_cast<JDIMENSION>(region.width);
  if (is_window) {
    jpeg_crop_scanline(&state, &first, &width);
    jpeg_skip_scanlines(&state, static_cast<JDIMENSION>(region.y));
  }
  std::vector<uint8_t> wide(static_cast<size_t>(width) * 3);
  for (int64_t y = 0; y < region.height; ++y) {
    JSAMPROW row = is_window ? wide.data() : out.row(y);
    jpeg_read_scanlines(&state, &row, 1);
    if (is_window) {
      std::memcpy(out.row(y), wide.data() + (region.x - first) * 3, static_cast<size_t>(region.width) * 3);
    }
  }
  jpeg_abort_decompress(&state);
  jpeg_destroy_decompress(&state);
}

struct PngSource {
  const std::string& data;
  size_t position = 0;
};

void read_png(png_structp png, png_bytep to, size_t count) {
  auto& source = *static_cast<PngSource*>(png_get_io_ptr(png));
  check(count <= source.data.size() - source.position, "libpng");
  std::memcpy(to, source.data.data() + source.position, count);
  source.position += count;
}

void decode_png(const std::string& data, bool is_window, Picture& out) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  PngSource source{data};
  png_set_read_fn(png, &source, read_png);
  png_read_info(png, info);
  png_set_expand(png);
  png_set_strip_alpha(png);
  png_set_gray_to_rgb(png);
  png_read_update_info(png, info);
  const Region region =
      region_of(png_get_image_height(png, info), png_get_image_width(png, info), is_window, out);
  std::vector<uint8_t> wide(png_get_rowbytes(png, info));
  for (int64_t y = 0; y < region.y + region.height; ++y) {
    png_read_row(png, is_window ? wide.data() : out.row(y), nullptr);
    if (is_window && y >= region.y) {
      std::memcpy(out.row(y - region.y), wide.data() + region.x * 3, static_cast<size_t>(region.width) * 3);
    }
  }
  png_destroy_read_struct(&png, &info, nullptr);
}

struct TiffSource {
  const std::string& data;
  toff_t position = 0;
};

TIFF* open_tiff(TiffSource& source) {
  const auto read = [](thandle_t handle, void* to, tmsize_t count) -> tmsize_t {
    auto& from = *static_cast<TiffSource*>(handle);
    const auto left =
        static_cast<tmsize_t>(from.data.size() - std::min<toff_t>(from.position, from.data.size()));
    const tmsize_t got = std::min(count, left);
    std::memcpy(to, from.data.data() + from.position, static_cast<size_t>(got));
    from.position += static_cast<toff_t>(got);
    return got;
  };
  const auto write = [](thandle_t, void*, tmsize_t) -> tmsize_t { return 0; };
  const auto seek = [](thandle_t handle, toff_t offset, int whence) -> toff_t {
    auto& from = *static_cast<TiffSource*>(handle);
    const toff_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? from.position : from.data.size();
    return from.position = base + offset;
  };
  const auto close = [](thandle_t) { return 0; };
  const auto size = [](thandle_t handle) -> toff_t { return static_cast<TiffSource*>(handle)->data.size(); };
  const auto map = [](thandle_t handle, void** base, toff_t* bytes) {
    const std::string& from = static_cast<TiffSource*>(handle)->data;
    *base = const_cast<char*>(from.data());
    *bytes = from.size();
    return 1;
  };
  const auto unmap = [](thandle_t, void*, toff_t) {};
  return TIFFClientOpen("memory", "r", &source, read, write, seek, close, size, map, unmap);
}

void decode_tiff(const std::string& data, bool is_window, Picture& out) {
  TiffSource source{data};
  TIFF* tiff = open_tiff(source);
  check(tiff != nullptr, "libtiff");
  uint32_t height = 0;
  uint32_t width = 0;
  uint32_t strip_rows = 0;
  uint16_t compression = 0;
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_COMPRESSION, &compression);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &strip_rows);
  if (compression == COMPRESSION_JPEG) {
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
  const Region region = region_of(height, width, is_window, out);
  std::vector<uint8_t> strip(static_cast<size_t>(TIFFStripSize(tiff)));
  const int64_t bottom = region.y + region.height;
  for (int64_t number = region.y / strip_rows; number * strip_rows < bottom; ++number) {
    const tmsize_t got = TIFFReadEncodedStrip(tiff, static_cast<uint32_t>(number), strip.data(), -1);
    check(got >= 0, "libtiff");
    const int64_t top = number * strip_rows;
    const int64_t end = std::min<int64_t>(bottom, top + strip_rows);
    for (int64_t y = std::max(top, region.y); y < end; ++y) {
      const uint8_t* const row = strip.data() + (y - top) * width * 3;
      std::memcpy(out.row(y - region.y), row + region.x * 3, static_cast<size_t>(region.width) * 3);
    }
  }
  TIFFClose(tiff);
}

void decode_webp(const std::string& data, bool is_window, Picture& out) {
  WebPDecoderConfig config;
  check(WebPInitDecoderConfig(&config) != 0, "libwebp");
  const auto* const bytes = reinterpret_cast<const uint8_t*>(data.data());
  check(WebPGetFeatures(bytes, data.size(), &config.input) == VP8_STATUS_OK, "libwebp");
  const Region region = region_of(config.input.height, config.input.width, is_window, out);
  config.options.use_cropping = is_window ? 1 : 0;
  config.options.crop_left = static_cast<int>(region.x);
  config.options.crop_top = static_cast<int>(region.y);
  config.options.crop_width = static_cast<int>(region.width);
  config.options.crop_height = static_cast<int>(region.height);
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {out.pixels.data(), static_cast<int>(region.width * 3), out.pixels.size()};
  check(WebPDecode(bytes, data.size(), &config) == VP8_STATUS_OK, "libwebp");
}

struct Jpeg2000Source {
  const std::string& data;
  size_t position = 0;
};

opj_stream_t* open_jpeg2000(Jpeg2000Source& source) {
  opj_stream_t* const stream = opj_stream_create(source.data.size(), OPJ_TRUE);
  opj_stream_set_user_data(stream, &source, nullptr);
  opj_stream_set_user_data_length(stream, source.data.size());
  opj_stream_set_read_function(stream, [](void* to, OPJ_SIZE_T count, void* self) -> OPJ_SIZE_T {
    auto& from = *static_cast<Jpeg2000Source*>(self);
    const size_t got = std::min(count, from.data.size() - from.position);
    std::memcpy(to, from.data.data() + from.position, got);
    from.position += got;
    return got == 0 ? static_cast<OPJ_SIZE_T>(-1) : got;
  });
  opj_stream_set_skip_function(stream, [](OPJ_OFF_T count, void* self) -> OPJ_OFF_T {
    static_cast<Jpeg2000Source*>(self)->position += static_cast<size_t>(count);
    return count;
  });
  opj_stream_set_seek_function(stream, [](OPJ_OFF_T position, void* self) -> OPJ_BOOL {
    static_cast<Jpeg2000Source*>(self)->position = static_cast<size_t>(position);
    return OPJ_TRUE;
  });
  return stream;
}

void decode_jpeg2000(const std::string& data, bool is_window, Picture& out) {
  Jpeg2000Source source{data};
  opj_stream_t* const stream = open_jpeg2000(source);
  opj_codec_t* const decoder = opj_create_decompress(OPJ_CODEC_JP2);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  opj_image_t* image = nullptr;
  const bool is_begun = opj_setup_decoder(decoder, &parameters) && opj_read_header(stream, decoder, &image);
  check(is_begun, "OpenJPEG");
  const Region region = region_of(image->y1 - image->y0, image->x1 - image->x0, is_window, out);
  if (is_window) {
    const auto left = static_cast<OPJ_INT32>(region.x);
    const auto top = static_cast<OPJ_INT32>(region.y);
    const auto right = static_cast<OPJ_INT32>(region.x + region.width);
    const auto bottom = static_cast<OPJ_INT32>(region.y + region.height);
    check(opj_set_decode_area(decoder, image, left, top, right, bottom), "OpenJPEG");
  }
  check(opj_decode(decoder, stream, image), "OpenJPEG");
  const int64_t count = region.height * region.width;
  for (int64_t i = 0; i < count; ++i) {
    for (int c = 0; c < 3; ++c) {
      out.pixels[i * 3 + c] = static_cast<uint8_t>(std::clamp(image->comps[c].data[i], 0, 255));
    }
  }
  opj_image_destroy(image);
  opj_destroy_codec(decoder);
  opj_stream_destroy(stream);
}

using Decode = void (*)(const std::string& data, bool is_window, Picture& out);

/// Null for formats that have no library.
Decode decoder_of(const std::string& data) {
  static constexpr std::pair<std::string_view, Decode> kDecoders[] = {
      {"\xff\xd8", decode_jpeg}, {"\x89P", decode_png}, {"II", decode_tiff},
      {"MM", decode_tiff},       {"RI", decode_webp},   {std::string_view("\0\0", 2), decode_jpeg2000}};
  const auto* const found = std::ranges::find(kDecoders, std::string_view(data).substr(0, 2),
                                              &std::pair<std::string_view, Decode>::first);
  return found == std::end(kDecoders) ? nullptr : found->second;
}

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  const std::map<std::string, std::string> versions = {
      {"libjpeg-turbo", std::to_string(LIBJPEG_TURBO_VERSION_NUMBER)},
      {"libpng", PNG_LIBPNG_VER_STRING},
      {"libtiff", std::to_string(TIFFLIB_VERSION)},
      {"libwebp", std::to_string(WebPGetDecoderVersion())},
      {"OpenJPEG", opj_version()}};
  const bool is_window = task.number.contains("window");
  const std::vector<std::string> files = contender::read_pictures(task.text.at("folder"));
  const Decode decode = decoder_of(files.front());
  if (decode == nullptr) {
    contender::decline(task, versions);
    return 0;
  }
  Picture picture;
  if (!task.check.empty()) {
    decode(files.front(), is_window, picture);
    contender::save(task, versions, {picture.pixels.begin(), picture.pixels.end()},
                    {picture.height, picture.width, 3});
    return 0;
  }
  contender::measure(task, 1, versions, [&](int) {
    for (const std::string& file : files) {
      decode(file, is_window, picture);
    }
    return static_cast<int>(files.size());
  });
  return 0;
}
