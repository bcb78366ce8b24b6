// Opens arbitrary bytes as a sample index; and, so that the tables are reached, the same bytes with correct
// checksums.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/base/crc32c.h"
#include "forebay/dataset/index/sample_index.h"

using namespace forebay;

namespace {

constexpr size_t kHeaderBytes = 96;
constexpr size_t kRowBytes = 32;

void walk(Bytes image) {
  const Result<std::shared_ptr<const dataset::SampleIndex>> index =
      dataset::SampleIndex::from_image(image, nullptr, "fuzz.index");
  if (!index.ok()) {
    return;
  }
  uint64_t in_shards = 0;
  for (const uint64_t samples : (*index)->shards()) {
    in_shards += samples;
  }
  FOREBAY_CHECK(in_shards == 0 || in_shards == static_cast<uint64_t>((*index)->size()));
  for (int64_t sample = 0; sample < (*index)->size(); ++sample) {
    for (int field = 0; field < (*index)->num_fields(); ++field) {
      const dataset::SampleRow row = (*index)->row(sample, field);
      if (!row.is_missing()) {
        const dataset::IndexedObject object = (*index)->object(row.object);
        FOREBAY_CHECK(!object.name.empty());
        FOREBAY_CHECK(object.name.data() + object.name.size() == object.version.data());
      }
    }
  }
}

void put(std::vector<std::byte>* image, size_t offset, uint64_t value, size_t bytes) {
  std::memcpy(image->data() + offset, &value, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  walk(bytes);
  if (size < 3) {
    return 0;
  }
  // The first three bytes decide how the rest is divided into objects, rows, shards and names.
  const Bytes body = bytes.subspan(3);
  const size_t objects = std::min<size_t>(data[0], body.size() / kRowBytes);
  const size_t rows = std::min<size_t>(data[1], body.size() / kRowBytes - objects);
  const Bytes behind_rows = body.subspan((objects + rows) * kRowBytes);
  const size_t shards = std::min<size_t>(data[2], behind_rows.size() / sizeof(uint64_t));
  const Bytes names = behind_rows.subspan(shards * sizeof(uint64_t));
  std::vector<std::byte> image(kHeaderBytes + body.size());
  put(&image, 0, 0x0058444e49594246, 8);
  put(&image, 8, 3, 4);
  put(&image, 12, kHeaderBytes, 4);
  put(&image, 16, image.size(), 8);
  put(&image, 24, rows, 8);
  put(&image, 32, 1, 8);
  put(&image, 40, objects, 8);
  put(&image, 48, shards, 8);
  put(&image, 56, names.size(), 8);
  std::copy(body.begin(), body.end(), image.begin() + kHeaderBytes);
  put(&image, 72, crc32c(body.first(objects * kRowBytes)), 4);
  put(&image, 76, crc32c(body.subspan(objects * kRowBytes, rows * kRowBytes)), 4);
  put(&image, 80, crc32c(behind_rows.first(shards * sizeof(uint64_t))), 4);
  put(&image, 88, crc32c(names), 4);
  put(&image, 92, crc32c(Bytes(image).first(kHeaderBytes)), 4);
  walk(image);
  return 0;
}
