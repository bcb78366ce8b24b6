// Requests and answers of HTTP as text, for tests whose server says what they tell it to.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

namespace forebay::storage {

/// `headers` end with a line break each.
inline std::string reply(const std::string& status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers +
         "\r\n" + body;
}

/// The first and the last byte of `Range: bytes=3-7`, in an object of `size_bytes`, which is not empty.
inline std::pair<uint64_t, uint64_t> requested_range(const std::string& request, uint64_t size_bytes) {
  const size_t at = request.find("\r\nRange: bytes=");
  if (at == std::string::npos) {
    return {0, size_bytes - 1};
  }
  char* end = nullptr;
  const uint64_t first = std::strtoull(request.c_str() + at + 15, &end, 10);
  const bool is_open = end[1] < '0' || end[1] > '9';
  return {first, is_open ? size_bytes - 1 : std::strtoull(end + 1, nullptr, 10)};
}

/// A 206 answer to the request with its part of `content`.
inline std::string part_reply(const std::string& request, const std::string& content,
                              const std::string& headers) {
  const auto [first, last] = requested_range(request, content.size());
  return reply("206 Partial Content",
               headers + "Content-Range: bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" +
                   std::to_string(content.size()) + "\r\n",
               content.substr(first, last - first + 1));
}

/// The value of `name=...` in a request's first line, as it is written; empty if it is not there.
inline std::string query_value(const std::string& request, const std::string& name) {
  const std::string line = request.substr(0, request.find("\r\n"));
  for (const char before : {'?', '&'}) {
    const size_t at = line.find(before + name + "=");
    if (at != std::string::npos) {
      const size_t begin = at + name.size() + 2;
      return line.substr(begin, line.find_first_of("& ", begin) - begin);
    }
  }
  return {};
}

}  // namespace forebay::storage
