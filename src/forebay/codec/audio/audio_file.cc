#include "forebay/codec/audio/audio_file.h"

#include <sndfile.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "forebay/codec/audio/audio_extent.h"
#include "forebay/codec/audio/ogg_serials.h"
#include "forebay/codec/audio/opus_pages.h"
#include "forebay/codec/audio/vorbis_setup.h"
#include "forebay/codec/byte_order.h"
#include "forebay/codec/byte_text.h"
#include "forebay/memory/copy.h"

namespace forebay::codec {
namespace {

using tensor::DType;
using tensor::MutableTensorView;

// No format makes more than these frames of a byte: FLAC, at 65535 equal samples in a frame of 12 bytes,
// comes nearest.
constexpr int64_t kMaxFramesOfByte = 8192;

constexpr size_t kFlacFrameSizeAt = 10;  // the largest, behind the signature and a header of four bytes

std::string_view name_of_audio(int kind, int number) {
  SF_FORMAT_INFO info{number, nullptr, nullptr};
  const bool is_known = ::sf_command(nullptr, kind, &info, sizeof(info)) == 0 && info.name != nullptr;
  return is_known ? info.name : "unknown";
}

/// Whether the samples of this kind have no fixed largest value.
bool has_floating_samples(int format) {
  switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_FLOAT:
    case SF_FORMAT_DOUBLE:
    case SF_FORMAT_VORBIS:
    case SF_FORMAT_OPUS:
    case SF_FORMAT_MPEG_LAYER_I:
    case SF_FORMAT_MPEG_LAYER_II:
    case SF_FORMAT_MPEG_LAYER_III:
      return true;
    default:
      return false;
  }
}

/// By its first bytes; empty for none that libsndfile reads from memory.
std::string_view name_of_container(Bytes bytes) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kNames = {{{"RIFF", "WAV"},
                                                                                     {"RIFX", "WAV"},
                                                                                     {"RF64", "WAV"},
                                                                                     {"riff", "Wave64"},
                                                                                     {"FORM", "AIFF"},
                                                                                     {".snd", "AU"},
                                                                                     {"dns.", "AU"},
                                                                                     {"caff", "CAF"},
                                                                                     {"fLaC", "FLAC"},
                                                                                     {"OggS", "Ogg"},
                                                                                     {"ID3", "MP3"},
                                                                                     {"\xff", "MP3"}}};
  const auto* const found =
      std::ranges::find_if(kNames, [&](const auto& each) { return begins_with(bytes, each.first); });
  return found == kNames.end() ? std::string_view() : found->second;
}

/// Why is known to libsndfile alone, which keeps it in a variable of the process that every opening sets.
Status unopened(Bytes bytes) {
  const std::string_view name = name_of_container(bytes);
  if (name.empty()) {
    return data_loss("no sound that can be decoded: its first bytes are those of no known format");
  }
  return data_loss(
      "sound is broken: the header of this {} is damaged, cut off, or of an encoding that is not known",
      name);
}

}  // namespace

/// The bytes as libsndfile reads them. Stays where it is.
class AudioFile::Input {
 public:
  explicit Input(Bytes bytes) : bytes_(bytes) {}
  ~Input() {
    if (file_ != nullptr) {
      ::sf_close(file_);
    }
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  Status open(SF_INFO* info) {
    SF_VIRTUAL_IO calls{&Input::size, &Input::seek, &Input::read, &Input::write, &Input::tell};
    file_ = ::sf_open_virtual(&calls, SFM_READ, info, this);
    return file_ != nullptr ? ok_status() : unopened(bytes_);
  }

  SNDFILE* file() { return file_; }
  Bytes bytes() const { return bytes_; }

 private:
  static Input& of(void* self) { return *static_cast<Input*>(self); }
  static sf_count_t size(void* self) { return static_cast<sf_count_t>(of(self).bytes_.size()); }
  static sf_count_t tell(void* self) { return of(self).position_; }
  static sf_count_t write(const void*, sf_count_t, void*) { return 0; }
  static sf_count_t seek(sf_count_t offset, int whence, void* self) {
    Input& input = of(self);
    const sf_count_t origin = whence == SEEK_CUR ? input.position_ : whence == SEEK_END ? size(self) : 0;
    sf_count_t place = 0;
    if (__builtin_add_overflow(origin, offset, &place) || place < 0) {
      return -1;
    }
    input.position_ = place;
    return place;
  }
  static sf_count_t read(void* to, sf_count_t count, void* self) {
    Input& input = of(self);
    const sf_count_t rest = std::max<sf_count_t>(0, size(self) - input.position_);
    const sf_count_t taken = std::clamp<sf_count_t>(count, 0, rest);
    if (taken > 0) {
      memory::copy(to, input.bytes_.data() + input.position_, static_cast<size_t>(taken));
    }
    input.position_ += taken;
    return taken;
  }

  const Bytes bytes_;
  sf_count_t position_ = 0;
  SNDFILE* file_ = nullptr;
};

bool can_decode_audio_to(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kInt16 || dtype == DType::kInt32;
}

uint64_t audio_scratch_bytes(Bytes bytes) {
  constexpr uint64_t kOfAny = 192 << 10;  // libsndfile's own state and buffers
  if (begins_with(bytes, "fLaC") && bytes.size() >= kFlacFrameSizeAt + 2) {
    // As many samples of 4 bytes as its largest frame has, in up to eight channels, several times.
    return kOfAny + uint64_t{big_u16(bytes, kFlacFrameSizeAt)} * 4 * 8 * 4;
  }
  return begins_with(bytes, "OggS") ? kOfAny + (4 << 20) : kOfAny + (512 << 10);
}

AudioFile::AudioFile(Bytes bytes) : input_(std::make_unique<Input>(bytes)) {
}

AudioFile::~AudioFile() = default;

Result<std::unique_ptr<AudioFile>> AudioFile::open(Bytes bytes) {
  if (bytes.empty()) {
    return data_loss("no sound: the file is empty");
  }
  FOREBAY_RETURN_IF_ERROR(check_audio_extent(bytes));
  FOREBAY_RETURN_IF_ERROR(check_ogg_serials(bytes));
  FOREBAY_RETURN_IF_ERROR(check_vorbis_headers(bytes));
  FOREBAY_RETURN_IF_ERROR(check_opus_pages(bytes));
  std::unique_ptr<AudioFile> file(new AudioFile(bytes));
  SF_INFO info{};
  FOREBAY_RETURN_IF_ERROR(file->input_->open(&info));
  file->format_ = info.format;
  file->header_ = {.frames = info.frames,
                   .rate_hz = info.samplerate,
                   .channels = info.channels,
                   .is_float = has_floating_samples(info.format)};
  FOREBAY_RETURN_IF_ERROR(file->check_header());
  return file;
}

std::string AudioFile::format_name() const {
  return fmt::format("{}, {}", name_of_audio(SFC_GET_FORMAT_INFO, format_ & SF_FORMAT_TYPEMASK),
                     name_of_audio(SFC_GET_FORMAT_INFO, format_ & SF_FORMAT_SUBMASK));
}

Status AudioFile::check_header() const {
  if (header_.rate_hz < 1) {
    return data_loss("sound is broken: its header says {} Hz", header_.rate_hz);
  }
  if (header_.channels < 1) {
    return data_loss("sound is broken: its header says {} channels", header_.channels);
  }
  const auto most = static_cast<int64_t>(input_->bytes().size()) * kMaxFramesOfByte;
  if (header_.frames < 0 || header_.frames > most) {
    return data_loss("sound is broken: its header says {} samples a channel, which {} bytes cannot hold",
                     header_.frames, input_->bytes().size());
  }
  return ok_status();
}

Status AudioFile::check_limits(int64_t frames, int channels, DType dtype, const AudioLimits& limits) {
  const uint64_t of_frame = static_cast<uint64_t>(channels) * tensor::size_of(dtype);
  if (static_cast<uint64_t>(frames) > limits.max_bytes / of_frame) {
    return resource_exhausted(
        "sound of {} samples in each of {} channels takes more than {} bytes; `max_bytes` may be raised",
        frames, channels, limits.max_bytes);
  }
  return ok_status();
}

Status AudioFile::seek(int64_t frame) {
  if (frame < 0 || frame > header_.frames) {
    return out_of_range("frame {} of sound that has {}", frame, header_.frames);
  }
  if (frame == next_frame_) {
    return ok_status();
  }
  if (::sf_seek(input_->file(), frame, SEEK_SET) != frame) {
    return data_loss("sound is broken: frame {} of {} cannot be found ({})", frame, header_.frames,
                     ::sf_strerror(input_->file()));
  }
  next_frame_ = frame;
  return ok_status();
}

Status AudioFile::ended_early(int64_t frame) const {
  const int error = ::sf_error(input_->file());
  return data_loss("sound is broken: it ends at sample {} of {}{}{}; the file is cut off or damaged", frame,
                   header_.frames, error == SF_ERR_NO_ERROR ? "" : ": ",
                   error == SF_ERR_NO_ERROR ? "" : ::sf_strerror(input_->file()));
}

Status AudioFile::read(const MutableTensorView& out) {
  const int64_t frames = out.shape().rank() > 0 ? out.shape()[0] : -1;
  const bool fits = out.shape().rank() == 2 ? out.shape()[1] == header_.channels
                                            : out.shape().rank() == 1 && header_.channels == 1;
  const bool is_offered =
      out.dtype() == DType::kFloat || (can_decode_audio_to(out.dtype()) && !header_.is_float);
  if (!fits || !is_offered) {
    return invalid_argument("sound of {} channels into {}", header_.channels, out.spec.to_string());
  }
  int64_t made = 0;
  if (out.dtype() == DType::kFloat) {
    made = ::sf_readf_float(input_->file(), static_cast<float*>(out.data), frames);
  } else if (out.dtype() == DType::kInt16) {
    made = ::sf_readf_short(input_->file(), static_cast<int16_t*>(out.data), frames);
  } else {
    made = ::sf_readf_int(input_->file(), static_cast<int32_t*>(out.data), frames);
  }
  next_frame_ += made;
  return made == frames ? ok_status() : ended_early(next_frame_);
}

}  // namespace forebay::codec
