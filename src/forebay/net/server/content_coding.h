// Content codings of bodies: gzip and deflate (RFC 9110, 8.4.1), by zlib.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "forebay/net/server/body_buffer.h"
#include "forebay/net/server/server_response.h"

namespace forebay::net {

enum class ContentCoding : uint8_t { kIdentity, kGzip, kDeflate };

std::string_view name_of(ContentCoding coding);

/// Of a Content-Encoding field with one coding; no value for others and for several.
std::optional<ContentCoding> parse_content_encoding(std::string_view value);

/// What an Accept-Encoding field likes best of what we have; gzip among equals.
ContentCoding accepted_coding(std::string_view accept_encoding);

/// Decodes a body as it comes. One thread.
class Inflater {
 public:
  explicit Inflater(ContentCoding coding);  // gzip or deflate
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// data_loss if `bytes` do not go on as the coding does; errors of BodyBuffer::grow(), out_of_range for
  /// what exceeds its limit.
  Status put(Bytes bytes, BodyBuffer* out);
  /// Whether the end of the coding has come, and nothing after it.
  bool is_complete() const;

 private:
  struct State;
  Status step(BodyBuffer* out);
  std::unique_ptr<State> state_;
};

/// The pieces as one compressed block; out_of_range if it would not be shorter than they are.
Result<memory::BufferRef> compressed(const std::vector<BodyPiece>& pieces, ContentCoding coding);

}  // namespace forebay::net
