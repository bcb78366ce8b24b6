#include "forebay/codec/jpeg/jpeg_trailer.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "forebay/codec/byte_order.h"
#include "forebay/codec/byte_text.h"

namespace forebay::codec {
namespace {

using namespace std::string_view_literals;

constexpr std::byte kZero{0};
constexpr std::byte kFill{0xFF};

/// How trailers begin: Samsung's first block (also where its directory is lost), Vivo's text.
constexpr std::string_view kTrailers[] = {"\0\0\1\x0A\x0E\0\0\0Image_UTC_Data"sv, "vivo{\""sv};

/// The name behind the size of the box that a film begins with; of a motion photo it follows the picture.
constexpr std::string_view kFilm = "ftyp"sv;

/// Where a film begins, whose first box is of 16 to 255 bytes; npos if there is none.
size_t begin_of_film(Bytes jpeg, size_t first) {
  const std::string_view text = text_in(jpeg);
  for (size_t name = text.find(kFilm, first); name != text.npos; name = text.find(kFilm, name + 1)) {
    if (name >= first + 4 && big_u32(jpeg, name - 4) >= 16 && big_u32(jpeg, name - 4) < 256) {
      return name - 4;
    }
  }
  return text.npos;
}

bool is_text(std::byte byte) {
  const auto code = static_cast<int>(byte);
  return (code >= ' ' && code < 0x7F) || code == '\n' || code == '\r' || code == '\t';
}

/// Whether a block of Samsung's begins there: two zeros, its type, the length of its name, the name.
bool is_block(Bytes jpeg, size_t at, size_t end) {
  constexpr size_t kHeadBytes = 8;
  if (at + kHeadBytes > end || big_u16(jpeg, at) != 0) {
    return false;
  }
  const size_t length = little_u32(jpeg, at + 4);
  const Bytes rest = jpeg.subspan(at + kHeadBytes, end - at - kHeadBytes);
  return length > 0 && length <= rest.size() && std::ranges::all_of(rest.first(length), is_text);
}

/// Where the trailer begins that Samsung's directory at the end of the file lists; the size of the file if it
/// has none.
size_t begin_of_listed_trailer(Bytes jpeg) {
  constexpr size_t kEndBytes = 8;     // the directory's size, "SEFT"
  constexpr size_t kHeadBytes = 12;   // "SEFH", version, number of blocks
  constexpr size_t kEntryBytes = 12;  // type, distance of the block from the directory, size
  const size_t size = jpeg.size();
  if (size < kEndBytes + kHeadBytes || !has_text(jpeg, size - 4, "SEFT")) {
    return size;
  }
  const size_t directory_bytes = little_u32(jpeg, size - kEndBytes);
  if (directory_bytes < kHeadBytes || directory_bytes > size - kEndBytes) {
    return size;
  }
  const size_t directory = size - kEndBytes - directory_bytes;
  const size_t count = little_u32(jpeg, directory + 8);
  if (!has_text(jpeg, directory, "SEFH") || count > (directory_bytes - kHeadBytes) / kEntryBytes) {
    return size;
  }
  size_t farthest = 0;
  for (size_t i = 0; i < count; ++i) {
    farthest = std::max<size_t>(farthest, little_u32(jpeg, directory + kHeadBytes + i * kEntryBytes + 4));
  }
  return farthest <= directory && is_block(jpeg, directory - farthest, directory) ? directory - farthest
                                                                                  : size;
}

/// How many bytes at the end are `value`, none of them before `first`.
size_t count_at_end(Bytes bytes, size_t first, std::byte value) {
  size_t end = bytes.size();
  while (end > first && bytes[end - 1] == value) {
    --end;
  }
  return bytes.size() - end;
}

}  // namespace

size_t begin_of_trailer(Bytes jpeg, size_t first) {
  size_t begin = std::min(begin_of_listed_trailer(jpeg), begin_of_film(jpeg, first));
  for (const std::string_view trailer : kTrailers) {
    begin = std::min(begin, text_in(jpeg).find(trailer, first));
  }
  return std::max(begin, first);
}

size_t end_before_filling(Bytes jpeg, size_t first) {
  Bytes kept = jpeg;
  while (const size_t zeros = count_at_end(kept, first, kZero)) {
    kept = kept.first(kept.size() - zeros);
    const size_t fills = count_at_end(kept, first, kFill);
    if (fills == 1) {  // the byte's zero
      return kept.size() + 1;
    }
    kept = kept.first(kept.size() - fills);
  }
  return kept.size();
}

bool ends_like_a_trailer(Bytes image_data) {
  constexpr size_t kFewest = 4;
  if (image_data.empty()) {
    return false;
  }
  const std::byte last = image_data.back();
  if (last == kZero) {
    return !ends_in_stuffing(image_data);
  }
  constexpr std::byte kEndOfText{0x1A};
  if (last == kEndOfText || (is_text(last) && static_cast<int>(last) <= ' ')) {
    return true;
  }
  return image_data.size() >= kFewest && std::ranges::all_of(image_data.last(kFewest), is_text);
}

bool ends_in_stuffing(Bytes image_data) {
  return !image_data.empty() && image_data.back() == kZero &&
         count_at_end(image_data.first(image_data.size() - 1), 0, kFill) == 1;
}

bool is_nothing_of_the_image(Bytes behind) {
  constexpr std::byte kStartOfImage{0xD8};
  const auto code = std::ranges::find_if(behind, [](std::byte byte) { return byte != kFill; });
  const auto rest = static_cast<size_t>(behind.end() - code);
  return rest == 0 || (code != behind.begin() && *code == kStartOfImage && rest > 1 && code[1] == kFill);
}

}  // namespace forebay::codec
