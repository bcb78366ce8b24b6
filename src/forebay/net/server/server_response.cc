#include "forebay/net/server/server_response.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "forebay/base/check.h"

namespace forebay::net {
namespace {

struct NamedStatus {
  int status;
  std::string_view name;
};

// RFC 9110, 15, and RFC 6585; in order.
constexpr std::array kStatusNames = {
    NamedStatus{200, "OK"},
    NamedStatus{201, "Created"},
    NamedStatus{202, "Accepted"},
    NamedStatus{204, "No Content"},
    NamedStatus{206, "Partial Content"},
    NamedStatus{301, "Moved Permanently"},
    NamedStatus{302, "Found"},
    NamedStatus{303, "See Other"},
    NamedStatus{304, "Not Modified"},
    NamedStatus{307, "Temporary Redirect"},
    NamedStatus{308, "Permanent Redirect"},
    NamedStatus{400, "Bad Request"},
    NamedStatus{401, "Unauthorized"},
    NamedStatus{403, "Forbidden"},
    NamedStatus{404, "Not Found"},
    NamedStatus{405, "Method Not Allowed"},
    NamedStatus{406, "Not Acceptable"},
    NamedStatus{408, "Request Timeout"},
    NamedStatus{409, "Conflict"},
    NamedStatus{410, "Gone"},
    NamedStatus{411, "Length Required"},
    NamedStatus{412, "Precondition Failed"},
    NamedStatus{413, "Content Too Large"},
    NamedStatus{414, "URI Too Long"},
    NamedStatus{415, "Unsupported Media Type"},
    NamedStatus{416, "Range Not Satisfiable"},
    NamedStatus{417, "Expectation Failed"},
    NamedStatus{422, "Unprocessable Content"},
    NamedStatus{429, "Too Many Requests"},
    NamedStatus{431, "Request Header Fields Too Large"},
    NamedStatus{500, "Internal Server Error"},
    NamedStatus{501, "Not Implemented"},
    NamedStatus{502, "Bad Gateway"},
    NamedStatus{503, "Service Unavailable"},
    NamedStatus{504, "Gateway Timeout"},
    NamedStatus{505, "HTTP Version Not Supported"},
};

}  // namespace

uint64_t ServerResponse::body_bytes() const {
  uint64_t bytes = 0;
  for (const BodyPiece& piece : body) {
    bytes += bytes_of_piece(piece).size();
  }
  return bytes;
}

void ServerResponse::append(const memory::BufferRef& buffer, size_t offset_bytes, size_t bytes) {
  FOREBAY_CHECK(offset_bytes <= buffer->size_bytes() && bytes <= buffer->size_bytes() - offset_bytes);
  body.push_back(OwnedBytes{buffer, buffer->bytes().subspan(offset_bytes, bytes)});
}

ServerResponse ServerResponse::of_text(int status, std::string_view text) {
  ServerResponse response{.status = status};
  response.headers.push_back({"Content-Type", "text/plain; charset=utf-8"});
  response.append(std::string(text) + "\n");
  return response;
}

Bytes bytes_of_piece(const BodyPiece& piece) {
  if (const auto* const text = std::get_if<std::string>(&piece)) {
    return std::as_bytes(std::span(*text));
  }
  return std::get<OwnedBytes>(piece).bytes;
}

std::string_view status_name(int status) {
  const auto* const found = std::ranges::lower_bound(kStatusNames, status, {}, &NamedStatus::status);
  return found != kStatusNames.end() && found->status == status ? found->name : "Unknown";
}

}  // namespace forebay::net
