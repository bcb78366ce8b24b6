#include "forebay/dataset/compression/compressed_file.h"

#include <algorithm>
#include <array>

namespace forebay::dataset {
namespace {

using std::string_view_literals::operator""sv;

struct Format {
  std::string_view magic;
  std::string_view name;
};

constexpr Format kFormats[] = {
    {"\x1f\x8b"sv, "gzip"}, {"\x28\xb5\x2f\xfd"sv, "zstd"}, {"\xfd\x37\x7a\x58\x5a\x00"sv, "xz"},
    {"BZh"sv, "bzip2"},     {"\x04\x22\x4d\x18"sv, "lz4"},  {"\x78\x01"sv, "zlib"},
    {"\x78\x9c"sv, "zlib"}, {"\x78\xda"sv, "zlib"},
};
constexpr size_t kLongestMagic = 6;

}  // namespace

std::optional<std::string_view> compressor_of(Bytes beginning) {
  const std::string_view text(reinterpret_cast<const char*>(beginning.data()), beginning.size());
  const auto* const found =
      std::ranges::find_if(kFormats, [&](const Format& format) { return text.starts_with(format.magic); });
  const bool is_found = found != std::end(kFormats);
  if (!is_found || (found->name == "bzip2" && (text.size() < 4 || text[3] < '1' || text[3] > '9'))) {
    return std::nullopt;
  }
  return found->name;
}

Status check_not_compressed(const ByteSource& file, std::string_view name) {
  std::array<std::byte, kLongestMagic> beginning;
  const MutableBytes read = MutableBytes(beginning).first(std::min(file.size_bytes(), beginning.size()));
  FOREBAY_RETURN_IF_ERROR(file.read(0, read));
  const std::optional<std::string_view> compressor = compressor_of(read);
  return compressor ? invalid_argument(
                          "{}: {}-compressed as a whole, so that no sample can be read at its "
                          "place: decompress the file, or compress the samples in it instead",
                          name, *compressor)
                    : ok_status();
}

}  // namespace forebay::dataset
