#include "forebay/codec/audio/opus_pages.h"

#include <cstdint>
#include <optional>
#include <string_view>

#include "forebay/codec/audio/ogg_pages.h"
#include "forebay/codec/byte_text.h"

namespace forebay::codec {
namespace {

// 255 packets of 120 ms each at 48 kHz.
constexpr int64_t kMaxOfPage = int64_t{255} * 5760;

/// What is known of the stream of Opus behind the pages so far.
struct OpusStream {
  int serial = 0;
  long next_number = 0;             // of its next page
  std::optional<int64_t> position;  // of the last page with audio in which a packet ends
};

bool begins_opus(ogg_page& page) {
  const std::string_view body(reinterpret_cast<const char*>(page.body), static_cast<size_t>(page.body_len));
  return ogg_page_bos(&page) != 0 && body.starts_with("OpusHead");
}

Status take_position(int64_t position, OpusStream* stream) {
  constexpr int64_t kNoPacketEnds = -1;
  // Of the pages of the headers it is 0; a stream may begin anywhere.
  if (position == kNoPacketEnds || (!stream->position && position == 0)) {
    return ok_status();
  }
  const int64_t before = stream->position.value_or(position);
  if (position < 0 || position < before || position - before > kMaxOfPage) {
    return data_loss("sound is broken: page {} of the Opus stream ends at {}, the one before at {}",
                     stream->next_number, position, before);
  }
  stream->position = position;
  return ok_status();
}

/// A recording of a broadcast has its headers, and goes on where it joined.
bool may_join(ogg_page& page, const OpusStream& stream) {
  return !stream.position && ogg_page_eos(&page) == 0;
}

Status take_page(ogg_page& page, OpusStream* stream) {
  if (ogg_page_pageno(&page) != stream->next_number && !may_join(page, *stream)) {
    return data_loss("sound is broken: page {} of the Opus stream is missing or damaged, page {} follows",
                     stream->next_number, ogg_page_pageno(&page));
  }
  FOREBAY_RETURN_IF_ERROR(take_position(ogg_page_granulepos(&page), stream));
  stream->next_number = ogg_page_pageno(&page) + 1;
  return ok_status();
}

}  // namespace

Status check_opus_pages(Bytes bytes) {
  if (!begins_with(bytes, "OggS")) {
    return ok_status();
  }
  OggPages pages(bytes);
  std::optional<OpusStream> stream;
  ogg_page page{};
  while (pages.next(&page)) {
    if (!stream && begins_opus(page)) {
      stream = {.serial = ogg_page_serialno(&page), .next_number = ogg_page_pageno(&page), .position = {}};
    }
    if (!stream && ogg_page_bos(&page) == 0) {
      return ok_status();  // all streams begin before the first goes on
    }
    if (stream && ogg_page_serialno(&page) == stream->serial) {
      FOREBAY_RETURN_IF_ERROR(take_page(page, &*stream));
    }
  }
  return ok_status();
}

}  // namespace forebay::codec
