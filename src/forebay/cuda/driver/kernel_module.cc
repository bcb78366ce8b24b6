#include "forebay/cuda/driver/kernel_module.h"

namespace forebay::cuda {

Result<std::shared_ptr<const KernelModule>> KernelModule::load(std::shared_ptr<const Context> context,
                                                               KernelImage image) {
  if (image.data == nullptr) {
    return failed_precondition("this build has no CUDA kernels; `make cuda` builds them");
  }
  std::shared_ptr<KernelModule> module(new KernelModule(context));
  const ContextScope scope(*context);
  FOREBAY_RETURN_IF_ERROR(context->status(context->functions().module_load(&module->handle_, image.data),
                                          "loading CUDA kernels"));
  return module;
}

KernelModule::~KernelModule() {
  if (handle_ != nullptr) {
    const ContextScope scope(*context_);
    context_->functions().module_unload(handle_);
  }
}

Result<FunctionHandle> KernelModule::function(const char* name) const {
  const ContextScope scope(*context_);
  FunctionHandle function = nullptr;
  FOREBAY_RETURN_IF_ERROR(
      context_->status(context_->functions().module_function(&function, handle_, name), name));
  return function;
}

Status KernelModule::launch(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
                            void** arguments) const {
  const ContextScope scope(*context_);
  const int error = context_->functions().launch(function, shape.blocks, 1, 1, shape.threads, 1, 1, 0, stream,
                                                 arguments, nullptr);
  return context_->status(error, "launching a CUDA kernel");
}

}  // namespace forebay::cuda
