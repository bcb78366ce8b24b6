// The image formats that can be decoded, a row each.
#include <algorithm>

#include "forebay/codec/format_decoder.h"

namespace forebay::codec {
namespace {

constexpr uint32_t kEveryEighth = 0xFE;
constexpr uint32_t kHalvings = 1 << 4 | 1 << 2 | 1 << 1;

constexpr FormatDecoder kDecoders[] = {
    {ImageFormat::kJpeg, kEveryEighth, false, read_jpeg_header, decode_jpeg},
    {ImageFormat::kPng, 0, true, read_png_header, decode_png},
    {ImageFormat::kBmp, 0, true, read_bmp_header, decode_bmp},
    {ImageFormat::kPnm, 0, false, read_pnm_header, decode_pnm},
    {ImageFormat::kWebp, 0, false, read_webp_header, decode_webp},
    {ImageFormat::kTiff, 0, true, read_tiff_header, decode_tiff, read_tiff_page_header},
    {ImageFormat::kJpeg2000, kHalvings, true, read_jpeg2000_header, decode_jpeg2000},
    {ImageFormat::kAvif, 0, false, read_avif_header, decode_avif},
    {ImageFormat::kJpegXl, 0, false, read_jpegxl_header, decode_jpegxl},
};

template <class Chosen>
std::string joined_names(const Chosen& is_chosen) {
  std::string names;
  for (const FormatDecoder& decoder : kDecoders) {
    if (is_chosen(decoder)) {
      names += names.empty() ? "" : ", ";
      names += name_of(decoder.format);
    }
  }
  return names;
}

}  // namespace

const FormatDecoder* decoder_of(ImageFormat format) {
  const auto* found = std::ranges::find(kDecoders, format, &FormatDecoder::format);
  return found == std::end(kDecoders) ? nullptr : found;
}

std::string names_of_decoders() {
  return joined_names([](const FormatDecoder&) { return true; });
}

std::string names_of_indexed_decoders() {
  return joined_names([](const FormatDecoder& decoder) { return decoder.gives_indices; });
}

std::string names_of_scaled_decoders() {
  return joined_names([](const FormatDecoder& decoder) { return decoder.scales != 0; });
}

std::string names_of_paged_decoders() {
  return joined_names([](const FormatDecoder& decoder) { return decoder.read_page_header != nullptr; });
}

}  // namespace forebay::codec
