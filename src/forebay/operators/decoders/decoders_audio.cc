// decoders.audio: sound out of the bytes of a file.
#include "forebay/operators/decoders/audio_decode.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct DecodersAudio {
  DType dtype = DType::kFloat;
  bool downmix = false;
  Arg<float> sample_rate = 0.0F;
  float quality = 50.0F;
  int64_t max_bytes = static_cast<int64_t>(codec::AudioLimits{}.max_bytes);

  int num_outputs() const { return 2; }

  Status prepare(const Arguments&) {
    FOREBAY_RETURN_IF_ERROR(check_audio_dtype(dtype));
    if (max_bytes < 1) {
      return invalid_argument("max_bytes is {}, at least 1 is needed", max_bytes);
    }
    FOREBAY_ASSIGN_OR_RETURN(resampler_, kernels::AudioResampler::make(quality));
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& encoded = sample.input(0);
    if (encoded.shape().rank() != 1 || encoded.dtype() != DType::kUint8) {
      return invalid_argument("encoded bytes are needed, a uint8 tensor of rank 1, not {}",
                              encoded.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const float rate_hz, sample_rate.get(sample));
    FOREBAY_RETURN_IF_ERROR(sample.reserve(codec::audio_scratch_bytes(encoded.bytes())));
    FOREBAY_ASSIGN_OR_RETURN(const auto file, codec::AudioFile::open(encoded.bytes()));
    const AudioDecoding decoding{.dtype = dtype,
                                 .downmix = downmix,
                                 .rate_hz = rate_hz,
                                 .resampler = &*resampler_,
                                 .limits = {static_cast<uint64_t>(max_bytes)}};
    FOREBAY_ASSIGN_OR_RETURN(const double made_hz,
                             run_audio_decode(sample, 0, *file, {0, file->header().frames}, decoding));
    return put_sample_rate(sample, 1, {}, made_hz);
  }

 private:
  std::optional<kernels::AudioResampler> resampler_;
};

}  // namespace

OperatorSpec decoders_audio() {
  using Op = DecodersAudio;
  return describe<Op>("decoders.audio",
                      "Decodes sound: WAV, FLAC, Ogg Vorbis, Ogg Opus, MP3, AIFF, AU, CAF and their like.")
      .input("input", "The bytes of an encoded sound, uint8 of rank 1.")
      .param(
          "dtype", &Op::dtype,
          "FLOAT, full scale of which is 1, or INT16 or INT32, full scale of which is their own: samples of "
          "fewer bits are widened, those of more lose the lowest. Floating samples are rounded and "
          "saturated.")
      .param("downmix", &Op::downmix, "Whether to give the mean of the channels, of shape (t), not (t, c).")
      .param("sample_rate", &Op::sample_rate,
             "Rate in Hz that sound is resampled to, as `audio_resample` does; 0 or less keeps that of the "
             "file.")
      .param("quality", &Op::quality,
             "Of resampling, from 0, 3 lobes of the sinc filter on each side, by 50, 16, to 100, 64.")
      .param("max_bytes", &Op::max_bytes, "Sound is refused that takes more than this when it is decoded.")
      .outputs("The sound, (t, c), or (t) with `downmix`; its rate in Hz, FLOAT, a scalar.")
      .matches("DALI fn.decoders.audio")
      .build();
}

}  // namespace forebay::operators
