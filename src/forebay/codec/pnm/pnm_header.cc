#include "forebay/codec/pnm/pnm_header.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "forebay/codec/format_decoder.h"

namespace forebay::codec {
namespace {

constexpr size_t kLongestWord = 64;
constexpr uint32_t kMaxSide = std::numeric_limits<int32_t>::max();

class PnmHeaderReader {
 public:
  explicit PnmHeaderReader(Bytes bytes) : bytes_(bytes) {}

  Result<PnmLayout> read() {
    kind_ = static_cast<int>(bytes_[1]) - '0';
    position_ = 2;  // past "P1" to "P7", which identified the format
    FOREBAY_RETURN_IF_ERROR(kind_ == 7 ? read_pam() : read_simple());
    FOREBAY_RETURN_IF_ERROR(check_data());
    return layout_;
  }

 private:
  Status truncated() const { return data_loss("PNM is truncated at byte {} in its header", bytes_.size()); }

  /// Spaces, line ends and comments, which reach up to the end of their line.
  void skip_spaces() {
    bool is_comment = false;
    for (; position_ < bytes_.size(); ++position_) {
      const std::byte byte = bytes_[position_];
      is_comment =
          byte == std::byte{'#'} || (is_comment && byte != std::byte{'\n'} && byte != std::byte{'\r'});
      if (!is_comment && !is_pnm_space(byte)) {
        return;
      }
    }
  }

  Result<std::string> word() {
    skip_spaces();
    const size_t begin = position_;
    while (position_ < bytes_.size() && !is_pnm_space(bytes_[position_])) {
      ++position_;
    }
    if (position_ == bytes_.size()) {
      return truncated();
    }
    const Bytes text = bytes_.subspan(begin, std::min(position_ - begin, kLongestWord));
    return std::string(reinterpret_cast<const char*>(text.data()), text.size());
  }

  Result<uint32_t> number(std::string_view what, uint32_t most) {
    FOREBAY_ASSIGN_OR_RETURN(const std::string text, word());
    uint64_t value = 0;
    for (const char digit : text) {
      if (digit < '0' || digit > '9') {
        return data_loss("PNM has a {} of '{}' before byte {}", what, text, position_);
      }
      value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(digit - '0'), uint64_t{most} + 1);
    }
    if (value < 1 || value > most) {
      return data_loss("PNM has a {} of {} before byte {}, from 1 to {} are possible", what, text, position_,
                       most);
    }
    return static_cast<uint32_t>(value);
  }

  Status read_simple() {
    const int type = (kind_ - 1) % 3;  // bits, greys, colours
    layout_.is_text = kind_ <= 3;
    layout_.is_packed = kind_ == 4;
    layout_.is_inverted = type == 0;
    layout_.channels = type == 2 ? 3 : 1;
    FOREBAY_ASSIGN_OR_RETURN(layout_.width, number("width", kMaxSide));
    FOREBAY_ASSIGN_OR_RETURN(layout_.height, number("height", kMaxSide));
    layout_.max_value = 1;
    if (type != 0) {
      FOREBAY_ASSIGN_OR_RETURN(layout_.max_value, number("maximum", 65535));
    }
    layout_.data_at = position_ + 1;  // one space
    return ok_status();
  }

  Status read_pam() {
    while (true) {
      FOREBAY_ASSIGN_OR_RETURN(const std::string name, word());
      if (name == "ENDHDR") {
        break;
      }
      FOREBAY_RETURN_IF_ERROR(read_pam_line(name));
    }
    if (layout_.width == 0 || layout_.height == 0 || layout_.channels == 0 || layout_.max_value == 0) {
      return data_loss("PAM lacks one of WIDTH, HEIGHT, DEPTH and MAXVAL before byte {}", position_);
    }
    if (layout_.channels > 4) {
      return unimplemented("PAM of {} channels is not supported, of 1 to 4 is", layout_.channels);
    }
    layout_.data_at = position_ + 1;
    return ok_status();
  }

  Status read_pam_line(const std::string& name) {
    if (name == "WIDTH") {
      FOREBAY_ASSIGN_OR_RETURN(layout_.width, number(name, kMaxSide));
    } else if (name == "HEIGHT") {
      FOREBAY_ASSIGN_OR_RETURN(layout_.height, number(name, kMaxSide));
    } else if (name == "DEPTH") {
      FOREBAY_ASSIGN_OR_RETURN(layout_.channels, number(name, 65535));
    } else if (name == "MAXVAL") {
      FOREBAY_ASSIGN_OR_RETURN(layout_.max_value, number(name, 65535));
    } else if (name == "TUPLTYPE") {
      FOREBAY_ASSIGN_OR_RETURN(const std::string type, word());
      if (type == "CMYK") {
        return unimplemented("PAM of type CMYK is not supported");
      }
    } else {
      return data_loss("PAM has an unknown header line '{}' before byte {}", name, position_);
    }
    return ok_status();
  }

  /// A number takes a digit and a space, but for the pixels of P1.
  Status check_data() {
    if (layout_.data_at > bytes_.size()) {
      return truncated();
    }
    const auto width = static_cast<uint64_t>(layout_.width);
    const auto height = static_cast<uint64_t>(layout_.height);
    const uint64_t value_bytes = layout_.is_text           ? (layout_.is_inverted ? 1 : 2)
                                 : layout_.max_value > 255 ? 2
                                                           : 1;
    layout_.row_bytes =
        layout_.is_packed ? (width + 7) / 8 : width * static_cast<uint64_t>(layout_.channels) * value_bytes;
    const uint64_t rest = bytes_.size() - layout_.data_at + (layout_.is_text ? 1 : 0);
    if (rest / layout_.row_bytes < height) {
      return data_loss("PNM is truncated at byte {}: {}x{} pixels take at least {} bytes from byte {} on",
                       bytes_.size(), height, width, height * layout_.row_bytes, layout_.data_at);
    }
    return ok_status();
  }

  Bytes bytes_;
  size_t position_ = 0;
  int kind_ = 0;
  PnmLayout layout_;
};

}  // namespace

Result<PnmLayout> read_pnm_layout(Bytes bytes) {
  return PnmHeaderReader(bytes).read();
}

Result<ImageHeader> read_pnm_header(Bytes bytes) {
  FOREBAY_ASSIGN_OR_RETURN(const PnmLayout layout, read_pnm_layout(bytes));
  ImageHeader header;
  header.format = ImageFormat::kPnm;
  header.height = layout.height;
  header.width = layout.width;
  header.channels = layout.channels;
  header.bit_depth = layout.max_value > 255 ? 16 : 8;
  return header;
}

}  // namespace forebay::codec
