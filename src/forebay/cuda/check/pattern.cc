#include "forebay/cuda/check/pattern.h"

#include <algorithm>

namespace forebay::cuda {
namespace {

constexpr uint32_t kThreads = 256;
constexpr uint32_t kMaxBlocks = 1024;
constexpr size_t kWordBytes = 4;

Result<uint32_t> count_words(size_t bytes) {
  const size_t words = bytes / kWordBytes;
  if (words > UINT32_MAX) {
    return invalid_argument("a pattern of {} bytes; it must be below 16 GiB", bytes);
  }
  return static_cast<uint32_t>(words);
}

LaunchShape shape_for(uint32_t words) {
  const uint32_t blocks = words / kThreads + (words % kThreads != 0 ? 1 : 0);
  return {.blocks = std::clamp(blocks, 1u, kMaxBlocks), .threads = kThreads};
}

}  // namespace

Result<std::unique_ptr<Pattern>> Pattern::load(std::shared_ptr<Device> device) {
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const KernelModule> module,
                           KernelModule::load(device->context(), pattern_image()));
  std::unique_ptr<Pattern> pattern(new Pattern(std::move(device), std::move(module)));
  FOREBAY_ASSIGN_OR_RETURN(pattern->fill_, pattern->module_->function("forebay_fill_pattern"));
  FOREBAY_ASSIGN_OR_RETURN(pattern->add_wrong_, pattern->module_->function("forebay_count_wrong_words"));
  return pattern;
}

Status Pattern::launch(FunctionHandle function, uint32_t queue, uint32_t count, void** arguments) const {
  FOREBAY_ASSIGN_OR_RETURN(const StreamHandle stream, device_->stream_of(queue));
  return module_->launch(function, shape_for(count), stream, arguments);
}

Status Pattern::fill(uint32_t queue, void* memory, size_t bytes, uint32_t seed) const {
  FOREBAY_ASSIGN_OR_RETURN(uint32_t count, count_words(bytes));
  void* arguments[] = {&memory, &count, &seed};
  return launch(fill_, queue, count, arguments);
}

Status Pattern::add_wrong(uint32_t queue, const void* memory, size_t bytes, uint32_t seed,
                          uint32_t* wrong) const {
  FOREBAY_ASSIGN_OR_RETURN(uint32_t count, count_words(bytes));
  void* arguments[] = {&memory, &count, &seed, &wrong};
  return launch(add_wrong_, queue, count, arguments);
}

}  // namespace forebay::cuda
