#include "forebay/operators/testing/augment_conformance_cases.h"

#include <string>
#include <utility>

namespace forebay::operators::testing {
namespace {

TensorOfSample image_to_augment(DType dtype) {
  return [dtype](uint64_t sample) { return noise({{8, 9, 3}, dtype, "HWC"}, sample); };
}

template <class T>
TensorOfSample each_by_sample(std::vector<std::vector<T>> rows) {
  return [rows = std::move(rows)](uint64_t sample) {
    const std::vector<T>& row = rows[sample % rows.size()];
    return *Tensor::copy_of<T>(row, {static_cast<int64_t>(row.size())});
  };
}

}  // namespace

std::vector<ConformanceCase> augment_conformance_cases() {
  std::vector<ConformanceCase> cases;
  for (const DType dtype : {DType::kUint8, DType::kFloat}) {
    cases.push_back(
        {"experimental.augment",
         dtype == DType::kUint8 ? "bytes" : "floats",
         {{"fill_value", 0.25}},
         {image_to_augment(dtype)},
         {{"operations", each_by_sample<int32_t>({{1, 2, 3}, {4, 0, 5}, {17, 6, 13}, {0, 0, 0}})},
          {"amounts", each_by_sample<float>({{1.5f, 0.5f, 2}, {0.2f, 0, 3}, {30, 3, 0.2f}, {0, 0, 0}})},
          {"order", each_by_sample<float>({{0.5f, 0.25f, 0.75f}, {3, 2, 1}})}}});
  }
  for (int64_t operation = 0; operation < 18; ++operation) {
    cases.push_back({"experimental.augment",
                     "operation " + std::to_string(operation),
                     {{"operations", std::vector<int64_t>{operation, 10}},
                      {"amounts", std::vector<double>{0.5, 0}},
                      {"interp_type", int64_t{1}}},
                     {image_to_augment(DType::kUint8)},
                     {}});
  }
  return cases;
}

}  // namespace forebay::operators::testing
