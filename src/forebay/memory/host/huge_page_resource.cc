#include "forebay/memory/host/huge_page_resource.h"

#include <algorithm>
#include <limits>

#include "forebay/base/round_up.h"
#include "forebay/memory/host/pages.h"
#include "forebay/memory/last_use.h"

namespace forebay::memory {
namespace {

size_t rounded(size_t bytes) {
  return std::max(kPageBytes, round_up(bytes, kPageBytes));
}

class HugePageResource final : public MemoryResource {
 public:
  Result<void*> allocate(size_t bytes) override {
    const bool is_possible = bytes < std::numeric_limits<size_t>::max() / 2;
    void* pointer = is_possible ? map_pages(rounded(bytes), /*huge=*/true) : nullptr;
    if (pointer == nullptr) {
      return resource_exhausted("the system could not provide {} bytes of host memory", bytes);
    }
    return pointer;
  }

  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
    give_back_after(last_use, [pointer, bytes] { unmap_pages(pointer, rounded(bytes)); });
  }

  MemoryKind kind() const override { return MemoryKind::kHost; }
  std::string_view name() const override { return "huge pages"; }
};

}  // namespace

std::shared_ptr<MemoryResource> huge_page_resource() {
  static const auto& resource = *new std::shared_ptr<MemoryResource>(std::make_shared<HugePageResource>());
  return resource;
}

}  // namespace forebay::memory
