#include "forebay/cuda/memory/resources.h"

#include <algorithm>

#include "forebay/cuda/driver/error.h"
#include "forebay/memory/last_use.h"

namespace forebay::cuda {
namespace {

int allocate_device(const DriverFunctions& functions, size_t bytes, void** pointer) {
  Address address = 0;
  const int error = functions.memory_allocate(&address, bytes);
  *pointer = reinterpret_cast<void*>(address);
  return error;
}

int allocate_pinned(const DriverFunctions& functions, size_t bytes, void** pointer) {
  return functions.host_allocate(pointer, bytes, kHostMemoryPortable);
}

int allocate_managed(const DriverFunctions& functions, size_t bytes, void** pointer) {
  Address address = 0;
  const int error = functions.managed_allocate(&address, bytes, kManagedForAll);
  *pointer = reinterpret_cast<void*>(address);
  return error;
}

void free_memory(const DriverFunctions& functions, void* pointer) {
  functions.memory_free(reinterpret_cast<Address>(pointer));
}

void free_pinned(const DriverFunctions& functions, void* pointer) {
  functions.host_free(pointer);
}

/// The differences between the three kinds.
struct Kind {
  memory::MemoryKind kind;
  std::string_view name;
  int (*allocate)(const DriverFunctions& functions, size_t bytes, void** pointer);
  void (*free)(const DriverFunctions& functions, void* pointer);
};

class DriverResource final : public memory::MemoryResource {
 public:
  DriverResource(std::shared_ptr<Device> device, const Kind& kind)
      : device_(std::move(device)), kind_(kind) {}

  Result<void*> allocate(size_t bytes) override {
    if (bytes > kMaxRequestBytes) {
      return resource_exhausted("no machine has {} bytes of {} memory", bytes, kind_.name);
    }
    const Context& context = *device_->context();
    const ContextScope scope(context);
    void* pointer = nullptr;
    const int error = kind_.allocate(context.functions(), std::max(bytes, memory::kAlignment), &pointer);
    if (error == kErrorOutOfMemory) {
      return resource_exhausted("CUDA device {} could not provide {} bytes of {} memory",
                                device_->facts().number, bytes, kind_.name);
    }
    FOREBAY_RETURN_IF_ERROR(context.status(error, kind_.name));
    return pointer;
  }

  void deallocate(void* pointer, size_t, Fence last_use) noexcept override {
    memory::give_back_after(last_use, [device = device_, free = kind_.free, pointer] {
      const Context& context = *device->context();
      const ContextScope scope(context);
      free(context.functions(), pointer);
    });
  }

  memory::MemoryKind kind() const override { return kind_.kind; }
  std::string_view name() const override { return kind_.name; }

 private:
  const std::shared_ptr<Device> device_;
  const Kind kind_;
};

}  // namespace

std::shared_ptr<memory::MemoryResource> device_resource(std::shared_ptr<Device> device) {
  const Kind kind{memory::MemoryKind::kDevice, "device", allocate_device, free_memory};
  return std::make_shared<DriverResource>(std::move(device), kind);
}

std::shared_ptr<memory::MemoryResource> pinned_resource(std::shared_ptr<Device> device) {
  const Kind kind{memory::MemoryKind::kPinned, "pinned", allocate_pinned, free_pinned};
  return std::make_shared<DriverResource>(std::move(device), kind);
}

std::shared_ptr<memory::MemoryResource> managed_resource(std::shared_ptr<Device> device) {
  const Kind kind{memory::MemoryKind::kManaged, "managed", allocate_managed, free_memory};
  return std::make_shared<DriverResource>(std::move(device), kind);
}

}  // namespace forebay::cuda
