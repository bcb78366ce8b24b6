#include "large_images.h"

#include <cstdint>
#include <cstdio>
#include <vector>

#include <jpeglib.h>
#include <spng.h>

#include "forebay/base/check.h"

namespace forebay::end_to_end {
namespace {

constexpr int kBandRows = 64;  // the gradient changes once a band, which keeps coefficients few

void fill_row(std::vector<uint8_t>& row, int y) {
  const int down = y / kBandRows;
  for (size_t x = 0; x < row.size() / 3; ++x) {
    const int across = static_cast<int>(x / kBandRows);
    row[3 * x] = static_cast<uint8_t>(across);
    row[3 * x + 1] = static_cast<uint8_t>(down);
    row[3 * x + 2] = static_cast<uint8_t>(across + down);
  }
}

}  // namespace

void write_large_jpeg(const std::string& path, const LargeImage& image) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  FOREBAY_CHECK(file != nullptr);
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  jpeg_create_compress(&state);
  jpeg_stdio_dest(&state, file);
  state.image_height = static_cast<JDIMENSION>(image.height);
  state.image_width = static_cast<JDIMENSION>(image.width);
  state.input_components = 3;
  state.in_color_space = JCS_RGB;
  jpeg_set_defaults(&state);
  if (image.is_progressive) {
    jpeg_simple_progression(&state);
  }
  jpeg_start_compress(&state, TRUE);
  std::vector<uint8_t> row(static_cast<size_t>(image.width) * 3);
  for (int y = 0; y < image.height; ++y) {
    if (y % kBandRows == 0) {
      fill_row(row, y);
    }
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&state, &pointer, 1);
  }
  jpeg_finish_compress(&state);
  jpeg_destroy_compress(&state);
  std::fclose(file);
}

void write_large_png(const std::string& path, const LargeImage& image) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  FOREBAY_CHECK(file != nullptr);
  spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
  FOREBAY_CHECK(spng_set_png_file(context, file) == 0);
  FOREBAY_CHECK(spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, 1) == 0);
  FOREBAY_CHECK(spng_set_option(context, SPNG_FILTER_CHOICE, SPNG_DISABLE_FILTERING) == 0);
  spng_ihdr header{};
  header.height = static_cast<uint32_t>(image.height);
  header.width = static_cast<uint32_t>(image.width);
  header.bit_depth = 8;
  header.color_type = SPNG_COLOR_TYPE_TRUECOLOR;
  FOREBAY_CHECK(spng_set_ihdr(context, &header) == 0);
  FOREBAY_CHECK(spng_encode_image(context, nullptr, 0, SPNG_FMT_PNG,
                                  SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE) == 0);
  std::vector<uint8_t> row(static_cast<size_t>(image.width) * 3);
  int code = 0;
  for (int y = 0; y < image.height; ++y) {
    if (y % kBandRows == 0) {
      fill_row(row, y);
    }
    code = spng_encode_row(context, row.data(), row.size());
    FOREBAY_CHECK(code == 0 || (code == SPNG_EOI && y + 1 == image.height));
  }
  spng_ctx_free(context);
  std::fclose(file);
}

}  // namespace forebay::end_to_end
