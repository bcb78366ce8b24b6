// What a handler answers: a status, fields, and a body of owned pieces that go to the socket without a copy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "forebay/memory/buffer.h"
#include "forebay/net/http_message.h"

namespace forebay::net {

/// Bytes and what keeps them alive, until they are sent or the client has gone.
struct OwnedBytes {
  std::shared_ptr<const void> owner;
  Bytes bytes;
};

using BodyPiece = std::variant<std::string, OwnedBytes>;

struct ServerResponse {
  int status = 200;  // 200 to 599
  /// Content-Length, Transfer-Encoding, Connection and Date are the server's; those given here are left out.
  /// A name or value that may not stand in a header makes the answer a 500.
  std::vector<HttpHeader> headers;
  std::vector<BodyPiece> body;  // sent one after another; not sent in answer to HEAD
  /// Compressed where the client takes gzip or deflate, the body is worth it and no Content-Encoding is
  /// given. It happens on the thread that answers.
  bool may_compress = false;
  /// For an answer to HEAD: the length that GET would have. Otherwise the length of `body` counts.
  std::optional<uint64_t> content_length;

  uint64_t body_bytes() const;
  void append(std::string text) { body.emplace_back(std::move(text)); }
  void append(const memory::BufferRef& buffer) { body.push_back(OwnedBytes{buffer, buffer->bytes()}); }
  /// Bytes [offset, offset + bytes) of the buffer; they must lie in it.
  void append(const memory::BufferRef& buffer, size_t offset_bytes, size_t bytes);

  /// A plain text that ends with a line break.
  static ServerResponse of_text(int status, std::string_view text);
};

Bytes bytes_of_piece(const BodyPiece& piece);

/// "Not Found"; "Unknown" for what has no name.
std::string_view status_name(int status);

}  // namespace forebay::net
