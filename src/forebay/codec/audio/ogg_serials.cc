#include "forebay/codec/audio/ogg_serials.h"

#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "forebay/codec/audio/ogg_pages.h"

namespace forebay::codec {

Status check_ogg_serials(Bytes bytes) {
  if (bytes.size() < 4 || std::string_view(reinterpret_cast<const char*>(bytes.data()), 4) != "OggS") {
    return ok_status();
  }
  OggPages pages(bytes);
  std::unordered_set<int> begun;
  ogg_page page{};
  while (pages.next(&page)) {
    const int serial = ogg_page_serialno(&page);
    if (ogg_page_bos(&page) != 0 && !begun.insert(serial).second) {
      return data_loss(
          "sound is broken: this Ogg has several streams of the serial number {}, so that it cannot be told "
          "where one ends and how long it is; separate the recordings, or give each a number of its own",
          static_cast<uint32_t>(serial));
    }
  }
  return ok_status();
}

}  // namespace forebay::codec
