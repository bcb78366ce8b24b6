// permute_batch: reorders or repeats samples of a batch.
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct PermuteBatch {
  Arg<std::vector<int64_t>> indices;

  Status run_batch(std::span<Sample> samples) const {
    const auto count = static_cast<int64_t>(samples.size());
    for (int64_t i = 0; i < count; ++i) {
      FOREBAY_ASSIGN_OR_RETURN(const int64_t from, index_of(samples, i));
      if (from < 0 || from >= count) {
        return out_of_range("indices[{}] is {}, and the batch has {} samples", i, from, count);
      }
      samples[i].forward(0, samples[from].input(0));
    }
    return ok_status();
  }

 private:
  Result<int64_t> index_of(std::span<Sample> samples, int64_t i) const {
    if (indices.is_tensor()) {
      FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> given, indices.get(samples[i]));
      if (given.size() != 1) {
        return invalid_argument("indices must be one number per sample; sample {} has {}", i, given.size());
      }
      return given[0];
    }
    const std::vector<int64_t>& given = indices.constant();
    if (given.size() != samples.size()) {
      return invalid_argument("{} indices are given for a batch of {} samples", given.size(), samples.size());
    }
    return given[i];
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
