#include "forebay/cuda/driver/context.h"

#include "forebay/cuda/driver/error.h"

namespace forebay::cuda {

Result<std::shared_ptr<const Context>> Context::open(int number) {
  FOREBAY_ASSIGN_OR_RETURN(const DriverFunctions* functions, driver_functions());
  FOREBAY_ASSIGN_OR_RETURN(DeviceFacts facts, describe_device(number));
  std::shared_ptr<Context> context(new Context(*functions, std::move(facts)));
  FOREBAY_RETURN_IF_ERROR(context->status(functions->device_get(&context->device_, number), "a device"));
  FOREBAY_RETURN_IF_ERROR(
      context->status(functions->context_retain(&context->handle_, context->device_), "context of a device"));
  return context;
}

Context::~Context() {
  if (handle_ != nullptr) {
    functions_.context_release(device_);
  }
}

Status Context::status(int error, std::string_view what) const {
  return status_of(functions_, error, what);
}

ContextScope::ContextScope(const Context& context)
    : functions_(context.functions_), is_pushed_(functions_.context_push(context.handle_) == kSuccess) {
}

ContextScope::~ContextScope() {
  if (is_pushed_) {
    ContextHandle popped = nullptr;
    functions_.context_pop(&popped);
  }
}

}  // namespace forebay::cuda
