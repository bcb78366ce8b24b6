// How the fields of a record are moved: the plan that split_records and join_records make, and the kernels
// that execute it on whole tiles of kRecordTile records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forebay/tensor/records/record_layout.h"

namespace forebay::tensor {

inline constexpr int kWindowBytes = 16;
inline constexpr int64_t kCacheLineBytes = 64;
inline constexpr int kNoField = -1;

/// Fields of `width` bytes (1, 2, 4 or 8) in the 16 bytes of a record that start at `offset`: lane i holds
/// field fields[i], or nothing of interest.
struct RecordWindow {
  int64_t offset = 0;
  int width = 0;
  std::array<int, kWindowBytes> fields{};
};

struct WindowPlan {
  /// 2, 3 or 4: the record consists of that many fields of `interleaved_width` bytes, in order, and nothing
  /// else; then there are no windows and no single fields.
  int interleaved = 0;
  int interleaved_width = 0;
  std::vector<RecordWindow> windows;
  std::vector<int> single_fields;  // moved one at a time
  /// Windows may reach past a record into the next ones, so the last `spare_records` records are not moved by
  /// windows.
  int64_t spare_records = 0;
};

/// A plan that moves each wanted field once.
WindowPlan plan_split(const RecordLayout& layout, const std::vector<bool>& wanted);
/// Windows are stored whole, so they may only contain the fields of their lanes and padding. A field may be
/// in two windows.
WindowPlan plan_join(const RecordLayout& layout, const std::vector<bool>& wanted);

/// How many records are moved window by window before the next ones: as many as stay in the first-level
/// cache, and a multiple of kRecordTile.
int64_t records_at_once(const RecordLayout& layout);

/// `count` is a multiple of kRecordTile. `columns` points to the first element of each field, or is null for
/// unwanted fields. With `stream` the output goes past the cache, and the columns (split) or records (join)
/// must be aligned to 64 bytes.
struct SplitWork {
  const RecordLayout& layout;
  const WindowPlan& plan;
  const std::byte* records;
  std::byte* const* columns;
  int64_t count;
  bool stream;
};
void split_tiles(const SplitWork& work);

struct JoinWork {
  const RecordLayout& layout;
  const WindowPlan& plan;
  const std::byte* const* columns;
  std::byte* records;
  // Room for records_at_once() and kWindowBytes, all zero; bytes that no field covers stay zero.
  std::byte* scratch;
  int64_t count;
  bool stream;
};
void join_tiles(const JoinWork& work);

/// Copies elements of `width` bytes between two strides, one at a time.
void copy_elements(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride,
                   int64_t width, int64_t count);

}  // namespace forebay::tensor
