#include "forebay/pipeline/jobs/batch_kind.h"

namespace forebay::pipeline {
namespace {

std::string words(const SampleKind& kind) {
  const std::string layout =
      kind.layout ? fmt::format(" and the layout '{}'", kind.layout->view()) : std::string();
  return fmt::format("{} with {} dimension{}{}", tensor::name_of(kind.dtype), kind.rank,
                     kind.rank == 1 ? "" : "s", layout);
}

Status two_kinds(const std::pair<int, SampleKind>& one, const std::pair<int, SampleKind>& other) {
  return invalid_argument("the samples of a batch must have {}: sample {} is {}, sample {} is {}",
                          one.second.layout ? "one type, one number of dimensions and one layout"
                                            : "one type and one number of dimensions",
                          one.first, words(one.second), other.first, words(other.second));
}

}  // namespace

SampleKind kind_of(const tensor::Tensor& sample) {
  return {sample.dtype(), sample.shape().rank(), std::nullopt};
}

SampleKind kind_with_layout_of(const tensor::Tensor& sample) {
  return {sample.dtype(), sample.shape().rank(), sample.layout()};
}

Status check_one_kind(const std::vector<std::pair<int, SampleKind>>& kinds) {
  for (const auto& given : kinds) {
    if (given.second != kinds.front().second) {
      return two_kinds(kinds.front(), given);
    }
  }
  return ok_status();
}

Status check_one_kind(const std::vector<tensor::Tensor>& samples) {
  for (size_t index = 1; index < samples.size(); ++index) {
    if (kind_of(samples[index]) != kind_of(samples[0])) {
      return two_kinds({0, kind_of(samples[0])}, {static_cast<int>(index), kind_of(samples[index])});
    }
  }
  return ok_status();
}

}  // namespace forebay::pipeline
