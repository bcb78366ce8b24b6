#include "forebay/tensor/records/record_windows.h"

#include <algorithm>
#include <cstring>

#include "forebay/memory/copy.h"
#include "forebay/tensor/records/convert_records.h"

namespace forebay::tensor {
namespace {

bool is_lane_width(int64_t width) {
  return width == 1 || width == 2 || width == 4 || width == 8;
}

// With fewer lanes than this, moving them one at a time is faster, since a transposition costs the same for
// one lane as for all.
int least_lanes(int width) {
  return width == 1 ? 4 : width == 2 ? 2 : 1;
}

// The wanted fields of that width, ordered by offset.
std::vector<int> fields_of_width(const RecordLayout& layout, const std::vector<bool>& wanted, int64_t width) {
  std::vector<int> found;
  for (int i = 0; i < layout.field_count(); ++i) {
    if (wanted[i] && layout.fields()[i].size_bytes() == width) {
      found.push_back(i);
    }
  }
  std::sort(found.begin(), found.end(),
            [&](int a, int b) { return layout.fields()[a].offset_bytes < layout.fields()[b].offset_bytes; });
  return found;
}

// The start of a window that holds the field at `first`: there, or enough lanes before it that the window
// ends within the record.
int64_t window_start(const RecordLayout& layout, int64_t first, int width) {
  const int64_t over = first + kWindowBytes - layout.stride_bytes();
  const int64_t back = over <= 0 ? 0 : (over + width - 1) / width * width;
  return back <= first ? first - back : first;
}

// The lane of a field in a window at `start`, or -1.
int lane_of(int64_t start, int width, const RecordField& field) {
  const int64_t from_start = field.offset_bytes - start;
  const bool is_in = from_start >= 0 && from_start + width <= kWindowBytes && from_start % width == 0;
  return is_in ? static_cast<int>(from_start / width) : -1;
}

// How many fields of one width make up the whole record, in order; 0 if that is not the case.
int interleaved_fields(const RecordLayout& layout, const std::vector<bool>& wanted) {
  const int count = layout.field_count();
  const int64_t width = layout.fields()[0].size_bytes();
  constexpr int kMost = 4;
  if (count < 2 || count > kMost || !is_lane_width(width) || layout.stride_bytes() != count * width) {
    return 0;
  }
  for (int i = 0; i < count; ++i) {
    const RecordField& field = layout.fields()[i];
    if (!wanted[i] || field.size_bytes() != width || field.offset_bytes != i * width) {
      return 0;
    }
  }
  return count;
}

void add_window(WindowPlan& plan, const RecordLayout& layout, const RecordWindow& window) {
  const int64_t stride = layout.stride_bytes();
  const int64_t over = window.offset + kWindowBytes - stride;
  plan.spare_records = std::max(plan.spare_records, over <= 0 ? 0 : (over + stride - 1) / stride);
  plan.windows.push_back(window);
}

// The window at `start` with those of `fields` that are not done yet.
RecordWindow window_at(const RecordLayout& layout, int64_t start, int width, const std::vector<int>& fields) {
  RecordWindow window{start, width, {}};
  window.fields.fill(kNoField);
  for (const int field : fields) {
    if (const int lane = lane_of(start, width, layout.fields()[field]); lane >= 0) {
      window.fields[lane] = field;
    }
  }
  return window;
}

bool holds(const RecordWindow& window, int field) {
  return std::find(window.fields.begin(), window.fields.end(), field) != window.fields.end();
}

int64_t lanes_in(const RecordWindow& window) {
  return kWindowBytes - std::count(window.fields.begin(), window.fields.end(), kNoField);
}

// Whether the window contains only its lanes and padding, so that it may be stored whole. A window that
// reaches into the next record must contain all that is left of this one, so that nothing is stored after the
// next record's bytes.
bool may_be_stored(const RecordLayout& layout, const RecordWindow& window) {
  const bool is_within = window.offset + kWindowBytes <= layout.stride_bytes();
  for (int i = 0; i < layout.field_count(); ++i) {
    const RecordField& field = layout.fields()[i];
    const bool is_touched = field.offset_bytes < window.offset + kWindowBytes &&
                            field.offset_bytes + field.size_bytes() > window.offset;
    if ((is_touched || !is_within) && !holds(window, i)) {
      return false;
    }
  }
  return is_within || window.offset == 0;
}

// Plans the fields of one width: windows where they pay, from the lowest field on. `all` lists the fields
// that a stored window may contain again.
void plan_width(const RecordLayout& layout, std::vector<int> fields, int width, bool is_join,
                WindowPlan& plan) {
  const std::vector<int> all = fields;
  while (!fields.empty()) {
    const int first = fields.front();
    const int64_t start = window_start(layout, layout.fields()[first].offset_bytes, width);
    const RecordWindow window = window_at(layout, start, width, is_join ? all : fields);
    const bool is_good =
        lanes_in(window) >= least_lanes(width) && (!is_join || may_be_stored(layout, window));
    if (!is_good) {
      plan.single_fields.push_back(first);
      fields.erase(fields.begin());
      continue;
    }
    add_window(plan, layout, window);
    std::erase_if(fields, [&](int field) { return holds(window, field); });
  }
}

WindowPlan plan_moves(const RecordLayout& layout, const std::vector<bool>& wanted, bool is_join) {
  WindowPlan plan;
  plan.interleaved = interleaved_fields(layout, wanted);
  if (plan.interleaved > 0) {
    plan.interleaved_width = static_cast<int>(layout.fields()[0].size_bytes());
    return plan;
  }
  for (const int width : {8, 4, 2, 1}) {
    plan_width(layout, fields_of_width(layout, wanted, width), width, is_join, plan);
  }
  for (int i = 0; i < layout.field_count(); ++i) {
    if (wanted[i] && !is_lane_width(layout.fields()[i].size_bytes())) {
      plan.single_fields.push_back(i);
    }
  }
  return plan;
}

template <class T>
void copy_typed(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(T));
  }
}

// Copies elements of at least sizeof(T) and at most twice that many bytes as two possibly overlapping pieces.
template <class T>
void copy_twice(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride, int64_t width,
                int64_t count) {
  const int64_t second = width - static_cast<int64_t>(sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    const std::byte* const in = from + i * from_stride;
    std::byte* const out = to + i * to_stride;
    std::memcpy(out, in, sizeof(T));
    std::memcpy(out + second, in + second, sizeof(T));
  }
}

struct Bytes16 {
  std::byte bytes[16];
};
struct Bytes32 {
  std::byte bytes[32];
};

}  // namespace

WindowPlan plan_split(const RecordLayout& layout, const std::vector<bool>& wanted) {
  return plan_moves(layout, wanted, /*is_join=*/false);
}

WindowPlan plan_join(const RecordLayout& layout, const std::vector<bool>& wanted) {
  return plan_moves(layout, wanted, /*is_join=*/true);
}

int64_t records_at_once(const RecordLayout& layout) {
  constexpr int64_t kBytes = 8 << 10;  // a quarter of the cache: the next records are being fetched
  constexpr int64_t kMost = 128;       // longer runs of a column are not written any faster
  const int64_t records = std::min(kMost, kBytes / layout.stride_bytes()) / kRecordTile * kRecordTile;
  return std::max(kRecordTile, records);
}

void copy_elements(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride,
                   int64_t width, int64_t count) {
  switch (width) {
    case 1:
      return copy_typed<uint8_t>(from, from_stride, to, to_stride, count);
    case 2:
      return copy_typed<uint16_t>(from, from_stride, to, to_stride, count);
    case 4:
      return copy_typed<uint32_t>(from, from_stride, to, to_stride, count);
    case 8:
      return copy_typed<uint64_t>(from, from_stride, to, to_stride, count);
    case 3:
      return copy_twice<uint16_t>(from, from_stride, to, to_stride, width, count);
    default:
      break;
  }
  if (width < 8) {
    copy_twice<uint32_t>(from, from_stride, to, to_stride, width, count);
  } else if (width <= 16) {
    copy_twice<uint64_t>(from, from_stride, to, to_stride, width, count);
  } else if (width <= 32) {
    copy_twice<Bytes16>(from, from_stride, to, to_stride, width, count);
  } else if (width <= 64) {
    copy_twice<Bytes32>(from, from_stride, to, to_stride, width, count);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      memory::copy(to + i * to_stride, from + i * from_stride, width);
    }
  }
}

}  // namespace forebay::tensor
