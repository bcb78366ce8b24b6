// Any bytes as a request: it is decoded, or refused; names and counts that come out lie in the message.
#include <cstdint>
#include <span>
#include <string_view>

#include "forebay/base/check.h"
#include "forebay/fuse/protocol/request.h"

namespace forebay::fuse {
namespace {

bool lies_in(std::string_view name, Bytes message) {
  const auto* const begin = reinterpret_cast<const char*>(message.data());
  return name.data() >= begin && name.data() + name.size() < begin + message.size();
}

void check_name(std::string_view name, Bytes message) {
  FOREBAY_CHECK(!name.empty() && lies_in(name, message));
  FOREBAY_CHECK(name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos);
}

void check(Bytes message) {
  const Result<Request> request = decode_request(message);
  if (!request.ok()) {
    return;
  }
  FOREBAY_CHECK(request->header.bytes == message.size());
  if (const auto* const lookup = std::get_if<Lookup>(&request->operation)) {
    check_name(lookup->name, message);
  } else if (const auto* const xattr = std::get_if<GetXattr>(&request->operation)) {
    check_name(xattr->name, message);
  } else if (const auto* const forget = std::get_if<Forget>(&request->operation)) {
    FOREBAY_CHECK(forget->nodes.size() * sizeof(ForgetOne) <= message.size());
  }
}

}  // namespace
}  // namespace forebay::fuse

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  forebay::fuse::check(std::as_bytes(std::span(data, size)));
  return 0;
}
