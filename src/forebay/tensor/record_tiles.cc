// The kernels behind split_records and join_records. An n x n transposition of 16-byte rows of n elements is
// log2(n) perfect shuffles: each interleaves row i with row i + n/2. Vectors of 32 bytes do two at once.
#include "forebay/tensor/record_windows.h"

#include <algorithm>
#include <utility>

#include "forebay/tensor/convert_records.h"

// Vectors of unknown size cannot stand in arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/tensor/record_tiles.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace forebay::tensor {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // no vectors: field by field

void split_target(const SplitWork& work) {
  const int64_t stride = work.layout.stride_bytes();
  for (int i = 0; i < work.layout.field_count(); ++i) {
    const RecordField& field = work.layout.fields()[i];
    const int64_t width = field.size_bytes();
    if (work.columns[i] != nullptr) {
      copy_elements(work.records + field.offset_bytes, stride, work.columns[i], width, width,
                    work.tiles * kRecordTile);
    }
  }
}

void join_target(const JoinWork& work) {
  const int64_t stride = work.layout.stride_bytes();
  std::fill_n(work.records, work.tiles * kRecordTile * stride, std::byte{0});
  for (int i = 0; i < work.layout.field_count(); ++i) {
    const RecordField& field = work.layout.fields()[i];
    const int64_t width = field.size_bytes();
    if (work.columns[i] != nullptr) {
      copy_elements(work.columns[i], width, work.records + field.offset_bytes, stride, width,
                    work.tiles * kRecordTile);
    }
  }
}

#else

constexpr int64_t kLine = 64;

#if HWY_TARGET <= HWY_AVX2
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif
constexpr int kBlocks = kVectorBytes / kWindowBytes;  // windows that a vector holds

template <class T>
using Vector = hn::FixedTag<T, kVectorBytes / sizeof(T)>;
template <class T>
using Block = hn::FixedTag<T, kWindowBytes / sizeof(T)>;

template <bool stream, class D>
HWY_INLINE void store(D d, hn::Vec<D> value, hn::TFromD<D>* to) {
  if constexpr (stream) {
    hn::Stream(value, d, to);
  } else {
    hn::StoreU(value, d, to);
  }
}

// The block at `from`, and for vectors of two the one at `next`.
template <class T>
HWY_INLINE hn::Vec<Vector<T> > load_blocks(const std::byte* from, [[maybe_unused]] const std::byte* next) {
  const Block<T> block;
  if constexpr (kBlocks == 2) {
    return hn::Combine(Vector<T>(), hn::LoadU(block, reinterpret_cast<const T*>(next)),
                       hn::LoadU(block, reinterpret_cast<const T*>(from)));
  } else {
    return hn::LoadU(block, reinterpret_cast<const T*>(from));
  }
}

template <class T, size_t... i>
HWY_INLINE void shuffle(const hn::Vec<Vector<T> >* from, hn::Vec<Vector<T> >* to, std::index_sequence<i...>) {
  const Vector<T> d;
  ((to[2 * i] = hn::InterleaveLower(d, from[i], from[i + sizeof...(i)]),
    to[2 * i + 1] = hn::InterleaveUpper(d, from[i], from[i + sizeof...(i)])),
   ...);
}

template <class T>
HWY_INLINE void transpose(hn::Vec<Vector<T> >* rows) {
  constexpr size_t kLanes = kWindowBytes / sizeof(T);
  hn::Vec<Vector<T> > other[kLanes];
  constexpr auto kHalf = std::make_index_sequence<kLanes / 2>();
  shuffle<T>(rows, other, kHalf);
  if constexpr (kLanes > 2) {
    shuffle<T>(other, rows, kHalf);
  }
  if constexpr (kLanes > 4) {
    shuffle<T>(rows, other, kHalf);
  }
  if constexpr (kLanes > 8) {
    shuffle<T>(other, rows, kHalf);
  }
  if constexpr (kLanes == 2 || kLanes == 8) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      rows[lane] = other[lane];
    }
  }
}

template <class T, size_t... lane>
HWY_INLINE void load_rows(const std::byte* from, int64_t stride, hn::Vec<Vector<T> >* rows,
                          std::index_sequence<lane...>) {
  constexpr int64_t kLanes = sizeof...(lane);
  ((rows[lane] = load_blocks<T>(from + lane * stride, from + (kLanes + lane) * stride)), ...);
}

template <class T, bool stream, size_t kSets, size_t kLanes>
HWY_INLINE void store_lane(const hn::Vec<Vector<T> > (&rows)[kSets][kLanes], size_t lane, std::byte* to) {
  if (to == nullptr) {
    return;
  }
  for (size_t set = 0; set < kSets; ++set) {  // a whole line
    store<stream>(Vector<T>(), rows[set][lane], reinterpret_cast<T*>(to + set * kVectorBytes));
  }
}

// One window of a tile: for each cache line of the columns, all rows that fill it.
template <class T, bool stream>
HWY_INLINE void split_window(const std::byte* records, int64_t stride, std::byte* const* lanes) {
  constexpr size_t kLanes = kWindowBytes / sizeof(T);
  constexpr size_t kSets = kLine / kVectorBytes;
  constexpr int64_t kStep = kLine / sizeof(T);  // records
  constexpr auto kEach = std::make_index_sequence<kLanes>();
  for (int64_t first = 0; first < kRecordTile; first += kStep) {
    hn::Vec<Vector<T> > rows[kSets][kLanes];
    for (size_t set = 0; set < kSets; ++set) {
      load_rows<T>(records + (first + set * kBlocks * kLanes) * stride, stride, rows[set], kEach);
      transpose<T>(rows[set]);
    }
    [&]<size_t... lane>(std::index_sequence<lane...>) HWY_ATTR {
      (store_lane<T, stream>(rows, lane, lanes[lane] == nullptr ? nullptr : lanes[lane] + first * sizeof(T)),
       ...);
    }(kEach);
  }
}

template <class T>
HWY_INLINE void store_block(hn::Vec<Vector<T> > value, [[maybe_unused]] int block, std::byte* to) {
  const Block<T> d;
  if constexpr (kBlocks == 2) {
    hn::StoreU(block == 0 ? hn::LowerHalf(d, value) : hn::UpperHalf(d, value), d, reinterpret_cast<T*>(to));
  } else {
    hn::StoreU(value, d, reinterpret_cast<T*>(to));
  }
}

template <class T>
HWY_INLINE void join_window(const std::byte* const* lanes, int64_t stride, std::byte* records) {
  constexpr int64_t kLanes = kWindowBytes / sizeof(T);
  const Vector<T> d;
  for (int64_t first = 0; first < kRecordTile; first += kBlocks * kLanes) {
    hn::Vec<Vector<T> > rows[kLanes];
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      rows[lane] = lanes[lane] == nullptr
                       ? hn::Zero(d)
                       : hn::LoadU(d, reinterpret_cast<const T*>(lanes[lane] + first * sizeof(T)));
    }
    transpose<T>(rows);
    std::byte* const to = records + first * stride;
    // In order of records: what one stores past its end belongs to the next, which comes after it.
    for (int block = 0; block < kBlocks; ++block) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        store_block<T>(rows[lane], block, to + (block * kLanes + lane) * stride);
      }
    }
  }
}

template <bool stream>
HWY_INLINE void write_lines(const std::byte* from, int64_t bytes, std::byte* to) {
  const Vector<uint8_t> d;
  const auto* const in = reinterpret_cast<const uint8_t*>(from);
  auto* const out = reinterpret_cast<uint8_t*>(to);
  for (int64_t at = 0; at < bytes; at += kLine) {
    for (int64_t part = 0; part < kLine; part += kVectorBytes) {
      store<stream>(d, hn::LoadU(d, in + at + part), out + at + part);
    }
  }
}

template <class T, bool stream>
HWY_INLINE void split_interleaved(int fields, const std::byte* records, std::byte* const* columns,
                                  int64_t first) {
  const Vector<T> d;
  constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  const T* const in = reinterpret_cast<const T*>(records);
  T* const a = reinterpret_cast<T*>(columns[0]) + first;
  T* const b = reinterpret_cast<T*>(columns[1]) + first;
  T* const c = fields > 2 ? reinterpret_cast<T*>(columns[2]) + first : nullptr;
  T* const e = fields > 3 ? reinterpret_cast<T*>(columns[3]) + first : nullptr;
  constexpr int64_t kStep = kLine / sizeof(T);
  for (int64_t row = 0; row < kRecordTile; row += kStep) {
    constexpr int64_t kSets = kLine / kVectorBytes;
    hn::Vec<Vector<T> > v[kSets][4];
    for (int64_t set = 0; set < kSets; ++set) {
      const T* const at = in + (row + set * kLanes) * fields;
      if (fields == 2) {
        hn::LoadInterleaved2(d, at, v[set][0], v[set][1]);
      } else if (fields == 3) {
        hn::LoadInterleaved3(d, at, v[set][0], v[set][1], v[set][2]);
      } else {
        hn::LoadInterleaved4(d, at, v[set][0], v[set][1], v[set][2], v[set][3]);
      }
    }
    T* const to[4] = {a, b, c, e};
    for (int field = 0; field < fields; ++field) {
      for (int64_t set = 0; set < kSets; ++set) {
        store<stream>(d, v[set][field], to[field] + row + set * kLanes);
      }
    }
  }
}

template <class T>
HWY_INLINE void join_interleaved(int fields, const std::byte* const* columns, int64_t first,
                                 std::byte* records) {
  const Vector<T> d;
  constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  T* const out = reinterpret_cast<T*>(records);
  const auto load = [&](int field, int64_t row) HWY_ATTR {
    return hn::LoadU(d, reinterpret_cast<const T*>(columns[field]) + first + row);
  };
  for (int64_t row = 0; row < kRecordTile; row += kLanes) {
    T* const to = out + row * fields;
    if (fields == 2) {
      hn::StoreInterleaved2(load(0, row), load(1, row), d, to);
    } else if (fields == 3) {
      hn::StoreInterleaved3(load(0, row), load(1, row), load(2, row), d, to);
    } else {
      hn::StoreInterleaved4(load(0, row), load(1, row), load(2, row), load(3, row), d, to);
    }
  }
}

// Calls `function` with a value of the type that is `width` bytes wide.
template <class F>
HWY_INLINE void with_width(int width, F&& function) {
  switch (width) {
    case 1:
      return function(uint8_t{});
    case 2:
      return function(uint16_t{});
    case 4:
      return function(uint32_t{});
    default:
      return function(uint64_t{});
  }
}

// The element of each lane at record `first`, or null.
template <class Pointer>
HWY_INLINE void find_lanes(const RecordWindow& window, Pointer const* columns, int64_t first,
                           Pointer* lanes) {
  for (int lane = 0; lane < kWindowBytes / window.width; ++lane) {
    const int field = window.fields[lane];
    lanes[lane] = field == kNoField ? nullptr : columns[field] + first * window.width;
  }
}

template <bool stream>
HWY_INLINE void split_single(const RecordField& field, const std::byte* records, int64_t stride,
                             std::byte* column) {
  const int64_t width = field.size_bytes();
  if (!stream || width > kLine) {
    copy_elements(records + field.offset_bytes, stride, column, width, width, kRecordTile);
    return;
  }
  alignas(kLine) std::byte elements[kRecordTile * kLine];
  copy_elements(records + field.offset_bytes, stride, elements, width, width, kRecordTile);
  write_lines<true>(elements, kRecordTile * width, column);
}

template <bool stream>
void split_all(const SplitWork& work) {
  const int64_t stride = work.layout.stride_bytes();
  const WindowPlan& plan = work.plan;
  for (int64_t tile = 0; tile < work.tiles; ++tile) {
    const int64_t first = tile * kRecordTile;
    const std::byte* const records = work.records + first * stride;
    if (plan.interleaved > 0) {
      with_width(plan.interleaved_width, [&](auto element) HWY_ATTR {
        split_interleaved<decltype(element), stream>(plan.interleaved, records, work.columns, first);
      });
    }
    for (const RecordWindow& window : plan.windows) {
      std::byte* lanes[kWindowBytes];
      find_lanes<std::byte*>(window, work.columns, first, lanes);
      with_width(window.width, [&](auto element) HWY_ATTR {
        split_window<decltype(element), stream>(records + window.offset, stride, lanes);
      });
    }
    for (const int index : plan.single_fields) {
      const RecordField& field = work.layout.fields()[index];
      split_single<stream>(field, records, stride, work.columns[index] + first * field.size_bytes());
    }
  }
  if (stream) {
    hwy::FlushStream();
  }
}

void split_target(const SplitWork& work) {
  work.stream ? split_all<true>(work) : split_all<false>(work);
}

// A tile is put together in the first-level cache and then written as a whole.
void join_target(const JoinWork& work) {
  const int64_t stride = work.layout.stride_bytes();
  const WindowPlan& plan = work.plan;
  const int64_t bytes = kRecordTile * stride;
  std::byte* const scratch = work.tile;
  for (int64_t tile = 0; tile < work.tiles; ++tile) {
    const int64_t first = tile * kRecordTile;
    if (plan.interleaved > 0) {
      with_width(plan.interleaved_width, [&](auto element) HWY_ATTR {
        join_interleaved<decltype(element)>(plan.interleaved, work.columns, first, scratch);
      });
    }
    for (const RecordWindow& window : plan.windows) {
      const std::byte* lanes[kWindowBytes];
      find_lanes<const std::byte*>(window, work.columns, first, lanes);
      with_width(window.width, [&](auto element) HWY_ATTR {
        join_window<decltype(element)>(lanes, stride, scratch + window.offset);
      });
    }
    for (const int index : plan.single_fields) {
      const RecordField& field = work.layout.fields()[index];
      const int64_t width = field.size_bytes();
      copy_elements(work.columns[index] + first * width, width, scratch + field.offset_bytes, stride, width,
                    kRecordTile);
    }
    std::byte* const to = work.records + first * stride;
    work.stream ? write_lines<true>(scratch, bytes, to) : write_lines<false>(scratch, bytes, to);
  }
  if (work.stream) {
    hwy::FlushStream();
  }
}

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace forebay::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::tensor {

HWY_EXPORT(split_target);
HWY_EXPORT(join_target);

void split_tiles(const SplitWork& work) {
  HWY_DYNAMIC_DISPATCH(split_target)(work);
}

void join_tiles(const JoinWork& work) {
  HWY_DYNAMIC_DISPATCH(join_target)(work);
}

}  // namespace forebay::tensor
#endif
