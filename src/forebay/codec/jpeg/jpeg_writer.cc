#include "forebay/codec/jpeg/jpeg_writer.h"

#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

namespace forebay::codec {
namespace {

constexpr int64_t kLongestJpegSide = JPEG_MAX_DIMENSION;

/// libjpeg's state with what its callbacks need; they leave by longjmp, so nothing here has a destructor that
/// a jump would skip.
struct JpegWriting {
  jpeg_compress_struct state;
  jpeg_error_mgr errors;
  jpeg_destination_mgr destination;
  std::jmp_buf jump;
  bool is_full;
};

JpegWriting& writing_of(j_common_ptr state) {
  return *static_cast<JpegWriting*>(state->client_data);
}

[[noreturn]] void jump_out_of_writing(j_common_ptr state) {
  std::longjmp(writing_of(state).jump, 1);
}

void say_nothing(j_common_ptr) {
}

void begin_output(j_compress_ptr) {
}

boolean refuse_more(j_compress_ptr state) {
  writing_of(reinterpret_cast<j_common_ptr>(state)).is_full = true;
  jump_out_of_writing(reinterpret_cast<j_common_ptr>(state));
}

void write_pixels(JpegWriting& writing, const RgbPixels& pixels, int quality) {
  jpeg_compress_struct& state = writing.state;
  jpeg_create_compress(&state);
  state.dest = &writing.destination;
  state.image_height = static_cast<JDIMENSION>(pixels.height);
  state.image_width = static_cast<JDIMENSION>(pixels.width);
  state.input_components = 3;
  state.in_color_space = JCS_RGB;
  jpeg_set_defaults(&state);
  jpeg_set_quality(&state, quality, TRUE);
  jpeg_start_compress(&state, TRUE);
  while (state.next_scanline < state.image_height) {
    auto* row = const_cast<JSAMPROW>(pixels.data + static_cast<size_t>(state.next_scanline) * 3 *
                                                       static_cast<size_t>(pixels.width));
    jpeg_write_scanlines(&state, &row, 1);
  }
  jpeg_finish_compress(&state);
}

}  // namespace

size_t most_jpeg_bytes(int64_t height, int64_t width) {
  // libjpeg-turbo's bound for this sampling: three bytes for each pixel of whole blocks of 16 x 16.
  constexpr size_t kHeaderBytes = 2048;
  const auto padded = [](int64_t side) { return static_cast<size_t>((side + 15) / 16 * 16); };
  return padded(height) * padded(width) * 3 + kHeaderBytes;
}

Result<size_t> write_jpeg(const RgbPixels& pixels, int quality, std::span<std::byte> to) {
  if (pixels.height < 1 || pixels.width < 1 || pixels.height > kLongestJpegSide ||
      pixels.width > kLongestJpegSide || quality < 1 || quality > 100 ||
      to.size() < most_jpeg_bytes(pixels.height, pixels.width)) {
    return invalid_argument("a JPEG of {} x {} pixels and quality {}, into {} bytes", pixels.width,
                            pixels.height, quality, to.size());
  }
  JpegWriting writing{};
  writing.state.err = jpeg_std_error(&writing.errors);
  writing.errors.error_exit = jump_out_of_writing;
  writing.errors.output_message = say_nothing;
  writing.state.client_data = &writing;
  writing.destination.next_output_byte = reinterpret_cast<JOCTET*>(to.data());
  writing.destination.free_in_buffer = to.size();
  writing.destination.init_destination = begin_output;
  writing.destination.empty_output_buffer = refuse_more;
  writing.destination.term_destination = begin_output;
  if (setjmp(writing.jump) == 0) {
    write_pixels(writing, pixels, quality);
    const size_t size = to.size() - writing.destination.free_in_buffer;
    jpeg_destroy_compress(&writing.state);
    return size;
  }
  jpeg_destroy_compress(&writing.state);
  return writing.is_full
             ? internal_error("a JPEG is larger than the bound of {} bytes", to.size())
             : resource_exhausted("libjpeg could not write {} x {} pixels", pixels.width, pixels.height);
}

}  // namespace forebay::codec
