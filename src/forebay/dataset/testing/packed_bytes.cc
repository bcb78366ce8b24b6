#include "forebay/dataset/testing/packed_bytes.h"

#include <brotli/encode.h>
#include <bzlib.h>
#include <libdeflate.h>
#include <lz4.h>
#include <snappy-c.h>
#include <zstd.h>

#include "forebay/base/check.h"

namespace forebay::dataset::testing {
namespace {

std::string pack_gzip(const std::string& plain) {
  libdeflate_compressor* const deflater = ::libdeflate_alloc_compressor(6);
  std::string packed(::libdeflate_gzip_compress_bound(deflater, plain.size()), '\0');
  packed.resize(
      ::libdeflate_gzip_compress(deflater, plain.data(), plain.size(), packed.data(), packed.size()));
  ::libdeflate_free_compressor(deflater);
  return packed;
}

std::string pack_brotli(const std::string& plain) {
  size_t size = ::BrotliEncoderMaxCompressedSize(plain.size()) + 16;
  std::string packed(size, '\0');
  FOREBAY_CHECK(::BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, plain.size(),
                                        reinterpret_cast<const uint8_t*>(plain.data()), &size,
                                        reinterpret_cast<uint8_t*>(packed.data())) == BROTLI_TRUE);
  packed.resize(size);
  return packed;
}

std::string pack_bzip2(const std::string& plain) {
  std::string packed(plain.size() * 2 + 600, '\0');
  auto size = static_cast<unsigned>(packed.size());
  FOREBAY_CHECK(::BZ2_bzBuffToBuffCompress(packed.data(), &size, const_cast<char*>(plain.data()),
                                           static_cast<unsigned>(plain.size()), 9, 0, 0) == BZ_OK);
  packed.resize(size);
  return packed;
}

std::string pack_snappy(const std::string& plain) {
  size_t size = ::snappy_max_compressed_length(plain.size());
  std::string packed(size, '\0');
  FOREBAY_CHECK(::snappy_compress(plain.data(), plain.size(), packed.data(), &size) == SNAPPY_OK);
  packed.resize(size);
  return packed;
}

std::string pack_lz4(const std::string& plain) {
  const int room = ::LZ4_compressBound(static_cast<int>(plain.size()));
  std::string packed(static_cast<size_t>(room), '\0');
  packed.resize(static_cast<size_t>(
      ::LZ4_compress_default(plain.data(), packed.data(), static_cast<int>(plain.size()), room)));
  return packed;
}

std::string pack_zstd(const std::string& plain) {
  std::string packed(::ZSTD_compressBound(plain.size()), '\0');
  packed.resize(::ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  return packed;
}

}  // namespace

std::string pack(Compression compression, const std::string& plain) {
  switch (compression) {
    case Compression::kSnappy:
      return pack_snappy(plain);
    case Compression::kGzip:
      return pack_gzip(plain);
    case Compression::kBrotli:
      return pack_brotli(plain);
    case Compression::kZstd:
      return pack_zstd(plain);
    case Compression::kLz4:
      return pack_lz4(plain);
    case Compression::kBzip2:
      return pack_bzip2(plain);
    default:
      return plain;
  }
}

}  // namespace forebay::dataset::testing
