// Opens arbitrary bytes as a packed table at each level; whatever opens is read completely.
#include <cstddef>
#include <cstdint>
#include <span>

#include "forebay/memory/copy.h"
#include "forebay/tensor/columns/packed_format.h"
#include "forebay/tensor/columns/packed_table.h"

namespace {

using namespace forebay;
using namespace forebay::tensor;

// Rows that take no bytes (nulls, lists without elements) may be as many as the header says.
constexpr int64_t kMaxRows = 4096;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto region = memory::Buffer::allocate(size, memory::host_resource());
  if (!region.ok()) {
    return 0;
  }
  memory::copy((*region)->data(), data, size);
  if (size >= sizeof(PackedHeader)) {  // lets most inputs pass the first check
    PackedHeader& header = *static_cast<PackedHeader*>((*region)->data());
    header.magic = kPackedMagic;
    header.version = kPackedVersion;
    header.header_bytes = sizeof(PackedHeader);
  }
  OpenPackedOptions options;
  options.validation = ValidationLevel::kBounds;
  (void)open_packed(*region, options);
  const auto table = open_packed(*region);
  if (!table.ok() || table->rows() > kMaxRows) {
    return 0;
  }
  for (const ColumnRef& column : table->columns()) {
    (void)column->type->to_string();
    (void)column->count_nulls();
    (void)tensor_of(*column);
  }
  if (const auto part = table->slice(table->rows() / 3, table->rows() / 2); part.ok()) {
    (void)PackPlan::make(*part);
  }
  return 0;
}
