// Parses the markers of a JPEG up to its first scan (ITU-T T.81 annex B): enough for size, channels,
// orientation and memory, without setting up a decoder.
#include <algorithm>
#include <array>
#include <string_view>

#include "forebay/base/round_up.h"
#include "forebay/codec/byte_text.h"
#include "forebay/codec/exif_orientation.h"
#include "forebay/codec/format_decoder.h"

namespace forebay::codec {
namespace {

constexpr int kStartOfScan = 0xDA;
constexpr int kEndOfImage = 0xD9;
constexpr int kApp1 = 0xE1;
constexpr uint64_t kCoefficientBlockBytes = 64 * sizeof(int16_t);

bool has_no_payload(int marker) {
  return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8);
}

bool is_frame(int marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

bool is_progressive_frame(int marker) {
  return marker == 0xC2 || marker == 0xCA;
}

bool is_arithmetic_frame(int marker) {
  return marker == 0xC9 || marker == 0xCA;
}

/// Whether libjpeg-turbo decodes it: baseline, extended and progressive, Huffman or arithmetic.
bool is_supported_frame(int marker) {
  return marker == 0xC0 || marker == 0xC1 || marker == 0xC2 || marker == 0xC9 || marker == 0xCA;
}

class JpegHeaderReader {
 public:
  explicit JpegHeaderReader(Bytes bytes) : bytes_(bytes) { header_.format = ImageFormat::kJpeg; }

  Result<ImageHeader> read() {
    position_ = 2;  // past the start-of-image marker, which identified the format
    while (true) {
      FOREBAY_ASSIGN_OR_RETURN(const int marker, next_marker());
      if (has_no_payload(marker)) {
        continue;
      }
      if (marker == kEndOfImage) {
        return data_loss("JPEG ends at byte {} before any image data", position_);
      }
      FOREBAY_ASSIGN_OR_RETURN(const Bytes payload, read_payload(marker));
      if (marker == kStartOfScan) {
        return finish(payload);
      }
      if (is_frame(marker)) {
        FOREBAY_RETURN_IF_ERROR(read_frame(marker, payload));
      } else if (marker == kApp1) {
        read_app1(payload);
      }
    }
  }

 private:
  int at(size_t offset) const { return static_cast<int>(bytes_[offset]); }

  /// Skips to the next marker; bytes between segments are ignored, as in libjpeg.
  Result<int> next_marker() {
    while (position_ < bytes_.size()) {
      const bool is_prefix = at(position_) == 0xFF;
      ++position_;
      while (is_prefix && position_ < bytes_.size() && at(position_) == 0xFF) {
        ++position_;
      }
      if (is_prefix && position_ < bytes_.size() && at(position_) != 0) {
        return at(position_++);
      }
    }
    return data_loss("JPEG is truncated at byte {}: no image data", bytes_.size());
  }

  Result<Bytes> read_payload(int marker) {
    if (bytes_.size() - position_ < 2) {
      return data_loss("JPEG is truncated at byte {} in marker 0x{:02X}", bytes_.size(), marker);
    }
    const size_t length = static_cast<size_t>(at(position_)) << 8 | static_cast<size_t>(at(position_ + 1));
    if (length < 2 || length > bytes_.size() - position_) {
      return data_loss("JPEG marker 0x{:02X} at byte {} claims {} bytes of the {} that are left", marker,
                       position_, length, bytes_.size() - position_);
    }
    const Bytes payload = bytes_.subspan(position_ + 2, length - 2);
    position_ += length;
    return payload;
  }

  Status read_frame(int marker, Bytes payload) {
    const auto value = [&](size_t offset) { return static_cast<int>(payload[offset]); };
    if (components_ != 0) {
      return data_loss("JPEG has a second frame header before byte {}", position_);
    }
    if (payload.size() < 6 || payload.size() < 6 + 3 * static_cast<size_t>(value(5))) {
      return data_loss("JPEG frame header before byte {} is too short", position_);
    }
    if (!is_supported_frame(marker)) {
      return unimplemented("JPEG coding process 0x{:02X} (lossless or hierarchical) is not supported",
                           marker);
    }
    if (value(0) != 8) {
      return unimplemented("JPEG with {} bits per channel is not supported, only 8", value(0));
    }
    header_.bit_depth = 8;
    header_.height = value(1) << 8 | value(2);
    header_.width = value(3) << 8 | value(4);
    header_.is_progressive = is_progressive_frame(marker);
    least_bits_per_block_ = is_arithmetic_frame(marker) ? 0 : header_.is_progressive ? 1 : 2;
    components_ = value(5);
    if (header_.height == 0 || header_.width == 0) {
      return data_loss("JPEG claims a size of {}x{}", header_.height, header_.width);
    }
    if (components_ != 1 && components_ != 3 && components_ != 4) {
      return unimplemented("JPEG with {} channels is not supported", components_);
    }
    header_.channels = components_;
    for (int i = 0; i < components_; ++i) {
      sampling_x_[i] = value(7 + 3 * i) >> 4;
      sampling_y_[i] = value(7 + 3 * i) & 15;
      if (sampling_x_[i] < 1 || sampling_x_[i] > 4 || sampling_y_[i] < 1 || sampling_y_[i] > 4) {
        return data_loss("JPEG frame header before byte {} has a sampling factor of {}x{}", position_,
                         sampling_x_[i], sampling_y_[i]);
      }
    }
    return ok_status();
  }

  void read_app1(Bytes payload) {
    constexpr std::string_view kPrefix("Exif\0\0", 6);
    const bool is_exif = payload.size() > kPrefix.size() && begins_with(payload, kPrefix);
    if (is_exif && !has_exif_) {
      has_exif_ = true;
      header_.orientation = exif_orientation_of(payload.subspan(kPrefix.size()));
    }
  }

  Result<ImageHeader> finish(Bytes scan) {
    if (components_ == 0) {
      return data_loss("JPEG has image data at byte {} without a frame header", position_);
    }
    if (scan.empty() || static_cast<int>(scan[0]) < 1 || static_cast<int>(scan[0]) > components_) {
      return data_loss("JPEG scan header before byte {} is broken", position_);
    }
    FOREBAY_RETURN_IF_ERROR(check_size());
    // A scan without all channels means several scans: all coefficients are kept until the last one.
    header_.is_progressive = header_.is_progressive || static_cast<int>(scan[0]) < components_;
    if (header_.is_progressive) {
      header_.whole_image_bytes = coefficient_bytes();
    }
    return header_;
  }

  /// The number of 8 x 8 blocks that hold pixels, over all channels.
  uint64_t used_blocks() const {
    const int64_t max_x = *std::max_element(sampling_x_.begin(), sampling_x_.end());
    const int64_t max_y = *std::max_element(sampling_y_.begin(), sampling_y_.end());
    uint64_t blocks = 0;
    for (int i = 0; i < components_; ++i) {
      const int64_t blocks_x = round_up(header_.width * sampling_x_[i], 8 * max_x) / (8 * max_x);
      const int64_t blocks_y = round_up(header_.height * sampling_y_[i], 8 * max_y) / (8 * max_y);
      blocks += static_cast<uint64_t>(blocks_x * blocks_y);
    }
    return blocks;
  }

  /// A block takes a code for its mean and, unless the image is progressive, another for its end, of at least
  /// one bit each. A file that claims more blocks than that is damaged or malicious. Arithmetic coding has no
  /// such bound.
  Status check_size() const {
    const uint64_t rest = bytes_.size() - position_;
    const uint64_t blocks = used_blocks();
    if (blocks * least_bits_per_block_ > rest * 8) {
      return data_loss("JPEG claims {}x{} pixels, for which the {} bytes from byte {} on cannot be enough",
                       header_.height, header_.width, rest, position_);
    }
    return ok_status();
  }

  uint64_t coefficient_bytes() const {
    const int64_t max_x = *std::max_element(sampling_x_.begin(), sampling_x_.end());
    const int64_t max_y = *std::max_element(sampling_y_.begin(), sampling_y_.end());
    const int64_t mcus_x = round_up(header_.width, 8 * max_x) / (8 * max_x);
    const int64_t mcus_y = round_up(header_.height, 8 * max_y) / (8 * max_y);
    uint64_t blocks = 0;
    for (int i = 0; i < components_; ++i) {
      blocks += static_cast<uint64_t>(mcus_x * sampling_x_[i] * mcus_y * sampling_y_[i]);
    }
    return blocks * kCoefficientBlockBytes;
  }

  Bytes bytes_;
  size_t position_ = 0;
  int components_ = 0;
  uint64_t least_bits_per_block_ = 0;
  std::array<int, 4> sampling_x_{};
  std::array<int, 4> sampling_y_{};
  bool has_exif_ = false;
  ImageHeader header_;
};

}  // namespace

Result<ImageHeader> read_jpeg_header(Bytes bytes) {
  return JpegHeaderReader(bytes).read();
}

}  // namespace forebay::codec
