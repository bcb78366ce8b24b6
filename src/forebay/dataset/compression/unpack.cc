#include "forebay/dataset/compression/unpack.h"

#include <brotli/decode.h>
#include <bzlib.h>
#include <libdeflate.h>
#include <lz4.h>
#include <snappy-c.h>
#include <zstd.h>

#include <limits>
#include <memory>

#include "forebay/memory/copy.h"

namespace forebay::dataset {
namespace {

const char* chars(Bytes bytes) {
  return reinterpret_cast<const char*>(bytes.data());
}

char* chars(MutableBytes bytes) {
  return reinterpret_cast<char*>(bytes.data());
}

Status wrong_size(uint64_t made, uint64_t wanted) {
  return data_loss("{} bytes were packed where {} are expected", made, wanted);
}

Status take_plain(Bytes packed, MutableBytes out) {
  if (packed.size() != out.size()) {
    return wrong_size(packed.size(), out.size());
  }
  if (!out.empty()) {
    memory::copy(out.data(), packed.data(), out.size());
  }
  return ok_status();
}

Status unpack_snappy(Bytes packed, MutableBytes out) {
  size_t size = 0;
  if (::snappy_uncompressed_length(chars(packed), packed.size(), &size) != SNAPPY_OK) {
    return data_loss("no block of Snappy");
  }
  if (size != out.size()) {
    return wrong_size(size, out.size());
  }
  if (::snappy_uncompress(chars(packed), packed.size(), chars(out), &size) != SNAPPY_OK) {
    return data_loss("a block of Snappy is damaged");
  }
  return ok_status();
}

struct FreeInflater {
  void operator()(libdeflate_decompressor* inflater) const { ::libdeflate_free_decompressor(inflater); }
};

Status unpack_gzip(Bytes packed, MutableBytes out) {
  const std::unique_ptr<libdeflate_decompressor, FreeInflater> inflater(::libdeflate_alloc_decompressor());
  if (!inflater) {
    return resource_exhausted("no memory for the state of gzip");
  }
  size_t made = 0;
  do {
    size_t taken = 0;
    size_t given = 0;
    const libdeflate_result result = ::libdeflate_gzip_decompress_ex(
        inflater.get(), packed.data(), packed.size(), out.data() + made, out.size() - made, &taken, &given);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      return data_loss("more than {} bytes were packed", out.size());
    }
    if (result != LIBDEFLATE_SUCCESS) {
      return data_loss("gzip data is damaged");
    }
    packed = packed.subspan(taken);
    made += given;
  } while (!packed.empty());
  return made == out.size() ? ok_status() : wrong_size(made, out.size());
}

Status unpack_brotli(Bytes packed, MutableBytes out) {
  size_t made = out.size();
  const BrotliDecoderResult result =
      ::BrotliDecoderDecompress(packed.size(), reinterpret_cast<const uint8_t*>(packed.data()), &made,
                                reinterpret_cast<uint8_t*>(out.data()));
  if (result != BROTLI_DECODER_RESULT_SUCCESS) {
    return data_loss("Brotli data is damaged, or holds more than {} bytes", out.size());
  }
  return made == out.size() ? ok_status() : wrong_size(made, out.size());
}

Status unpack_zstd(Bytes packed, MutableBytes out) {
  const size_t made = ::ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (::ZSTD_isError(made) != 0) {
    return data_loss("Zstandard data cannot be unpacked: {}", ::ZSTD_getErrorName(made));
  }
  return made == out.size() ? ok_status() : wrong_size(made, out.size());
}

Status unpack_lz4(Bytes packed, MutableBytes out) {
  if (packed.size() > LZ4_MAX_INPUT_SIZE || out.size() > LZ4_MAX_INPUT_SIZE) {
    return data_loss("a block of LZ4 of more than {} bytes", LZ4_MAX_INPUT_SIZE);
  }
  const int made = ::LZ4_decompress_safe(chars(packed), chars(out), static_cast<int>(packed.size()),
                                         static_cast<int>(out.size()));
  if (made < 0) {
    return data_loss("a block of LZ4 is damaged, or holds more than {} bytes", out.size());
  }
  return static_cast<size_t>(made) == out.size() ? ok_status()
                                                 : wrong_size(static_cast<uint64_t>(made), out.size());
}

Status unpack_bzip2(Bytes packed, MutableBytes out) {
  constexpr size_t kMost = std::numeric_limits<unsigned>::max();
  if (packed.size() > kMost || out.size() > kMost) {
    return unimplemented("bzip2 data of more than {} bytes", kMost);
  }
  auto made = static_cast<unsigned>(out.size());
  // The library does not write to what it reads, though it does not say so.
  const int result = ::BZ2_bzBuffToBuffDecompress(chars(out), &made, const_cast<char*>(chars(packed)),
                                                  static_cast<unsigned>(packed.size()), 0, 0);
  if (result == BZ_OUTBUFF_FULL) {
    return data_loss("more than {} bytes were packed", out.size());
  }
  if (result != BZ_OK) {
    return data_loss("bzip2 data is damaged");
  }
  return made == out.size() ? ok_status() : wrong_size(made, out.size());
}

}  // namespace

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::kSnappy:
      return "Snappy";
    case Compression::kGzip:
      return "gzip";
    case Compression::kBrotli:
      return "Brotli";
    case Compression::kZstd:
      return "Zstandard";
    case Compression::kLz4:
      return "LZ4";
    case Compression::kBzip2:
      return "bzip2";
    default:
      return "none";
  }
}

Status unpack(Compression compression, Bytes packed, MutableBytes out) {
  std::byte nothing{};
  if (out.empty()) {
    out = {&nothing, 0};  // the libraries take no null
  }
  switch (compression) {
    case Compression::kSnappy:
      return unpack_snappy(packed, out);
    case Compression::kGzip:
      return unpack_gzip(packed, out);
    case Compression::kBrotli:
      return unpack_brotli(packed, out);
    case Compression::kZstd:
      return unpack_zstd(packed, out);
    case Compression::kLz4:
      return unpack_lz4(packed, out);
    case Compression::kBzip2:
      return unpack_bzip2(packed, out);
    default:
      return take_plain(packed, out);
  }
}

}  // namespace forebay::dataset
