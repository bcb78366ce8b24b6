// Parses arbitrary bytes as an .npy file, and cuts regions out of what is accepted: every range must lie in
// the file.

#include <cstdint>
#include <span>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/dataset/numpy/npy_region.h"

using namespace forebay;

namespace {

void read(const dataset::NpyHeader& header, const dataset::ArrayRegion& region, Bytes file) {
  constexpr int64_t kMost = 1 << 20;
  if (!region.shape.checked_volume() || *region.shape.checked_volume() > kMost) {
    return;
  }
  const Result<dataset::RegionPlan> plan = dataset::RegionPlan::make(header, region, file.size());
  if (!plan.ok()) {
    return;
  }
  std::vector<Bytes> blocks;
  for (const dataset::ByteRange& range : plan->ranges()) {
    FOREBAY_CHECK(range.offset_bytes <= file.size());
    FOREBAY_CHECK(range.length_bytes <= file.size() - range.offset_bytes);
    blocks.push_back(file.subspan(range.offset_bytes, range.length_bytes));
  }
  std::vector<std::byte> array(plan->spec().size_bytes());
  plan->fill(blocks, 1, array);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes file = std::as_bytes(std::span(data, size));
  const Result<dataset::NpyHeader> header = dataset::parse_npy_header(file);
  if (!header.ok()) {
    return 0;
  }
  FOREBAY_CHECK(header->offset_bytes <= size);
  read(*header, dataset::ArrayRegion::all_of(header->shape), file);
  dataset::ArrayRegion region;
  for (int axis = 0; axis < header->shape.rank(); ++axis) {  // by what the file's end says
    region.anchor[axis] = static_cast<int8_t>(data[size - 1 - static_cast<size_t>(axis)]);
    region.shape.push_back(data[size - 1 - static_cast<size_t>(axis)] % 7);
  }
  read(*header, region, file);
  return 0;
}
