#include "forebay/codec/jpeg2000/jpeg2000_layout.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "forebay/codec/byte_order.h"
#include "forebay/codec/byte_text.h"
#include "forebay/codec/format_decoder.h"

namespace forebay::codec {
namespace {

constexpr uint32_t kStart = 0xFF4F;
constexpr uint32_t kSize = 0xFF51;
constexpr uint32_t kCodingStyle = 0xFF52;
constexpr uint32_t kComponentCodingStyle = 0xFF53;
constexpr uint32_t kTilePart = 0xFF90;
constexpr uint32_t kEnd = 0xFFD9;
constexpr int kMaxComponents = 32;
constexpr int kMaxBits = 16;

/// The markers of a code stream, which begins at byte `offset` of the file.
class CodeStreamReader {
 public:
  CodeStreamReader(Bytes bytes, size_t offset, Jpeg2000Layout& layout)
      : bytes_(bytes), offset_(offset), layout_(layout) {}

  Status read() {
    if (bytes_.size() < 4 || big_u16(bytes_, 0) != kStart || big_u16(bytes_, 2) != kSize) {
      return data_loss("JPEG 2000 code stream at byte {} does not begin with its size", offset_);
    }
    layout_.levels = std::numeric_limits<int>::max();
    position_ = 2;
    while (true) {
      FOREBAY_RETURN_IF_ERROR(need(4));
      const uint32_t marker = big_u16(bytes_, position_);
      if (marker == kTilePart) {
        return read_tile_parts();
      }
      const size_t length = big_u16(bytes_, position_ + 2);
      if (marker < 0xFF00 || marker == kEnd || length < 2) {
        return data_loss("JPEG 2000 has a broken marker {:04X} at byte {}", marker, offset_ + position_);
      }
      FOREBAY_RETURN_IF_ERROR(need(length + 2));
      FOREBAY_RETURN_IF_ERROR(read_segment(marker, bytes_.subspan(position_ + 4, length - 2)));
      position_ += length + 2;
    }
  }

 private:
  Status need(size_t count) const {
    return bytes_.size() - position_ >= count
               ? ok_status()
               : data_loss("JPEG 2000 is truncated at byte {}", offset_ + bytes_.size());
  }

  Status read_segment(uint32_t marker, Bytes data) {
    if (marker == kSize) {
      return read_size(data);
    }
    if (marker == kCodingStyle && data.size() >= 6) {
      layout_.levels = std::min(layout_.levels, static_cast<int>(data[5]));
    }
    const size_t index_bytes = layout_.components.size() < 257 ? 1 : 2;
    if (marker == kComponentCodingStyle && data.size() >= index_bytes + 2) {
      layout_.levels = std::min(layout_.levels, static_cast<int>(data[index_bytes + 1]));
    }
    return ok_status();
  }

  Status read_size(Bytes data) {
    if (data.size() < 36 || !layout_.components.empty()) {
      return data_loss("JPEG 2000 has a broken size at byte {}", offset_ + position_);
    }
    const int64_t right = big_u32(data, 2);
    const int64_t bottom = big_u32(data, 6);
    layout_.left = big_u32(data, 10);
    layout_.top = big_u32(data, 14);
    const int64_t tile_width = big_u32(data, 18);
    const int64_t tile_height = big_u32(data, 22);
    const int64_t tile_left = big_u32(data, 26);
    const int64_t tile_top = big_u32(data, 30);
    layout_.width = right - layout_.left;
    layout_.height = bottom - layout_.top;
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (layout_.width < 1 || layout_.height < 1 || right > kMost || bottom > kMost || tile_width < 1 ||
        tile_height < 1 || tile_left > layout_.left || tile_top > layout_.top ||
        tile_left + tile_width <= layout_.left || tile_top + tile_height <= layout_.top) {
      return data_loss("JPEG 2000 claims a size of {}x{} in tiles of {}x{}", layout_.height, layout_.width,
                       tile_height, tile_width);
    }
    layout_.tiles = static_cast<uint64_t>((right - tile_left + tile_width - 1) / tile_width) *
                    static_cast<uint64_t>((bottom - tile_top + tile_height - 1) / tile_height);
    return read_components(data);
  }

  Status read_components(Bytes data) {
    const auto count = static_cast<int>(big_u16(data, 34));
    if (count < 1 || count > kMaxComponents) {
      return unimplemented("JPEG 2000 of {} channels is not supported, of 1 to {} is", count, kMaxComponents);
    }
    if (data.size() < 36 + 3 * static_cast<size_t>(count)) {
      return data_loss("JPEG 2000 has a broken size at byte {}", offset_ + position_);
    }
    for (int i = 0; i < count; ++i) {
      const Bytes entry = data.subspan(36 + 3 * static_cast<size_t>(i), 3);
      const int depth = static_cast<int>(entry[0]);
      Jpeg2000Component component{(depth & 127) + 1, depth > 127, static_cast<int64_t>(entry[1]),
                                  static_cast<int64_t>(entry[2])};
      if (component.step_x < 1 || component.step_y < 1) {
        return data_loss("JPEG 2000 has a sampling of 0 in channel {}", i);
      }
      if (component.bits > kMaxBits) {
        return unimplemented("JPEG 2000 of {} bits a channel is not supported, of up to {} is",
                             component.bits, kMaxBits);
      }
      layout_.components.push_back(component);
    }
    return ok_status();
  }

  /// Each tile part says how long it is; the last may say 0, which means up to the end marker.
  Status read_tile_parts() {
    if (layout_.components.empty() || layout_.levels > 32) {
      return data_loss("JPEG 2000 lacks its size or coding style before byte {}", offset_ + position_);
    }
    constexpr size_t kLeastPartBytes = 14;
    const uint64_t most_tiles = (bytes_.size() - position_) / kLeastPartBytes;
    if (layout_.tiles > most_tiles || layout_.tiles > 65535) {
      return data_loss("JPEG 2000 claims {} tiles, for which its {} bytes cannot be enough", layout_.tiles,
                       bytes_.size());
    }
    while (true) {
      FOREBAY_RETURN_IF_ERROR(need(2));
      const uint32_t marker = big_u16(bytes_, position_);
      if (marker == kEnd) {
        return ok_status();
      }
      if (marker != kTilePart) {
        return data_loss("JPEG 2000 has marker {:04X} at byte {}, where a tile part is due", marker,
                         offset_ + position_);
      }
      FOREBAY_RETURN_IF_ERROR(need(kLeastPartBytes));
      const uint64_t length = big_u32(bytes_, position_ + 6);
      if (length == 0) {
        return big_u16(bytes_, bytes_.size() - 2) == kEnd
                   ? ok_status()
                   : data_loss("JPEG 2000 is truncated at byte {}: its end marker is missing",
                               offset_ + bytes_.size());
      }
      if (length < kLeastPartBytes) {
        return data_loss("JPEG 2000 has a tile part of {} bytes at byte {}", length, offset_ + position_);
      }
      FOREBAY_RETURN_IF_ERROR(need(length));
      position_ += length;
    }
  }

  Bytes bytes_;
  const size_t offset_;
  size_t position_ = 0;
  Jpeg2000Layout& layout_;
};

/// The boxes of a JP2.
class BoxReader {
 public:
  BoxReader(Bytes bytes, Jpeg2000Layout& layout) : bytes_(bytes), layout_(layout) {}

  Status read() {
    size_t position = 0;
    while (position < bytes_.size()) {
      FOREBAY_ASSIGN_OR_RETURN(const Box box, box_at(bytes_, position));
      if (begins_with(box.type, "jp2h")) {
        FOREBAY_RETURN_IF_ERROR(read_header_boxes(box.data));
      } else if (begins_with(box.type, "jp2c")) {
        const auto offset = static_cast<size_t>(box.data.data() - bytes_.data());
        FOREBAY_RETURN_IF_ERROR(CodeStreamReader(box.data, offset, layout_).read());
        return map_palette();
      }
      position += box.size;
    }
    return data_loss("JPEG 2000 is truncated at byte {}: it has no code stream", bytes_.size());
  }

 private:
  struct Box {
    Bytes type;
    Bytes data;
    size_t size = 0;
  };

  Result<Box> box_at(Bytes bytes, size_t at) const {
    const size_t rest = bytes.size() - at;
    if (rest < 8) {
      return data_loss("JPEG 2000 is truncated at byte {} in a box", bytes_.size());
    }
    uint64_t size = big_u32(bytes, at);
    size_t header = 8;
    if (size == 1 && rest >= 16) {
      size = static_cast<uint64_t>(big_u32(bytes, at + 8)) << 32 | big_u32(bytes, at + 12);
      header = 16;
    } else if (size == 0) {
      size = rest;
    }
    if (size < header || size > rest) {
      return data_loss("JPEG 2000 is truncated at byte {}: a box claims {} bytes of {}", bytes_.size(), size,
                       rest);
    }
    return Box{bytes.subspan(at + 4, 4), bytes.subspan(at + header, size - header), size};
  }

  Status read_header_boxes(Bytes boxes) {
    for (size_t position = 0; position < boxes.size();) {
      FOREBAY_ASSIGN_OR_RETURN(const Box box, box_at(boxes, position));
      if (begins_with(box.type, "colr")) {
        FOREBAY_RETURN_IF_ERROR(read_colours(box.data));
      } else if (begins_with(box.type, "pclr")) {
        FOREBAY_RETURN_IF_ERROR(read_palette(box.data));
      } else if (begins_with(box.type, "cmap")) {
        mapping_ = box.data;
      }
      position += box.size;
    }
    return ok_status();
  }

  Status read_colours(Bytes data) {
    constexpr uint32_t kCmyk = 12;
    constexpr uint32_t kYcc = 18;
    const bool is_enumerated = data.size() >= 7 && data[0] == std::byte{1};
    if (!is_enumerated || has_colours_) {  // the first counts
      return ok_status();
    }
    has_colours_ = true;
    const uint32_t kind = big_u32(data, 3);
    if (kind == kCmyk) {
      return unimplemented("JPEG 2000 of inks (CMYK) is not supported");
    }
    layout_.colours = kind == kYcc ? Jpeg2000Colours::kYcc : Jpeg2000Colours::kPlain;
    return ok_status();
  }

  Status read_palette(Bytes data) {
    if (data.size() < 4 || data[2] == std::byte{0} || static_cast<int>(data[2]) > kMaxComponents ||
        data.size() < 3 + static_cast<size_t>(data[2])) {
      return data_loss("JPEG 2000 has a broken palette");
    }
    layout_.palette_channels = static_cast<int>(data[2]);
    for (int i = 0; i < layout_.palette_channels; ++i) {
      const int bits = (static_cast<int>(data[3 + static_cast<size_t>(i)]) & 127) + 1;
      layout_.palette_bits = std::max(layout_.palette_bits, bits);
    }
    return layout_.palette_bits <= kMaxBits
               ? ok_status()
               : unimplemented("JPEG 2000 with a palette of {} bits is not supported", layout_.palette_bits);
  }

  /// Which component indexes the palette. One without a mapping is ignored, as by OpenJPEG.
  Status map_palette() {
    constexpr size_t kEntryBytes = 4;
    if (!mapping_.has_value()) {
      layout_.palette_channels = 0;
    }
    const auto channels = static_cast<size_t>(layout_.palette_channels);
    if (channels == 0) {
      return ok_status();
    }
    if (mapping_->size() < channels * kEntryBytes) {
      return data_loss("JPEG 2000 maps its palette of {} channels in {} bytes", channels, mapping_->size());
    }
    bool is_single = true;
    for (size_t i = 0; i < channels; ++i) {
      const auto component = static_cast<int>(big_u16(*mapping_, i * kEntryBytes));
      const bool is_direct = (*mapping_)[i * kEntryBytes + 2] == std::byte{0};
      if (component >= static_cast<int>(layout_.components.size())) {
        return data_loss("JPEG 2000 maps channel {} to component {} of {}", i, component,
                         layout_.components.size());
      }
      if (!is_direct) {
        is_single = is_single && (layout_.index_component < 0 || layout_.index_component == component);
        layout_.index_component = component;
      }
    }
    layout_.index_component = is_single ? layout_.index_component : -1;
    return ok_status();
  }

  Bytes bytes_;
  Jpeg2000Layout& layout_;
  std::optional<Bytes> mapping_;  // of channels to components
  bool has_colours_ = false;
};

}  // namespace

int Jpeg2000Layout::bits() const {
  if (palette_channels > 0) {
    return palette_bits;
  }
  return std::ranges::max_element(components, {}, &Jpeg2000Component::bits)->bits;
}

int Jpeg2000Layout::index_bits() const {
  return index_component < 0 ? 0 : components[static_cast<size_t>(index_component)].bits;
}

Result<Jpeg2000Layout> read_jpeg2000_layout(Bytes bytes) {
  Jpeg2000Layout layout;
  layout.is_boxed = bytes[0] == std::byte{0};
  FOREBAY_RETURN_IF_ERROR(layout.is_boxed ? BoxReader(bytes, layout).read()
                                          : CodeStreamReader(bytes, 0, layout).read());
  if (layout.channels() < 3) {
    layout.colours = Jpeg2000Colours::kPlain;
  }
  return layout;
}

Result<ImageHeader> read_jpeg2000_header(Bytes bytes) {
  FOREBAY_ASSIGN_OR_RETURN(const Jpeg2000Layout layout, read_jpeg2000_layout(bytes));
  // Coefficients and pixels in 32 bits, and the tables of blocks of 16 pixels at worst; tables of each tile.
  constexpr uint64_t kSampleBytes = 12;
  constexpr uint64_t kTileBytes = 6144;
  ImageHeader header;
  header.format = ImageFormat::kJpeg2000;
  header.height = layout.height;
  header.width = layout.width;
  header.channels = layout.channels();
  header.bit_depth = layout.bits() > 8 ? 16 : 8;
  header.index_bits = layout.index_bits();
  header.whole_image_bytes = static_cast<uint64_t>(layout.height) * static_cast<uint64_t>(layout.width) *
                                 std::max<uint64_t>(layout.components.size(), header.channels) *
                                 kSampleBytes +
                             layout.tiles * kTileBytes;
  return header;
}

}  // namespace forebay::codec
