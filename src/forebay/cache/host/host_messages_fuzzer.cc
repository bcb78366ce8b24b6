// Any bytes as a message: it is decoded, or refused; what was decoded is encoded to a message that says the
// same.
#include <cstdint>
#include <span>
#include <string>

#include "forebay/base/check.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/host/host_messages.h"

namespace forebay::cache {
namespace {

void check_read(uint64_t number, const Result<HostReadRequest>& request) {
  if (request.ok()) {
    const std::string again = encode(number, *request);
    const Result<HostReadRequest> same = decode_read(bytes_of(again));
    FOREBAY_CHECK(same.ok() && same->uri == request->uri && same->if_version == request->if_version);
    FOREBAY_CHECK(same->offset_bytes == request->offset_bytes && same->length_bytes == request->length_bytes);
  }
}

void check_store(const Result<OpenStore>& open) {
  if (open.ok()) {
    const std::string again = encode(*open);
    const Result<OpenStore> same = decode_open_store(bytes_of(again));
    FOREBAY_CHECK(same.ok() && same->options == open->options && same->trusted_ns == open->trusted_ns);
  }
}

void decode_all(Bytes message) {
  const Result<HostHeader> header = decode_header(message);
  if (!header.ok()) {
    return;
  }
  decode_hello(message).status().IgnoreError();
  decode_stat(message).status().IgnoreError();
  decode_changed(message).status().IgnoreError();
  decode_stat_answer(message).status().IgnoreError();
  decode_read_answer(message).status().IgnoreError();
  decode_text_answer(message).status().IgnoreError();
  check_read(header->number, decode_read(message));
  check_store(decode_open_store(message));
}

}  // namespace
}  // namespace forebay::cache

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  forebay::cache::decode_all(std::as_bytes(std::span(data, size)));
  return 0;
}
