// readers.nemo_asr: speech and transcripts that manifests of NeMo name. The source reads files; this decodes
// them, on the worker that has the sample.
#include "forebay/dataset/nemo/nemo_part.h"
#include "forebay/dataset/nemo/nemo_source.h"
#include "forebay/memory/copy.h"
#include "forebay/operators/decoders/audio_decode.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {
namespace {

/// Into the batch's slot.
Status put_copy(Sample& sample, int output, const Tensor& from) {
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(output, from.spec()));
  if (from.size_bytes() > 0) {
    memory::copy(out.data, from.data(), from.size_bytes());
  }
  return ok_status();
}

struct ReadersNemoAsr : Reader<dataset::NemoOptions, dataset::make_nemo_source> {
  static constexpr bool kDecodesRecords = true;

  bool read_sample_rate = true;
  bool read_text = true;
  bool read_idxs = false;
  float sample_rate = -1.0F;
  float quality = 50.0F;
  bool downmix = true;
  DType dtype = DType::kFloat;
  int64_t max_bytes = static_cast<int64_t>(codec::AudioLimits{}.max_bytes);

  int num_outputs() const {
    return 1 + static_cast<int>(read_sample_rate) + static_cast<int>(read_text) + static_cast<int>(read_idxs);
  }

  Status prepare(const Arguments& arguments) {
    FOREBAY_RETURN_IF_ERROR(Reader::prepare(arguments));
    FOREBAY_RETURN_IF_ERROR(check_audio_dtype(dtype));
    if (max_bytes < 1) {
      return invalid_argument("max_bytes is {}, at least 1 is needed", max_bytes);
    }
    FOREBAY_ASSIGN_OR_RETURN(resampler_, kernels::AudioResampler::make(quality));
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Bytes bytes = sample.input(0).bytes();
    const auto* const seconds = static_cast<const double*>(sample.input(1).data());
    FOREBAY_RETURN_IF_ERROR(sample.reserve(codec::audio_scratch_bytes(bytes)));
    FOREBAY_ASSIGN_OR_RETURN(const auto file, codec::AudioFile::open(bytes));
    const codec::AudioHeader& header = file->header();
    FOREBAY_ASSIGN_OR_RETURN(const dataset::FramePart part,
                             dataset::frames_of_part(header.frames, header.rate_hz, seconds[0], seconds[1]));
    const AudioDecoding decoding{.dtype = dtype,
                                 .downmix = downmix,
                                 .rate_hz = sample_rate,
                                 .resampler = &*resampler_,
                                 .limits = {static_cast<uint64_t>(max_bytes)}};
    FOREBAY_ASSIGN_OR_RETURN(const double made_hz,
                             run_audio_decode(sample, 0, *file, {part.first, part.count}, decoding));
    int output = 1;
    if (read_sample_rate) {
      FOREBAY_RETURN_IF_ERROR(put_sample_rate(sample, output++, {}, made_hz));
    }
    if (read_text) {
      FOREBAY_RETURN_IF_ERROR(put_copy(sample, output++, sample.input(2)));
    }
    return read_idxs ? put_copy(sample, output, sample.input(3)) : ok_status();
  }

 private:
  std::optional<kernels::AudioResampler> resampler_;
};

}  // namespace

OperatorSpec readers_nemo_asr() {
  using Op = ReadersNemoAsr;
  return describe<Op>("readers.nemo_asr",
                      "Reads speech and its transcripts as manifests of NVIDIA NeMo name them.")
      .param(
          "manifest_filepaths", &Op::manifest_filepaths,
          "The manifests: a JSON object a line, with `audio_filepath` and, if they are known, `duration` and "
          "`offset` in seconds and `text`. An entry with an `offset` is that part of its file, `duration` "
          "long; others are whole files. Relative paths are those of files where the process is, else start "
          "from the folder of their manifest.")
      .required()
      .param("min_duration", &Op::min_duration,
             "Leaves out entries whose `duration` is less, in seconds, or not known; 0 takes all.")
      .param("max_duration", &Op::max_duration, "Leaves out entries whose `duration` is more; 0 takes all.")
      .param("sample_rate", &Op::sample_rate,
             "Rate in Hz that sound is resampled to, as `audio_resample` does; 0 or less keeps that of the "
             "file.")
      .param("quality", &Op::quality,
             "Of resampling, from 0, 3 lobes of the sinc filter on each side, by 50, 16, to 100, 64.")
      .param("downmix", &Op::downmix, "Whether to give the mean of the channels, of shape (t), not (t, c).")
      .param("dtype", &Op::dtype, "FLOAT, INT16 or INT32, as of `decoders.audio`.")
      .param("read_sample_rate", &Op::read_sample_rate, "Whether the rate is an output.")
      .param("read_text", &Op::read_text, "Whether the transcript is an output.")
      .param("read_idxs", &Op::read_idxs,
             "Whether the entry's number is an output, counted over those of its manifest that are taken.")
      .param("max_bytes", &Op::max_bytes, "Sound is refused that takes more than this when it is decoded.")
      .ignored("normalize_text", false)
      .group(add_reader_arguments<Op>)
      .outputs(
          "The sound, (t), or (t, c) without `downmix`. Then, as asked for: its rate in Hz, FLOAT, a scalar; "
          "the transcript, UTF-8, UINT8, without a zero behind it; the entry's number, INT64, of shape (1).")
      .matches("DALI fn.readers.nemo_asr")
      .build();
}

}  // namespace forebay::operators
