#include "forebay/pipeline/delivery/batch_kind.h"

namespace forebay::pipeline {
namespace {

std::string words(const SampleKind& kind) {
  const std::string layout =
      kind.layout ? fmt::format(" and the layout '{}'", kind.layout->view()) : std::string();
  return fmt::format("{} with {} dimension{}{}", tensor::name_of(kind.dtype), kind.rank,
                     kind.rank == 1 ? "" : "s", layout);
}

}  // namespace

SampleKind kind_of(const tensor::Tensor& sample) {
  return {sample.dtype(), sample.shape().rank(), std::nullopt};
}

SampleKind kind_with_layout_of(const tensor::Tensor& sample) {
  return {sample.dtype(), sample.shape().rank(), sample.layout()};
}

Status check_one_kind(const std::vector<std::pair<int, SampleKind>>& kinds) {
  for (const auto& [index, kind] : kinds) {
    const auto& [first_index, first] = kinds.front();
    if (kind != first) {
      return invalid_argument("the samples of a batch must have {}: sample {} is {}, sample {} is {}",
                              kind.layout ? "one type, one number of dimensions and one layout"
                                          : "one type and one number of dimensions",
                              first_index, words(first), index, words(kind));
    }
  }
  return ok_status();
}

Status check_one_kind(const std::vector<tensor::Tensor>& samples) {
  std::vector<std::pair<int, SampleKind>> kinds;
  kinds.reserve(samples.size());
  for (const tensor::Tensor& sample : samples) {
    kinds.emplace_back(static_cast<int>(kinds.size()), kind_of(sample));
  }
  return check_one_kind(kinds);
}

}  // namespace forebay::pipeline
