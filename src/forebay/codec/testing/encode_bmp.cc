#include "forebay/codec/testing/encode_bmp.h"

#include <algorithm>

#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec::testing {
namespace {

class BmpWriter {
 public:
  explicit BmpWriter(const BmpOptions& options) : options_(options) {}

  std::vector<std::byte> write(std::span<const uint32_t> values) {
    put(0x4D42, 2);
    put(0, 4);  // the size of the file, which no reader trusts
    put(0, 4);
    put(0, 4);  // where the pixels begin, below
    write_header();
    for (int shift = 0; shift < 32; shift += 8) {
      file_[10 + shift / 8] = static_cast<std::byte>(file_.size() >> shift);
    }
    for (int y = 0; y < options_.height; ++y) {
      const int row = options_.is_top_down ? y : options_.height - 1 - y;
      const auto pixels = values.subspan(static_cast<size_t>(row) * options_.width, options_.width);
      has_runs() ? write_runs(pixels, y) : write_row(pixels);
    }
    if (has_runs()) {
      put(0x0100, 2);  // the end
    }
    return file_;
  }

 private:
  bool has_runs() const {
    return options_.compression == 1 || options_.compression == 2 || options_.compression == 4;
  }

  void put(uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      file_.push_back(static_cast<std::byte>(value));
      value >>= 8;
    }
  }

  void write_header() {
    const size_t begin = file_.size();
    const bool is_core = options_.header_bytes == 12;
    const int side_bytes = is_core ? 2 : 4;
    put(options_.header_bytes, 4);
    put(options_.width, side_bytes);
    put(options_.is_top_down ? -options_.height : options_.height, side_bytes);
    put(1, 2);
    put(options_.bits, 2);
    if (options_.header_bytes >= 40) {
      put(options_.compression, 4);
      put(0, 12);
      put(options_.palette.size(), 4);
      put(0, 4);
    }
    for (const uint32_t mask : options_.masks) {
      put(mask, 4);
    }
    file_.resize(std::max(file_.size(), begin + options_.header_bytes));
    for (const auto& [red, green, blue] : options_.palette) {
      put(static_cast<uint64_t>(red) << 16 | static_cast<uint64_t>(green) << 8 | blue, is_core ? 3 : 4);
    }
  }

  void write_row(std::span<const uint32_t> pixels) {
    uint32_t packed = 0;
    int filled = 0;
    const size_t begin = file_.size();
    for (const uint32_t value : pixels) {
      if (options_.bits >= 8) {
        put(value, options_.bits / 8);
        continue;
      }
      packed = packed << options_.bits | value;
      filled += options_.bits;
      if (filled == 8) {
        put(packed, 1);
        filled = 0;
        packed = 0;
      }
    }
    if (filled > 0) {
      put(packed << (8 - filled), 1);
    }
    file_.resize(begin + (file_.size() - begin + 3) / 4 * 4);
  }

  /// Rows of runs and rows of literals by turns.
  void write_runs(std::span<const uint32_t> pixels, int y) {
    if (y % 2 == 1 && pixels.size() >= 3 && pixels.size() < 256) {
      write_literal(pixels);
    } else {
      for (size_t i = 0; i < pixels.size();) {
        const uint32_t value = pixels[i];
        size_t end = i;
        while (end < pixels.size() && pixels[end] == value && end - i < 255) {
          ++end;
        }
        put(end - i, 1);
        put(options_.bits == 4 ? value * 17 : value, options_.bits == 24 ? 3 : 1);
        i = end;
      }
    }
    put(0, 2);  // the end of the row
  }

  void write_literal(std::span<const uint32_t> pixels) {
    put(0, 1);
    put(pixels.size(), 1);
    const size_t begin = file_.size();
    for (size_t i = 0; i < pixels.size(); ++i) {
      if (options_.bits != 4) {
        put(pixels[i], options_.bits / 8);
      } else if (i % 2 == 0) {
        put(pixels[i] << 4 | (i + 1 < pixels.size() ? pixels[i + 1] : 0), 1);
      }
    }
    file_.resize(begin + (file_.size() - begin + 1) / 2 * 2);
  }

  const BmpOptions& options_;
  std::vector<std::byte> file_;
};

/// Colours or greys, `bits` deep.
SampleImage indexed(BmpOptions options, bool is_grey, const char* name) {
  const int count = 1 << options.bits;
  for (int i = 0; i < count; ++i) {
    const auto value = static_cast<uint8_t>(255 - i * 3);
    options.palette.push_back({value, is_grey ? value : static_cast<uint8_t>(i * 5), value});
  }
  SampleImage sample{name, {}, ImageFormat::kBmp, options.height, options.width, is_grey ? 1 : 3};
  std::vector<uint32_t> indices;
  for (const uint16_t value : sample_pixels(options.height, options.width, 1, count - 1)) {
    indices.push_back(value);
    sample.indices.push_back(static_cast<uint8_t>(value));
    const auto& colour = options.palette[value];
    sample.pixels.insert(sample.pixels.end(), colour.begin(), colour.begin() + sample.channels);
  }
  sample.bytes = encode_bmp(indices, options);
  return sample;
}

/// Channels of `depths` bits at `shifts`, in the order of the pixels.
SampleImage masked(BmpOptions options, std::vector<int> depths, std::vector<int> shifts, const char* name) {
  const auto channels = static_cast<int>(depths.size());
  SampleImage sample{name, {}, ImageFormat::kBmp, options.height, options.width, channels};
  const auto pixels = sample_pixels(options.height, options.width, channels, 255);
  std::vector<uint32_t> values;
  for (size_t i = 0; i < pixels.size(); i += channels) {
    uint32_t packed = 0;
    for (int c = 0; c < channels; ++c) {
      const uint32_t value = pixels[i + c] >> (8 - depths[c]);
      packed |= value << shifts[c];
      const bool is_alpha = c == 3;
      sample.pixels.push_back(is_alpha ? value * 255 / ((1 << depths[c]) - 1) : value << (8 - depths[c]));
    }
    values.push_back(packed);
  }
  sample.bytes = encode_bmp(values, options);
  return sample;
}

uint32_t mask_at(int bits, int shift) {
  return static_cast<uint32_t>((uint64_t{1} << bits) - 1) << shift;
}

}  // namespace

std::vector<std::byte> encode_bmp(std::span<const uint32_t> values, const BmpOptions& options) {
  return BmpWriter(options).write(values);
}

std::vector<SampleImage> bmp_samples() {
  const BmpOptions size{23, 37};
  const auto with = [&](int bits, uint32_t header_bytes, uint32_t compression, bool is_top_down = false) {
    BmpOptions options = size;
    options.bits = bits;
    options.header_bytes = header_bytes;
    options.compression = compression;
    options.is_top_down = is_top_down;
    return options;
  };
  const auto with_masks = [&](int bits, uint32_t header_bytes, std::vector<int> depths,
                              std::vector<int> shifts) {
    BmpOptions options = with(bits, header_bytes, depths.size() == 4 && header_bytes == 40 ? 6 : 3);
    for (size_t i = 0; i < depths.size(); ++i) {
      options.masks.push_back(mask_at(depths[i], shifts[i]));
    }
    return masked(options, depths, shifts, "bmp masks");
  };
  return {
      indexed(with(1, 40, 0), false, "bmp 1 bit"),
      indexed(with(1, 12, 0), true, "bmp 1 bit of OS/2"),
      indexed(with(2, 40, 0), false, "bmp 2 bits"),
      indexed(with(4, 124, 0, true), false, "bmp 4 bits top down"),
      indexed(with(8, 16, 0), false, "bmp 8 bits of OS/2"),
      indexed(with(8, 108, 0), true, "bmp 8 bits grey"),
      indexed(with(4, 40, 2), false, "bmp runs of 4 bits"),
      indexed(with(8, 40, 1), false, "bmp runs of 8 bits"),
      indexed(with(8, 40, 1, true), true, "bmp runs top down"),
      masked(with(16, 40, 0), {5, 5, 5}, {10, 5, 0}, "bmp 16 bits"),
      masked(with(24, 40, 0), {8, 8, 8}, {16, 8, 0}, "bmp 24 bits"),
      masked(with(24, 12, 0), {8, 8, 8}, {16, 8, 0}, "bmp 24 bits of OS/2"),
      masked(with(24, 64, 4), {8, 8, 8}, {16, 8, 0}, "bmp runs of 24 bits"),
      masked(with(32, 40, 0), {8, 8, 8, 8}, {16, 8, 0, 24}, "bmp 32 bits"),
      with_masks(16, 40, {5, 6, 5}, {11, 5, 0}),
      with_masks(16, 56, {5, 5, 5, 1}, {10, 5, 0, 15}),
      with_masks(32, 108, {8, 8, 8, 8}, {0, 8, 16, 24}),
      with_masks(32, 40, {8, 8, 8, 8}, {24, 16, 8, 0}),
      with_masks(32, 52, {8, 8, 8}, {8, 16, 24}),
  };
}

}  // namespace forebay::codec::testing
