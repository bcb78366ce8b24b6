#include "forebay/codec/testing/encode_jpeg.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <jpeglib.h>

#include "forebay/base/check.h"
#include "forebay/codec/testing/exif_block.h"

namespace forebay::codec::testing {
namespace {

void set_sampling(jpeg_compress_struct& state, const JpegOptions& options) {
  for (int i = 0; i < state.num_components; ++i) {
    state.comp_info[i].h_samp_factor = 1;
    state.comp_info[i].v_samp_factor = 1;
  }
  if (options.channels == 1 || options.has_odd_sampling) {
    state.comp_info[options.channels - 1].h_samp_factor = options.sampling_x;
    state.comp_info[options.channels - 1].v_samp_factor = options.sampling_y;
    return;
  }
  const bool has_chroma = state.jpeg_color_space == JCS_YCbCr || state.jpeg_color_space == JCS_YCCK;
  for (const int full : {0, 3}) {
    if (has_chroma && full < state.num_components) {
      state.comp_info[full].h_samp_factor = options.sampling_x;
      state.comp_info[full].v_samp_factor = options.sampling_y;
    }
  }
}

void set_colours(jpeg_compress_struct& state, const JpegOptions& options) {
  if (options.channels == 3 && options.keeps_colours) {
    jpeg_set_colorspace(&state, JCS_RGB);
  }
  if (options.channels == 4) {
    jpeg_set_colorspace(&state, options.keeps_colours ? JCS_CMYK : JCS_YCCK);
  }
}

std::vector<jpeg_scan_info> one_scan_a_channel(int channels) {
  std::vector<jpeg_scan_info> scans(static_cast<size_t>(channels));
  for (int i = 0; i < channels; ++i) {
    scans[i] = {1, {i, 0, 0, 0}, 0, 63, 0, 0};
  }
  return scans;
}

}  // namespace

std::vector<uint8_t> test_photo(int height, int width, int channels, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> pixels;
  pixels.reserve(static_cast<size_t>(height) * width * channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const int slope = (x * (3 + c) + y * (5 - c)) / 2 % 160;
        const int tile = (x / 9 + y / 11 + c) % 2 * 60;
        pixels.push_back(static_cast<uint8_t>(slope + tile + static_cast<int>(random() % 24)));
      }
    }
  }
  return pixels;
}

std::vector<std::byte> encode_jpeg(std::span<const uint8_t> pixels, const JpegOptions& options) {
  FOREBAY_CHECK(pixels.size() == static_cast<size_t>(options.height) * options.width * options.channels);
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  jpeg_create_compress(&state);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&state, &data, &size);
  state.image_height = static_cast<JDIMENSION>(options.height);
  state.image_width = static_cast<JDIMENSION>(options.width);
  state.input_components = options.channels;
  state.in_color_space = options.channels == 1 ? JCS_GRAYSCALE : options.channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&state);
  set_colours(state, options);
  jpeg_set_quality(&state, options.quality, TRUE);
  set_sampling(state, options);
  state.restart_interval = static_cast<unsigned>(options.restart_interval);
  state.arith_code = options.is_arithmetic ? TRUE : FALSE;
  const std::vector<jpeg_scan_info> scans = one_scan_a_channel(options.channels);
  if (options.is_progressive) {
    jpeg_simple_progression(&state);
  } else if (options.has_separate_scans) {
    state.scan_info = scans.data();
    state.num_scans = options.channels;
  }
  jpeg_start_compress(&state, TRUE);
  if (options.exif_orientation != 0) {
    std::vector<uint8_t> block = {'E', 'x', 'i', 'f', 0, 0};
    const auto exif = exif_block(options.exif_orientation, options.exif_is_big_endian);
    block.insert(block.end(), exif.begin(), exif.end());
    jpeg_write_marker(&state, JPEG_APP0 + 1, block.data(), static_cast<unsigned>(block.size()));
  }
  const size_t row_bytes = static_cast<size_t>(options.width) * options.channels;
  while (state.next_scanline < state.image_height) {
    auto* row = const_cast<JSAMPROW>(pixels.data() + state.next_scanline * row_bytes);
    jpeg_write_scanlines(&state, &row, 1);
  }
  jpeg_finish_compress(&state);
  jpeg_destroy_compress(&state);
  const auto* first = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> result(first, first + size);
  std::free(data);
  return result;
}

std::vector<std::byte> test_jpeg(const JpegOptions& options) {
  return encode_jpeg(test_photo(options.height, options.width, options.channels), options);
}

namespace {

J_COLOR_SPACE colours_of(OutputType output_type, int channels) {
  switch (output_type) {
    case OutputType::kBgr:
      return JCS_EXT_BGR;
    case OutputType::kGray:
      return JCS_GRAYSCALE;
    case OutputType::kAnyData:
      return channels == 1 ? JCS_GRAYSCALE : channels == 4 ? JCS_CMYK : JCS_RGB;
    default:
      return JCS_RGB;
  }
}

struct PlainErrors {
  jpeg_error_mgr base{};
  std::jmp_buf jump;
};

void jump_out(j_common_ptr state) {
  std::longjmp(reinterpret_cast<PlainErrors*>(state->err)->jump, 1);
}

void decode_plainly(jpeg_decompress_struct& state, std::span<const std::byte> jpeg, OutputType output_type,
                    bool fancy_upsampling, int scale_eighths, std::vector<uint8_t>& pixels) {
  jpeg_mem_src(&state, reinterpret_cast<const unsigned char*>(jpeg.data()), jpeg.size());
  jpeg_read_header(&state, TRUE);
  state.out_color_space = colours_of(output_type, state.num_components);
  state.do_fancy_upsampling = fancy_upsampling ? TRUE : FALSE;
  state.scale_num = static_cast<unsigned>(scale_eighths);
  state.scale_denom = 8;
  jpeg_start_decompress(&state);
  const size_t row_bytes = static_cast<size_t>(state.output_width) * state.output_components;
  pixels.resize(row_bytes * state.output_height);
  while (state.output_scanline < state.output_height) {
    JSAMPROW row = pixels.data() + state.output_scanline * row_bytes;
    jpeg_read_scanlines(&state, &row, 1);
  }
  jpeg_finish_decompress(&state);
}

}  // namespace

std::vector<uint8_t> plain_jpeg_pixels(std::span<const std::byte> jpeg, OutputType output_type,
                                       bool fancy_upsampling, int scale_eighths) {
  std::vector<uint8_t> pixels;
  jpeg_decompress_struct state{};
  PlainErrors errors;
  state.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = jump_out;
  errors.base.output_message = [](j_common_ptr) {};
  if (setjmp(errors.jump) != 0) {
    jpeg_destroy_decompress(&state);
    return {};
  }
  jpeg_create_decompress(&state);
  decode_plainly(state, jpeg, output_type, fancy_upsampling, scale_eighths, pixels);
  jpeg_destroy_decompress(&state);
  return pixels;
}

}  // namespace forebay::codec::testing
