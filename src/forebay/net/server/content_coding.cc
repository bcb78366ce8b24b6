#include "forebay/net/server/content_coding.h"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "forebay/net/server/field_values.h"

namespace forebay::net {
namespace {

constexpr int kWindowBits = 15;
constexpr int kGzipWindowBits = kWindowBits + 16;  // zlib's way to say gzip
constexpr int kFastLevel = 1;                      // tensors gain little from more, and it takes long
constexpr size_t kMaxAtOnce = std::numeric_limits<uInt>::max();

int window_bits(ContentCoding coding) {
  return coding == ContentCoding::kGzip ? kGzipWindowBits : kWindowBits;
}

void offer(z_stream* stream, MutableBytes room) {
  stream->next_out = reinterpret_cast<Bytef*>(room.data());
  stream->avail_out = static_cast<uInt>(std::min(room.size(), kMaxAtOnce));
}

Status no_stream() {
  return resource_exhausted("no memory to compress or decompress a body");
}

struct Deflating {
  z_stream stream{};
  bool is_open = false;
  ~Deflating() {
    if (is_open) {
      deflateEnd(&stream);
    }
  }
};

Status deflate_piece(z_stream* stream, int flush, BodyBuffer* out) {
  for (;;) {
    if (out->room().empty()) {
      FOREBAY_RETURN_IF_ERROR(out->grow());
    }
    offer(stream, out->room());
    const uInt offered = stream->avail_out;
    const int code = deflate(stream, flush);
    out->filled(offered - stream->avail_out);
    if (code == Z_STREAM_END || (flush == Z_NO_FLUSH && stream->avail_in == 0 && stream->avail_out > 0)) {
      return ok_status();
    }
    if (code != Z_OK && code != Z_BUF_ERROR) {
      return internal_error("zlib cannot compress: code {}", code);
    }
  }
}

/// Thousandths of the weight of "gzip;q=0.5"; 1000 without one.
int weight_of(std::string_view parameters) {
  const size_t place = parameters.find("q=");
  if (place == std::string_view::npos) {
    return 1000;
  }
  const std::string_view digits = parameters.substr(place + 2);
  if (digits.empty() || digits[0] == '1') {
    return 1000;
  }
  int weight = 0;
  int unit = 100;
  for (const char digit : digits.substr(std::min<size_t>(2, digits.size()), 3)) {
    weight += digit >= '0' && digit <= '9' ? (digit - '0') * unit : 0;
    unit /= 10;
  }
  return weight;
}

}  // namespace

struct Inflater::State {
  z_stream stream{};
  ContentCoding coding = ContentCoding::kGzip;
  bool is_open = false;
  bool has_ended = false;
  std::byte beyond{};  // a byte written here is one too many

  ~State() {
    if (is_open) {
      inflateEnd(&stream);
    }
  }
};

std::string_view name_of(ContentCoding coding) {
  switch (coding) {
    case ContentCoding::kGzip:
      return "gzip";
    case ContentCoding::kDeflate:
      return "deflate";
    case ContentCoding::kIdentity:
      break;
  }
  return "identity";
}

std::optional<ContentCoding> parse_content_encoding(std::string_view value) {
  const std::vector<std::string_view> codings = list_members(value);
  if (codings.empty() || (codings.size() == 1 && is_same_name(codings[0], "identity"))) {
    return ContentCoding::kIdentity;
  }
  if (codings.size() == 1 && (is_same_name(codings[0], "gzip") || is_same_name(codings[0], "x-gzip"))) {
    return ContentCoding::kGzip;
  }
  if (codings.size() == 1 && is_same_name(codings[0], "deflate")) {
    return ContentCoding::kDeflate;
  }
  return std::nullopt;
}

ContentCoding accepted_coding(std::string_view accept_encoding) {
  ContentCoding best = ContentCoding::kIdentity;
  int best_weight = 0;
  for (const std::string_view member : list_members(accept_encoding)) {
    const size_t semicolon = std::min(member.find(';'), member.size());
    const std::optional<ContentCoding> coding = parse_content_encoding(member.substr(0, semicolon));
    const int weight = weight_of(member.substr(semicolon));
    const bool is_known = coding.has_value() && *coding != ContentCoding::kIdentity;
    if (is_known && (weight > best_weight || (weight == best_weight && *coding == ContentCoding::kGzip))) {
      best = weight > 0 ? *coding : best;
      best_weight = weight;
    }
  }
  return best;
}

Inflater::Inflater(ContentCoding coding) : state_(std::make_unique<State>()) {
  state_->coding = coding;
  state_->is_open = inflateInit2(&state_->stream, window_bits(coding)) == Z_OK;
}

Inflater::~Inflater() = default;

bool Inflater::is_complete() const {
  return state_->has_ended;
}

Status Inflater::put(Bytes bytes, BodyBuffer* out) {
  if (!state_->is_open) {
    return no_stream();
  }
  z_stream& stream = state_->stream;
  for (size_t offset = 0; offset < bytes.size(); offset += kMaxAtOnce) {
    const size_t most = std::min(bytes.size() - offset, kMaxAtOnce);
    const Bytes part = bytes.subspan(offset, most);
    stream.next_in = reinterpret_cast<const Bytef*>(part.data());
    stream.avail_in = static_cast<uInt>(part.size());
    // What zlib holds back for want of room comes out too: a full room asks for another step.
    do {
      FOREBAY_RETURN_IF_ERROR(step(out));
    } while (stream.avail_in > 0 || (stream.avail_out == 0 && !state_->has_ended));
  }
  return ok_status();
}

Status Inflater::step(BodyBuffer* out) {
  z_stream& stream = state_->stream;
  if (state_->has_ended) {
    // Files of gzip may follow each other (RFC 1952, 2.2).
    if (state_->coding != ContentCoding::kGzip || inflateReset(&stream) != Z_OK) {
      return data_loss("bytes follow the end of a compressed body");
    }
    state_->has_ended = false;
  }
  if (out->room().empty() && !out->is_at_limit()) {
    FOREBAY_RETURN_IF_ERROR(out->grow());
  }
  const bool is_beyond = out->room().empty();
  offer(&stream, is_beyond ? MutableBytes(&state_->beyond, 1) : out->room());
  const uInt offered = stream.avail_out;
  const int code = inflate(&stream, Z_NO_FLUSH);
  const uInt written = offered - stream.avail_out;
  if (is_beyond && written > 0) {
    return out_of_range("a body is larger than its limit when it is decompressed");
  }
  out->filled(written);
  if (code == Z_STREAM_END) {
    state_->has_ended = true;
    return ok_status();
  }
  // Without progress zlib says Z_BUF_ERROR: it needs more input.
  if (code == Z_OK || (code == Z_BUF_ERROR && stream.avail_in == 0)) {
    return ok_status();
  }
  return code == Z_MEM_ERROR ? no_stream()
                             : data_loss("a body is not in the coding that it is said to be in");
}

Result<memory::BufferRef> compressed(const std::vector<BodyPiece>& pieces, ContentCoding coding) {
  uint64_t bytes = 0;
  for (const BodyPiece& piece : pieces) {
    bytes += bytes_of_piece(piece).size();
  }
  Deflating deflating;
  deflating.is_open = deflateInit2(&deflating.stream, kFastLevel, Z_DEFLATED, window_bits(coding), 8,
                                   Z_DEFAULT_STRATEGY) == Z_OK;
  if (!deflating.is_open) {
    return no_stream();
  }
  BodyBuffer out(bytes, nullptr);
  for (const BodyPiece& piece : pieces) {
    const Bytes whole = bytes_of_piece(piece);
    for (size_t offset = 0; offset < whole.size(); offset += kMaxAtOnce) {
      const Bytes part = whole.subspan(offset, std::min(whole.size() - offset, kMaxAtOnce));
      deflating.stream.next_in = reinterpret_cast<const Bytef*>(part.data());
      deflating.stream.avail_in = static_cast<uInt>(part.size());
      FOREBAY_RETURN_IF_ERROR(deflate_piece(&deflating.stream, Z_NO_FLUSH, &out));
    }
  }
  FOREBAY_RETURN_IF_ERROR(deflate_piece(&deflating.stream, Z_FINISH, &out));
  return out.take();
}

}  // namespace forebay::net
