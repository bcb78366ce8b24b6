#include "forebay/memory/memory_kind.h"

namespace forebay::memory {

std::string_view name_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kHost:
      return "host";
    case MemoryKind::kPinned:
      return "pinned";
    case MemoryKind::kManaged:
      return "managed";
    case MemoryKind::kDevice:
      return "device";
    case MemoryKind::kSimulated:
      return "simulated";
  }
  return "unknown";
}

}  // namespace forebay::memory
