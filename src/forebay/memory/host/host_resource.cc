#include <cstdlib>

#include "forebay/base/round_up.h"
#include "forebay/memory/last_use.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {
namespace {

// Far more than a machine has. Sanitizers abort the process if the C library is asked for that much.
constexpr size_t kMaxHostBytes = size_t{1} << 40;

class HostResource final : public MemoryResource {
 public:
  Result<void*> allocate(size_t bytes) override {
    const size_t rounded = round_up(bytes, kAlignment);
    void* pointer =
        bytes > kMaxHostBytes ? nullptr : std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded);
    if (pointer == nullptr) {
      return resource_exhausted("the system could not provide {} bytes of host memory", bytes);
    }
    return pointer;
  }

  void deallocate(void* pointer, size_t, Fence last_use) noexcept override {
    give_back_after(last_use, [pointer] { std::free(pointer); });
  }
  MemoryKind kind() const override { return MemoryKind::kHost; }
  std::string_view name() const override { return "host"; }
};

}  // namespace

std::shared_ptr<MemoryResource> host_resource() {
  // Never destroyed: buffers may outlive the process's statics.
  static const auto& resource = *new std::shared_ptr<MemoryResource>(std::make_shared<HostResource>());
  return resource;
}

}  // namespace forebay::memory
