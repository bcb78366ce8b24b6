// jpeg_compression_distortion: pictures as they come out of a JPEG file.
#include <algorithm>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/jpeg/jpeg_writer.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/frames.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {
namespace {

Status code_and_decode(const TensorView& in, int quality, const MutableTensorView& out) {
  const codec::RgbPixels pixels{in.as<uint8_t>(), in.shape()[0], in.shape()[1]};
  memory::ScratchArray<std::byte> bytes(codec::most_jpeg_bytes(pixels.height, pixels.width));
  FOREBAY_ASSIGN_OR_RETURN(const size_t size,
                           codec::write_jpeg(pixels, quality, {bytes.data(), bytes.size()}));
  const Bytes file(bytes.data(), size);
  FOREBAY_ASSIGN_OR_RETURN(const codec::ImageHeader header, codec::read_image_header(file));
  codec::ImageDecodeOptions options;
  options.limits.max_pixels = UINT64_MAX;  // it has as many as the picture that came in
  options.limits.max_bytes = UINT64_MAX;
  options.limits.max_expansion = UINT64_MAX;
  return codec::decode_image(file, header, options, {out.data, {out.shape(), DType::kUint8, "HWC"}});
}

struct JpegCompressionDistortion {
  Arg<int64_t> quality = 50;

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, image_layout(in, {"HWC", "FHWC"}));
    if (in.dtype() != DType::kUint8 || in.shape().back() != 3) {
      return invalid_argument("JPEG distorts UINT8 images of three channels, not {}", in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const FrameIntegers qualities, FrameIntegers::of(sample, quality));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, qualities));
    return for_each_frame(sample, frames, frames.spec(),
                          [&](const TensorView& from, int64_t frame, const MutableTensorView& to) {
                            const auto level = std::clamp<int64_t>(qualities.number(frame), 1, 100);
                            return code_and_decode(from, static_cast<int>(level), to);
                          });
  }
};

}  // namespace

OperatorSpec jpeg_compression_distortion() {
  return describe<JpegCompressionDistortion>("jpeg_compression_distortion",
                                             "Distorts images as JPEG compression does.")
      .input("data", "RGB images or sequences, UINT8.")
      .param("quality", &JpegCompressionDistortion::quality,
             "From 1 to 100, the best; what lies outside is taken for the nearer of them.")
      .outputs("The images, compressed (baseline JPEG, chroma at half of the resolution) and decoded.")
      .matches("DALI jpeg_compression_distortion")
      .build();
}

}  // namespace forebay::operators
