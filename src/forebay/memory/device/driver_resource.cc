#include "forebay/memory/device/driver_resource.h"

#include "forebay/memory/device_driver.h"
#include "forebay/memory/last_use.h"

namespace forebay::memory {
namespace {

class DriverResource final : public MemoryResource {
 public:
  DriverResource(uint32_t driver, MemoryKind kind) : driver_(driver), kind_(kind) {}

  Result<void*> allocate(size_t bytes) override {
    const DeviceDriver* table = find_driver(driver_);
    if (table == nullptr) {
      return failed_precondition("there is no device driver {} any more", driver_);
    }
    void* pointer = nullptr;
    const int error = table->allocate(table->context, bytes, &pointer);
    if (error < 0) {
      return resource_exhausted("{} bytes of driver '{}': {}", bytes, table->name,
                                table->error_text(table->context, error));
    }
    return pointer;
  }

  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
    give_back_after(last_use, [driver = driver_, pointer, bytes] {
      const DeviceDriver* const table = find_driver(driver);
      if (table != nullptr) {
        table->deallocate(table->context, pointer, bytes);
      }
    });
  }

  MemoryKind kind() const override { return kind_; }
  std::string_view name() const override { return "driver"; }

 private:
  const uint32_t driver_;
  const MemoryKind kind_;
};

}  // namespace

Result<std::shared_ptr<MemoryResource>> driver_resource(uint32_t driver, MemoryKind kind) {
  if (find_driver(driver) == nullptr) {
    return failed_precondition("there is no device driver {}", driver);
  }
  return std::make_shared<DriverResource>(driver, kind);
}

}  // namespace forebay::memory
