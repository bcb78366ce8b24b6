// Reads arbitrary bytes as what comes on a connection: requests one after another, in pieces whose lengths
// the first bytes give, as a socket might hand them over.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/net/server/request_reader.h"
#include "forebay/net/server/request_target.h"

using namespace forebay;

namespace {

constexpr size_t kHeader_bytes = 2048;
constexpr size_t kBody_bytes = 64 << 10;

const net::RequestRules& rules() {
  static const net::RequestRules made = {.head = {.header_bytes = kHeader_bytes, .fields = 20},
                                         .body_bytes = kBody_bytes,
                                         .discard_bytes = 1000,
                                         .bodies = Budget::create(4 * kBody_bytes)};
  return made;
}

void check(net::RequestReader* reader) {
  if (reader->is_refused()) {
    const net::ServerResponse refusal = reader->take_refusal();
    FOREBAY_CHECK(refusal.status >= 400 && refusal.status <= 599);
    net::encode_response(refusal, reader->facts());
    return;
  }
  const net::ServerRequest request = reader->take_request();
  FOREBAY_CHECK(request.body_bytes().size() <= kBody_bytes);
  FOREBAY_CHECK(request.head.headers.size() <= 20);
  const std::string& raw_path = request.head.target.raw_path;
  FOREBAY_CHECK(raw_path == "*" || (raw_path.starts_with('/') && net::path_segments(raw_path).ok()));
  const auto values = net::parse_query(request.head.target.query);
  FOREBAY_CHECK(!values.ok() || values->size() <= kHeader_bytes);
}

/// Takes what it can of `unread`, and returns how much.
size_t feed(std::unique_ptr<net::RequestReader>* reader, Bytes unread) {
  const MutableBytes room = (*reader)->direct_room();
  if (!room.empty()) {
    const size_t direct = std::min(room.size(), unread.size());
    std::memcpy(room.data(), unread.data(), direct);
    (*reader)->received_directly(direct);
    return direct;
  }
  const size_t taken = (*reader)->put(unread);
  FOREBAY_CHECK(taken <= unread.size());
  return taken;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes all(reinterpret_cast<const std::byte*>(data), size);
  const size_t step = all.empty() ? 1 : 1 + std::to_integer<size_t>(all[0]) * 7;
  const Bytes sent = all.subspan(std::min<size_t>(1, size));
  static_cast<void>(net::parse_target({reinterpret_cast<const char*>(sent.data()), sent.size()}));
  auto reader = std::make_unique<net::RequestReader>(rules(), "peer");
  size_t begin = 0;
  size_t end = 0;
  while (end < sent.size() || begin < end) {
    const size_t taken = begin < end ? feed(&reader, sent.subspan(begin, end - begin)) : 0;
    begin += taken;
    if (reader->is_done()) {
      const bool closes = reader->facts().closes;
      check(reader.get());
      if (closes) {
        break;
      }
      reader = std::make_unique<net::RequestReader>(rules(), "peer");
    } else if (taken == 0) {
      // What is kept for later is never more than a header.
      FOREBAY_CHECK(end - begin <= kHeader_bytes + 1024);
      if (end == sent.size()) {
        break;
      }
      end = std::min(end + std::min<size_t>(step, 1024), sent.size());
    }
  }
  reader.reset();
  FOREBAY_CHECK(rules().bodies->working_bytes() == 0);
  return 0;
}
