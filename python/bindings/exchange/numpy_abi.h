// The parts of NumPy's C API that are used (numpy.org/doc/stable/reference/c-api: "Memory management in
// NumPy", NEP 49) as it lies in memory. It is looked up when it is used: neither the build nor the import of
// the module needs NumPy. Names of fields are NumPy's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebay::bindings::numpy {

inline constexpr char kHandlerCapsule[] = "mem_handler";
inline constexpr uint8_t kHandlerVersion = 1;
inline constexpr unsigned kFirstFeatureVersion = 0xf;  // NumPy 1.22 is the first that has handlers

// Places in the table behind the capsule `_ARRAY_API`, the same in all versions.
inline constexpr size_t kFeatureVersionSlot = 211;
inline constexpr size_t kSetHandlerSlot = 304;
inline constexpr size_t kGetHandlerSlot = 305;

struct Allocator {
  void* ctx;
  void* (*malloc)(void* ctx, size_t size);
  void* (*calloc)(void* ctx, size_t nelem, size_t elsize);
  void* (*realloc)(void* ctx, void* ptr, size_t new_size);
  void (*free)(void* ctx, void* ptr, size_t size);
};

/// What a capsule "mem_handler" holds. Every array keeps the capsule it was made with.
struct Handler {
  char name[127];
  uint8_t version;
  Allocator allocator;
};

}  // namespace forebay::bindings::numpy
