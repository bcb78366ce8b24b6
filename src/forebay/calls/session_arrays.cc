#include "forebay/calls/session_arrays.h"

#include <string_view>
#include <vector>

#include "forebay/ndarray/runtime.h"

namespace forebay::calls {
namespace {

using ndarray::Array;
using ndarray::Arrays;
using ndarray::ArraySpec;
using ndarray::Region;
using pipeline::Delivery;

constexpr std::string_view kWhatToDo =
    "give all samples of all batches one shape (sound by fn.pad with `shape`, pictures by fn.resize), fill "
    "the last batch up, or take batches by run()";

Status adopt(const tensor::Batch& batch, size_t output, const Region& region) {
  const Result<tensor::Tensor> tensor = batch.stacked();
  if (!tensor.ok()) {
    const Status error = annotate(tensor.status(), fmt::format("output {} as one array", output));
    return error.code() == StatusCode::kInvalidArgument
               ? invalid_argument("{}; {}", message(error), kWhatToDo)
               : error;
  }
  const ArraySpec come{tensor->shape(), tensor->dtype()};
  if (!(come == region.spec)) {
    return invalid_argument("output {} is {}, and the array was promised as {}; {}", output, come.to_string(),
                            region.spec.to_string(), kWhatToDo);
  }
  region.storage->adopt(tensor->buffer(), tensor->offset_bytes());
  return ok_status();
}

Status adopt_all(const Result<Delivery>& delivery, std::span<const Region> regions) {
  FOREBAY_RETURN_IF_ERROR(delivery.status());
  for (size_t i = 0; i < regions.size(); ++i) {
    FOREBAY_RETURN_IF_ERROR(adopt(delivery->outputs[i], i, regions[i]));
  }
  return ok_status();
}

}  // namespace

Result<Arrays> run_arrays(pipeline::Session& session, std::span<const ArraySpec> specs,
                          const std::function<bool()>& interrupted, std::shared_ptr<const void> kept) {
  if (specs.size() != session.plan().outputs().size()) {
    return invalid_argument("{} specs for {} outputs", specs.size(), session.plan().outputs().size());
  }
  Arrays arrays;
  std::vector<Region> regions;
  std::vector<engine::Variable> writes;
  for (const ArraySpec& spec : specs) {
    FOREBAY_ASSIGN_OR_RETURN(Array array, Array::create(spec));
    regions.push_back(array.region());
    writes.push_back(array.region().storage->variable());
    arrays.push_back(std::move(array));
  }
  if (ndarray::runtime().is_naive) {
    FOREBAY_RETURN_IF_ERROR(adopt_all(session.run(interrupted), regions));
    return arrays;
  }
  FOREBAY_RETURN_IF_ERROR(session.run_later(
      writes,
      [regions, kept = std::move(kept)](Result<Delivery> delivery) { return adopt_all(delivery, regions); }));
  return arrays;
}

}  // namespace forebay::calls
