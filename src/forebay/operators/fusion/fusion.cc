#include "forebay/operators/fusion/fusion.h"

#include "forebay/operators/fusion/fused_chain.h"

namespace forebay::operators {
namespace {

const char* name_of_chain(std::span<const FusionStep> steps) {
  const bool has_decode = FusedChain::part_of(steps.front()).decode != nullptr;
  const bool has_normalize = FusedChain::part_of(steps.back()).is_normalize;
  const bool has_resize = steps.size() == 3 || !(has_decode && has_normalize);
  if (!has_decode) {
    return "_fused.resize_normalize";
  }
  if (!has_resize) {
    return "_fused.decode_normalize";
  }
  return has_normalize ? "_fused.decode_resize_normalize" : "_fused.decode_resize";
}

}  // namespace

Fusion fuse(std::span<const FusionStep> chain) {
  const int count = FusedChain::longest(chain);
  if (count < 2) {
    return {};
  }
  Fusion fusion;
  fusion.op = std::make_shared<FusedChain>(chain.first(count));
  fusion.name = name_of_chain(chain.first(count));
  fusion.count = count;
  return fusion;
}

}  // namespace forebay::operators
