// Parses arbitrary bytes as a record format; an accepted one must lie within its records and survive
// conversion to a layout and back.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "forebay/exchange/arrays/record_reader.h"
#include "forebay/exchange/arrays/record_type.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace forebay::exchange;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto part = RecordReader(text).read();
  if (!part.ok()) {
    return 0;
  }
  const auto type = parse_record_format(text, part->bytes);
  if (!type.ok()) {
    return 0;
  }
  for (const RecordMember& member : (*type)->members) {
    int64_t end = member.offset_bytes + member.type.bits / 8;
    bool is_empty = false;
    for (size_t axis = 0; axis < member.shape.size(); ++axis) {
      is_empty = is_empty || member.shape[axis] == 0;
      end += (member.shape[axis] - 1) * member.strides_bytes[axis];
    }
    if (!is_empty && (member.offset_bytes < 0 || end > (*type)->item_bytes)) {
      __builtin_trap();
    }
  }
  if (const auto layout = record_layout_of(**type); layout.ok()) {
    const auto again = record_type_of(*layout);
    if (again.ok() && !(*record_layout_of(**again)).field_count()) {
      __builtin_trap();
    }
  }
  return 0;
}
