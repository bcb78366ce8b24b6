// The structures of Arrow's C Data, C Stream and C Device Data interfaces as laid out in memory
// (specification: arrow.apache.org/docs/format/CDataInterface.html, CStreamInterface.html,
// CDeviceDataInterface.html). The producer sets `release`; in a released structure it is null. Structures may
// be moved by copying their bytes.
#pragma once

#include <cstdint>
#include <utility>

namespace forebay::exchange::arrow {

inline constexpr int64_t kFlagDictionaryOrdered = 1;
inline constexpr int64_t kFlagNullable = 2;
inline constexpr int64_t kFlagMapKeysSorted = 4;

struct Schema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  Schema** children;
  Schema* dictionary;
  void (*release)(Schema*);
  void* private_data;
};

struct Array {
  int64_t length;
  int64_t null_count;  // -1: not counted
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  Array** children;
  Array* dictionary;
  void (*release)(Array*);
  void* private_data;
};

/// Functions return 0 or an errno; not thread safe. An array without `release` marks the end.
struct Stream {
  int (*get_schema)(Stream*, Schema* out);
  int (*get_next)(Stream*, Array* out);
  const char* (*get_last_error)(Stream*);
  void (*release)(Stream*);
  void* private_data;
};

struct DeviceArray {
  Array array;
  int64_t device_id;    // -1 for the CPU
  int32_t device_type;  // same values as DLPack's
  void* sync_event;     // CUDA: a cudaEvent_t*; null: the content is ready
  int64_t reserved[3];
};

/// All arrays are on one device type.
struct DeviceStream {
  int32_t device_type;
  int (*get_schema)(DeviceStream*, Schema* out);
  int (*get_next)(DeviceStream*, DeviceArray* out);
  const char* (*get_last_error)(DeviceStream*);
  void (*release)(DeviceStream*);
  void* private_data;
};

template <class T>
void release(T& structure) {
  if (structure.release != nullptr) {
    structure.release(&structure);
  }
}
inline void release(DeviceArray& structure) {
  release(structure.array);
}

template <class T>
void forget(T& structure) {
  structure.release = nullptr;
}
inline void forget(DeviceArray& structure) {
  structure.array.release = nullptr;
}

/// Owns a structure and releases it at the end of its life unless it was moved on.
template <class T>
class Owned {
 public:
  Owned() = default;
  /// Moves the content out of `from`, which then counts as released.
  explicit Owned(T* from) : structure_(*from) { forget(*from); }
  Owned(Owned&& other) noexcept : structure_(other.structure_) { forget(other.structure_); }
  Owned& operator=(Owned&& other) noexcept {
    std::swap(structure_, other.structure_);
    return *this;
  }
  ~Owned() { release(structure_); }

  T* get() { return &structure_; }
  T* operator->() { return &structure_; }
  const T* operator->() const { return &structure_; }
  T& operator*() { return structure_; }
  const T& operator*() const { return structure_; }
  /// Moves the content to `out`.
  void move_to(T* out) {
    *out = structure_;
    forget(structure_);
  }

 private:
  T structure_{};
};

}  // namespace forebay::exchange::arrow
