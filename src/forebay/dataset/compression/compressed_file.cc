#include "forebay/dataset/compression/compressed_file.h"

#include <algorithm>
#include <array>
#include <optional>

namespace forebay::dataset {
namespace {

using std::string_view_literals::operator""sv;

struct MagicFormat {
  std::string_view magic;
  std::string_view name;
};

constexpr MagicFormat kFormats[] = {
    {"\x1f\x8b\x08"sv, "gzip"},
    {"\x28\xb5\x2f\xfd"sv, "zstd"},
    {"\xfd\x37\x7a\x58\x5a\x00"sv, "xz"},
    {"\x04\x22\x4d\x18"sv, "lz4"},
};
constexpr std::string_view kZlibLevels = "\x01\x5e\x9c\xda";  // behind an 'x'
constexpr size_t kLongestMagic = 10;

bool is_bzip2(std::string_view text) {
  return text.starts_with("BZh") && text.size() >= kLongestMagic && text[3] >= '1' && text[3] <= '9' &&
         text.substr(4, 6) == "1AY&SY";
}

/// What a file that begins so was compressed with; nothing if it was not.
std::optional<std::string_view> compressor_of(std::string_view text) {
  if (is_bzip2(text)) {
    return "bzip2";
  }
  const auto* const found = std::ranges::find_if(
      kFormats, [&](const MagicFormat& format) { return text.starts_with(format.magic); });
  return found == std::end(kFormats) ? std::nullopt : std::optional(found->name);
}

/// Whether it begins as zlib's streams do, by two bytes that much else may begin with.
bool may_be_zlib(std::string_view text) {
  return text.size() >= 2 && text[0] == 'x' && kZlibLevels.find(text[1]) != std::string_view::npos;
}

}  // namespace

Status check_not_compressed(const ByteSource& file, std::string_view name, bool is_zlib_likely) {
  std::array<std::byte, kLongestMagic> beginning;
  const MutableBytes read = MutableBytes(beginning).first(std::min(file.size_bytes(), beginning.size()));
  FOREBAY_RETURN_IF_ERROR(file.read(0, read));
  const std::string_view text(reinterpret_cast<const char*>(read.data()), read.size());
  std::optional<std::string_view> compressor = compressor_of(text);
  if (is_zlib_likely && may_be_zlib(text)) {
    compressor = "zlib";
  }
  return compressor ? invalid_argument(
                          "{}: {}-compressed as a whole, so that no sample can be read at its "
                          "place: decompress the file, or compress the samples in it instead",
                          name, *compressor)
                    : ok_status();
}

}  // namespace forebay::dataset
