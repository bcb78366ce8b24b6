// The pages of an Ogg file that is fuzzed. A page whose checksum is wrong is dropped before any decoder sees
// it, and so is a file whose pages are not whole: pages get right checksums, and what is in them is changed
// in place.
#pragma once

#include <ogg/ogg.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "forebay/codec/byte_text.h"

namespace forebay::codec::testing {

/// Of a page at the beginning: its header and its body. Source: RFC 3533, section 6.
struct OggPage {
  std::span<uint8_t> header;  // empty if there is no page, or not all of it
  std::span<uint8_t> body;
};

inline OggPage ogg_page_at(std::span<uint8_t> from) {
  constexpr size_t kFixedBytes = 27;
  if (from.size() < kFixedBytes || !begins_with(std::as_bytes(from), "OggS")) {
    return {};
  }
  const size_t header = kFixedBytes + from[kFixedBytes - 1];
  size_t body = 0;
  for (size_t i = kFixedBytes; i < header && i < from.size(); ++i) {
    body += from[i];
  }
  return header + body <= from.size() ? OggPage{from.first(header), from.subspan(header, body)} : OggPage{};
}

/// Calls `visit` with each page; bytes that are none are passed over.
template <class Visit>
void for_each_ogg_page(std::span<uint8_t> file, Visit visit) {
  while (!file.empty()) {
    const OggPage page = ogg_page_at(file);
    if (!page.header.empty()) {
      visit(page);
    }
    file = file.subspan(page.header.empty() ? 1 : page.header.size() + page.body.size());
  }
}

inline void set_ogg_checksums(std::span<uint8_t> file) {
  for_each_ogg_page(file, [](const OggPage& page) {
    ogg_page whole{page.header.data(), static_cast<long>(page.header.size()), page.body.data(),
                   static_cast<long>(page.body.size())};
    ogg_page_checksum_set(&whole);
  });
}

/// What is in one of the pages; empty if there is none.
inline std::span<uint8_t> body_of_ogg_page(std::span<uint8_t> file, size_t which) {
  size_t pages = 0;
  for_each_ogg_page(file, [&](const OggPage&) { ++pages; });
  size_t left = pages == 0 ? 0 : which % pages;
  std::span<uint8_t> body;
  for_each_ogg_page(file, [&](const OggPage& page) { body = left-- == 0 ? page.body : body; });
  return body;
}

}  // namespace forebay::codec::testing
