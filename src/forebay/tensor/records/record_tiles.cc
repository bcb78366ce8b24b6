// The kernels of split_records and join_records. An n x n transposition of 16-byte rows of n elements is
// log2(n) perfect shuffles, each of which interleaves row i with row i + n/2. Vectors of 32 bytes do two at
// once.
#include "forebay/tensor/records/record_windows.h"

#include <algorithm>
#include <utility>

#include "forebay/tensor/records/convert_records.h"

#if !defined(__x86_64__)
// Arrays cannot hold vectors of unknown size.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/tensor/records/record_tiles.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace forebay::tensor {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // no vectors: one field at a time

void split_target(const SplitWork& work) {
  const int64_t stride = work.layout.stride_bytes();
  for (int i = 0; i < work.layout.field_count(); ++i) {
    const RecordField& field = work.layout.fields()[i];
    const int64_t width = field.size_bytes();
    if (work.columns[i] != nullptr) {
      copy_elements(work.records + field.offset_bytes, stride, work.columns[i], width, width, work.count);
    }
  }
}

void join_target(const JoinWork& work) {
  const int64_t stride = work.layout.stride_bytes();
  std::fill_n(work.records, work.count * stride, std::byte{0});
  for (int i = 0; i < work.layout.field_count(); ++i) {
    const RecordField& field = work.layout.fields()[i];
    const int64_t width = field.size_bytes();
    if (work.columns[i] != nullptr) {
      copy_elements(work.columns[i], width, work.records + field.offset_bytes, stride, width, work.count);
    }
  }
}

#else

constexpr int64_t kSplitDistance = 4096;  // bytes of records
constexpr int64_t kJoinDistance = 1024;   // bytes of a column

#if HWY_TARGET <= HWY_AVX2
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif
constexpr int kBlocks = kVectorBytes / kWindowBytes;  // windows per vector

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

// Loads the block at `from` and, for vectors of two, the one at `next`.
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

// Whether prefetching with a non-temporal hint is faster. On AMD's processors it gains 7 %, while Intel's
// fetch such lines at little more than half the speed.
HWY_INLINE bool is_read_once_cheap() {
#if defined(__x86_64__)
  static const bool is_amd = __builtin_cpu_is("amd") != 0;
  return is_amd;
#else
  return false;
#endif
}

// What to prefetch, and how many bytes of it while one record is moved.
struct Ahead {
  const std::byte* at;
  int64_t bytes_per_record;

  HWY_INLINE void fetch(int64_t records) {
    const std::byte* const end = at + records * bytes_per_record;
    for (; at < end; at += kCacheLineBytes) {
      if (is_read_once_cheap()) {
        __builtin_prefetch(at, 0, 0);
      } else {
        __builtin_prefetch(at, 0, 3);
      }
    }
  }
};

// Stores a whole cache line of a column: lane `lane` of each set of rows.
template <class T, bool stream, size_t... set>
HWY_INLINE void store_line(const hn::Vec<Vector<T> > (&rows)[sizeof...(set)][kWindowBytes / sizeof(T)],
                           size_t lane, std::byte* column, int64_t offset, std::index_sequence<set...>) {
  if (column == nullptr) {
    return;
  }
  T* const to = reinterpret_cast<T*>(column + offset);
  (store<stream>(Vector<T>(), rows[set][lane], to + set * (kVectorBytes / sizeof(T))), ...);
}

template <class T, size_t... set>
HWY_INLINE void load_transposed(const std::byte* from, int64_t stride,
                                hn::Vec<Vector<T> > (&rows)[sizeof...(set)][kWindowBytes / sizeof(T)],
                                std::index_sequence<set...>) {
  constexpr size_t kLanes = kWindowBytes / sizeof(T);
  constexpr auto kEach = std::make_index_sequence<kLanes>();
  (load_rows<T>(from + set * kBlocks * kLanes * stride, stride, rows[set], kEach), ...);
  (transpose<T>(rows[set]), ...);
}

template <class T, bool stream, size_t... lane>
HWY_INLINE void split_lines(const std::byte* from, int64_t stride, std::byte* const* lanes, int64_t offset,
                            std::index_sequence<lane...>) {
  constexpr auto kSets = std::make_index_sequence<kCacheLineBytes / kVectorBytes>();
  hn::Vec<Vector<T> > rows[kSets.size()][sizeof...(lane)];
  load_transposed<T>(from, stride, rows, kSets);
  (store_line<T, stream>(rows, lane, lanes[lane], offset, kSets), ...);
}

// Splits one window of `count` records: for each cache line of the columns, all rows that fill it.
template <class T, bool stream>
HWY_NOINLINE void split_window(const std::byte* records, int64_t stride, std::byte* const* lanes,
                               int64_t count, Ahead ahead) {
  constexpr int64_t kStep = kCacheLineBytes / sizeof(T);  // records
  constexpr auto kLanes = std::make_index_sequence<kWindowBytes / sizeof(T)>();
  for (int64_t first = 0; first < count; first += kStep) {
    ahead.fetch(kStep);
    split_lines<T, stream>(records + first * stride, stride, lanes, first * sizeof(T), kLanes);
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

template <class T, size_t... lane>
HWY_INLINE void join_blocks(const std::byte* const* lanes, int64_t offset, int64_t stride, std::byte* to,
                            std::index_sequence<lane...>) {
  const Vector<T> d;
  hn::Vec<Vector<T> > rows[sizeof...(lane)] = {
      (lanes[lane] == nullptr ? hn::Zero(d)
                              : hn::LoadU(d, reinterpret_cast<const T*>(lanes[lane] + offset)))...};
  transpose<T>(rows);
  // In record order: bytes that one record stores past its end belong to the next, which is stored after it.
  ((store_block<T>(rows[lane], 0, to), to += stride), ...);
  if constexpr (kBlocks == 2) {
    ((store_block<T>(rows[lane], 1, to), to += stride), ...);
  }
}

template <class T>
HWY_NOINLINE void join_window(const std::byte* const* lanes, int64_t stride, std::byte* records,
                              int64_t count) {
  constexpr auto kLanes = std::make_index_sequence<kWindowBytes / sizeof(T)>();
  constexpr int64_t kStep = kVectorBytes / sizeof(T);
  for (int64_t first = 0; first < count; first += kStep) {
    const int64_t offset = first * sizeof(T);
    if (offset % kCacheLineBytes == 0) {
      for (size_t lane = 0; lane < kLanes.size(); ++lane) {
        hwy::Prefetch(lanes[lane] == nullptr ? nullptr : lanes[lane] + offset + kJoinDistance);
      }
    }
    join_blocks<T>(lanes, offset, stride, records + first * stride, kLanes);
  }
}

template <bool stream>
HWY_INLINE void write_lines(const std::byte* from, int64_t bytes, std::byte* to) {
  const Vector<uint8_t> d;
  const auto* const in = reinterpret_cast<const uint8_t*>(from);
  auto* const out = reinterpret_cast<uint8_t*>(to);
  for (int64_t at = 0; at < bytes; at += kCacheLineBytes) {
    for (int64_t part = 0; part < kCacheLineBytes; part += kVectorBytes) {
      store<stream>(d, hn::LoadU(d, in + at + part), out + at + part);
    }
  }
}

template <int fields, class T>
HWY_INLINE void load_interleaved(const T* from, hn::Vec<Vector<T> >* values) {
  const Vector<T> d;
  if constexpr (fields == 2) {
    hn::LoadInterleaved2(d, from, values[0], values[1]);
  } else if constexpr (fields == 3) {
    hn::LoadInterleaved3(d, from, values[0], values[1], values[2]);
  } else {
    hn::LoadInterleaved4(d, from, values[0], values[1], values[2], values[3]);
  }
}

template <class T, bool stream, size_t... set>
HWY_INLINE void store_sets(const hn::Vec<Vector<T> >* const (&sets)[sizeof...(set)], size_t field, T* to,
                           std::index_sequence<set...>) {
  (store<stream>(Vector<T>(), sets[set][field], to + set * (kVectorBytes / sizeof(T))), ...);
}

// Writes one cache line of every column.
template <class T, bool stream, size_t... field, size_t... set>
HWY_INLINE void split_interleaved_lines(const T* from, T* const* columns, int64_t row,
                                        std::index_sequence<field...>, std::index_sequence<set...> each_set) {
  constexpr int kFields = sizeof...(field);
  constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  hn::Vec<Vector<T> > values[sizeof...(set)][kFields];
  (load_interleaved<kFields>(from + set * kLanes * kFields, values[set]), ...);
  const hn::Vec<Vector<T> >* const sets[] = {values[set]...};
  (store_sets<T, stream>(sets, field, columns[field] + row, each_set), ...);
}

template <class T, bool stream, int fields>
HWY_NOINLINE void split_interleaved(const std::byte* records, std::byte* const* columns, int64_t first,
                                    int64_t count, Ahead ahead) {
  constexpr auto kFields = std::make_index_sequence<fields>();
  constexpr auto kSets = std::make_index_sequence<kCacheLineBytes / kVectorBytes>();
  constexpr int64_t kStep = kCacheLineBytes / sizeof(T);
  T* to[fields];
  for (int field = 0; field < fields; ++field) {
    to[field] = reinterpret_cast<T*>(columns[field]) + first;
  }
  const T* const from = reinterpret_cast<const T*>(records);
  for (int64_t row = 0; row < count; row += kStep) {
    ahead.fetch(kStep);
    split_interleaved_lines<T, stream>(from + row * fields, to, row, kFields, kSets);
  }
}

template <class T>
HWY_NOINLINE void join_interleaved(int fields, const std::byte* const* columns, int64_t first, int64_t count,
                                   std::byte* records) {
  const Vector<T> d;
  constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  T* const out = reinterpret_cast<T*>(records);
  const auto load = [&](int field, int64_t row) HWY_ATTR {
    return hn::LoadU(d, reinterpret_cast<const T*>(columns[field]) + first + row);
  };
  for (int64_t row = 0; row < count; row += kLanes) {
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

// Calls `function` with a value of the type that has `width` bytes.
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

// Finds the element of each lane at record `first`, or null.
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
                             std::byte* column, int64_t count) {
  const int64_t width = field.size_bytes();
  if (!stream || width > kCacheLineBytes) {
    copy_elements(records + field.offset_bytes, stride, column, width, width, count);
    return;
  }
  alignas(kCacheLineBytes) std::byte elements[kRecordTile * kCacheLineBytes];
  for (int64_t first = 0; first < count; first += kRecordTile) {
    copy_elements(records + first * stride + field.offset_bytes, stride, elements, width, width, kRecordTile);
    write_lines<true>(elements, kRecordTile * width, column + first * width);
  }
}

template <bool stream>
void split_range(const SplitWork& work, int64_t first, int64_t count) {
  const int64_t stride = work.layout.stride_bytes();
  const WindowPlan& plan = work.plan;
  const std::byte* const records = work.records + first * stride;
  // Prefetching far enough ahead doubles the speed; every window prefetches its share.
  const std::byte* ahead = records + std::max(kSplitDistance, count * stride);
  if (plan.interleaved > 0) {
    with_width(plan.interleaved_width, [&](auto element) HWY_ATTR {
      using T = decltype(element);
      const auto split = plan.interleaved == 2   ? split_interleaved<T, stream, 2>
                         : plan.interleaved == 3 ? split_interleaved<T, stream, 3>
                                                 : split_interleaved<T, stream, 4>;
      split(records, work.columns, first, count, {ahead, stride});
    });
  }
  const int64_t share = plan.windows.empty() ? 0 : stride / static_cast<int64_t>(plan.windows.size());
  for (const RecordWindow& window : plan.windows) {
    std::byte* lanes[kWindowBytes];
    find_lanes<std::byte*>(window, work.columns, first, lanes);
    with_width(window.width, [&](auto element) HWY_ATTR {
      split_window<decltype(element), stream>(records + window.offset, stride, lanes, count, {ahead, share});
    });
    ahead += count * share;
  }
  for (const int index : plan.single_fields) {
    const RecordField& field = work.layout.fields()[index];
    split_single<stream>(field, records, stride, work.columns[index] + first * field.size_bytes(), count);
  }
}

void split_target(const SplitWork& work) {
  const int64_t step = records_at_once(work.layout);
  for (int64_t first = 0; first < work.count; first += step) {
    const int64_t count = std::min(step, work.count - first);
    work.stream ? split_range<true>(work, first, count) : split_range<false>(work, first, count);
  }
  if (work.stream) {
    hwy::FlushStream();
  }
}

// Records are assembled in the cache, some at a time, and then written as a whole.
void join_range(const JoinWork& work, int64_t first, int64_t count) {
  const int64_t stride = work.layout.stride_bytes();
  const WindowPlan& plan = work.plan;
  if (plan.interleaved > 0) {
    with_width(plan.interleaved_width, [&](auto element) HWY_ATTR {
      join_interleaved<decltype(element)>(plan.interleaved, work.columns, first, count, work.scratch);
    });
  }
  for (const RecordWindow& window : plan.windows) {
    const std::byte* lanes[kWindowBytes];
    find_lanes<const std::byte*>(window, work.columns, first, lanes);
    with_width(window.width, [&](auto element) HWY_ATTR {
      join_window<decltype(element)>(lanes, stride, work.scratch + window.offset, count);
    });
  }
  for (const int index : plan.single_fields) {
    const RecordField& field = work.layout.fields()[index];
    const int64_t width = field.size_bytes();
    copy_elements(work.columns[index] + first * width, width, work.scratch + field.offset_bytes, stride,
                  width, count);
  }
  std::byte* const to = work.records + first * stride;
  work.stream ? write_lines<true>(work.scratch, count * stride, to)
              : write_lines<false>(work.scratch, count * stride, to);
}

void join_target(const JoinWork& work) {
  const int64_t step = records_at_once(work.layout);
  for (int64_t first = 0; first < work.count; first += step) {
    join_range(work, first, std::min(step, work.count - first));
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
