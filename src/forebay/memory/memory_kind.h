// Where bytes are stored.
#pragma once

#include <cstdint>
#include <string_view>

namespace forebay::memory {

enum class MemoryKind : uint8_t {
  kHost,       // ordinary memory
  kPinned,     // page-locked host memory; frameworks see it as CPU memory
  kManaged,    // migrates between host and device
  kDevice,     // device memory; the host must not access it
  kSimulated,  // the simulated device's memory; host access outside its tasks faults
};

/// Whether the host may read and write it directly.
constexpr bool is_host_accessible(MemoryKind kind) {
  return kind <= MemoryKind::kManaged;
}

std::string_view name_of(MemoryKind kind);

}  // namespace forebay::memory
