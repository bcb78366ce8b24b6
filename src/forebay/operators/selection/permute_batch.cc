// permute_batch: reorders or repeats samples of a batch.
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct PermuteBatch {
  Arg<std::vector<int64_t>> indices;

  Status run_batch(std::span<Sample> samples) const {
    const size_t given = indices.constant().size();
    if (!indices.is_tensor() && given != samples.size() && !samples.empty()) {
      return invalid_argument("{} indices are given for a batch of {} samples", given, samples.size());
    }
    for (size_t i = 0; i < samples.size(); ++i) {
      FOREBAY_RETURN_IF_ERROR(samples[i].named(take(samples, i)));
    }
    return ok_status();
  }

 private:
  Status take(std::span<Sample> samples, size_t i) const {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t from, index_of(samples[i], i));
    const auto count = static_cast<int64_t>(samples.size());
    if (from < 0 || from >= count) {
      return out_of_range("indices[{}] is {}, and the batch has {} samples", i, from, count);
    }
    samples[i].forward(0, samples[static_cast<size_t>(from)].input(0));
    return ok_status();
  }

  Result<int64_t> index_of(const Sample& sample, size_t i) const {
    if (!indices.is_tensor()) {
      return indices.constant()[i];
    }
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers given, indices.values(sample));
    if (given.size() != 1) {
      return invalid_argument("indices must be one number per sample; it has {}", given.size());
    }
    return given[0];
  }
};

}  // namespace

OperatorSpec permute_batch() {
  return describe<PermuteBatch>("permute_batch", "Gives the samples of a batch in another order.")
      .input("data", "The batch.")
      .param("indices", &PermuteBatch::indices,
             "For each place in the batch, the number of the sample that goes there; a list as long as the "
             "batch, or a "
             "tensor with one number a sample. A sample may be taken several times or not at all.")
      .required()
      .outputs("The samples in that order, shared.")
      .matches("DALI permute_batch")
      .build();
}

}  // namespace forebay::operators
