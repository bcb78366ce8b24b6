// Where bytes live.
#pragma once

#include <cstdint>
#include <string_view>

namespace forebay::memory {

enum class MemoryKind : uint8_t {
  kHost,       // ordinary memory
  kPinned,     // page-locked host memory; exported to frameworks as CPU memory
  kManaged,    // migrates between host and device
  kDevice,     // a device's own; the host may not touch it
  kSimulated,  // the simulated device's; a host access outside its tasks faults
};

/// True when the host may read and write it directly.
constexpr bool is_host_accessible(MemoryKind kind) {
  return kind <= MemoryKind::kManaged;
}

std::string_view name_of(MemoryKind kind);

}  // namespace forebay::memory
