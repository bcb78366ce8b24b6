#include "forebay/storage/listing/gunzip.h"

#include <algorithm>
#include <array>
#include <limits>

#include "forebay/base/check.h"

namespace forebay::storage {
namespace {

constexpr size_t kPieceBytes = 64 << 10;
constexpr int kGzipOnly = 16;  // added to the window's bits, see zlib.h

}  // namespace

Gunzip::Gunzip() {
  FOREBAY_CHECK(::inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK);
}

Gunzip::~Gunzip() {
  ::inflateEnd(&stream_);
}

void Gunzip::begin_member() {
  FOREBAY_CHECK(::inflateReset(&stream_) == Z_OK);
  has_ended_ = false;
}

Status Gunzip::add(Bytes packed, const Take& take) {
  std::array<char, kPieceBytes> piece;
  while (!packed.empty()) {
    if (has_ended_) {
      begin_member();
    }
    const size_t given = std::min<size_t>(packed.size(), std::numeric_limits<uInt>::max());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(given);
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = piece.size();
      const int outcome = ::inflate(&stream_, Z_NO_FLUSH);
      if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR) {
        return data_loss("the gzip data is damaged: {}", stream_.msg != nullptr ? stream_.msg : "no gzip");
      }
      has_ended_ = outcome == Z_STREAM_END;
      FOREBAY_RETURN_IF_ERROR(take({piece.data(), piece.size() - stream_.avail_out}));
    } while (!has_ended_ && (stream_.avail_in > 0 || stream_.avail_out == 0));
    packed = packed.subspan(given - stream_.avail_in);
  }
  return ok_status();
}

Status Gunzip::finish() const {
  return has_ended_ ? ok_status() : data_loss("the gzip data is cut");
}

bool begins_as_gzip(Bytes bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

}  // namespace forebay::storage
