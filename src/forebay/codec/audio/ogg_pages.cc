#include "forebay/codec/audio/ogg_pages.h"

#include <algorithm>
#include <cstring>

namespace forebay::codec {
namespace {

constexpr size_t kFedBytes = 4096;

}  // namespace

OggPages::OggPages(Bytes bytes) : bytes_(bytes) {
  ogg_sync_init(&sync_);
}

OggPages::~OggPages() {
  ogg_sync_clear(&sync_);
}

bool OggPages::next(ogg_page* page) {
  int found = ogg_sync_pageout(&sync_, page);
  while (found != 1) {
    if (found == 0 && !feed()) {
      return false;
    }
    found = ogg_sync_pageout(&sync_, page);
  }
  return true;
}

bool OggPages::feed() {
  const size_t count = std::min(kFedBytes, bytes_.size() - fed_);
  char* const room = count > 0 ? ogg_sync_buffer(&sync_, static_cast<long>(count)) : nullptr;
  if (room == nullptr) {
    return false;
  }
  std::memcpy(room, bytes_.data() + fed_, count);  // copy: libogg joins the pieces of a page
  ogg_sync_wrote(&sync_, static_cast<long>(count));
  fed_ += count;
  return true;
}

}  // namespace forebay::codec
