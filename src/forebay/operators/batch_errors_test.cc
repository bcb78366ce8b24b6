// Errors of operators that have a whole batch, for every row of that scope: they name the sample that is to
// blame.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <optional>
#include <set>

#include "forebay/operators/testing/conformance_cases.h"
#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {
namespace {

constexpr int64_t kEpochOfBatch = 3;
constexpr int64_t kFirstPosition = 40;
constexpr uint64_t kSamplesOfBatch = 4;
constexpr uint64_t kBlamed = 2;

class MayRefuse final : public SampleServices {
 public:
  explicit MayRefuse(bool refuses) : refuses_(refuses) {}

  Result<Tensor> allocate_output(int, const TensorSpec& spec) override {
    return refuses_ ? resource_exhausted("there is no memory") : Tensor::allocate(spec);
  }
  Result<MutableBytes> scratch(size_t) override { return resource_exhausted("there is none"); }
  Status reserve(size_t) override { return ok_status(); }
  void parallel_for(int64_t count, const std::function<void(int64_t)>& function) override {
    for (int64_t i = 0; i < count; ++i) {
      function(i);
    }
  }

 private:
  bool refuses_;
};

/// What a batch of a case has, and what may be wrong with its third sample.
struct GivenBatch {
  std::vector<std::vector<Tensor>> inputs;
  std::vector<std::vector<Tensor>> arguments;
  bool lacks_memory = false;
};

GivenBatch batch_of_case(const ConformanceCase& the_case) {
  GivenBatch given;
  for (uint64_t sample = 0; sample < kSamplesOfBatch; ++sample) {
    std::vector<Tensor>& inputs = given.inputs.emplace_back();
    for (const TensorOfSample& make : the_case.inputs) {
      inputs.push_back(make(sample));
    }
    std::vector<Tensor>& arguments = given.arguments.emplace_back();
    for (const auto& [name, make] : the_case.tensors) {
      arguments.push_back(make(sample));
    }
  }
  return given;
}

Status run_batch_of(const Operator& op, const GivenBatch& given) {
  std::deque<SampleIdentity> identities;
  std::deque<MayRefuse> services;
  std::vector<std::vector<Tensor>> outputs(kSamplesOfBatch, std::vector<Tensor>(op.num_outputs()));
  std::vector<Sample> samples;
  for (size_t i = 0; i < kSamplesOfBatch; ++i) {
    identities.push_back({.epoch = kEpochOfBatch, .position = kFirstPosition + static_cast<int64_t>(i)});
    services.emplace_back(given.lacks_memory && i == kBlamed);
    samples.emplace_back(identities[i], 1, given.inputs[i], given.arguments[i], outputs[i], services[i]);
  }
  return op.run_batch(samples);
}

std::unique_ptr<Operator> operator_of_case(const ConformanceCase& the_case) {
  Given given{.constants = the_case.constants};
  for (const auto& [name, make] : the_case.tensors) {
    given.tensors[name] = make(0);
  }
  auto made = make_operator(the_case.op, given, static_cast<int>(the_case.inputs.size()));
  EXPECT_TRUE(made.ok()) << the_case.name() << ": " << made.status();
  return made.ok() ? *std::move(made) : nullptr;
}

/// Whether `status` is an error; it must be about a sample then. Counts those about the third.
bool fails_by_name(const Status& status, int* blamed) {
  if (status.ok()) {
    return false;
  }
  const auto context = context_of(status);
  EXPECT_TRUE(context.has_value()) << status;
  if (context) {
    EXPECT_EQ(context->epoch, kEpochOfBatch) << status;
    EXPECT_GE(context->position, kFirstPosition) << status;
    *blamed += context->position == kFirstPosition + static_cast<int64_t>(kBlamed) ? 1 : 0;
  }
  return true;
}

TEST(BatchErrors, NameTheSampleForEveryRow) {
  std::set<std::string> seen;
  for (const ConformanceCase& the_case : conformance_cases()) {
    const auto op = operator_of_case(the_case);
    if (op == nullptr || op->scope() != Scope::kBatch) {
      continue;
    }
    SCOPED_TRACE(the_case.name());
    seen.insert(the_case.op);
    EXPECT_TRUE(run_batch_of(*op, batch_of_case(the_case)).ok());
    int blamed = 0;
    GivenBatch poor = batch_of_case(the_case);
    poor.lacks_memory = true;
    fails_by_name(run_batch_of(*op, poor), &blamed);
    if (!the_case.inputs.empty()) {
      GivenBatch unlike = batch_of_case(the_case);
      unlike.inputs[kBlamed][0] = tensor_of<uint8_t>({1}, {});
      fails_by_name(run_batch_of(*op, unlike), &blamed);
    }
    for (size_t slot = 0; slot < the_case.tensors.size(); ++slot) {
      GivenBatch odd = batch_of_case(the_case);
      odd.arguments[kBlamed][slot] = tensor_of<int32_t>({-7}, {});
      EXPECT_TRUE(fails_by_name(run_batch_of(*op, odd), &blamed));
    }
    EXPECT_GT(blamed, 0) << "nothing that was tried is an error of the third sample";
  }
  EXPECT_EQ(seen,
            std::set<std::string>({"batch_permutation", "multi_paste", "normalize", "pad", "permute_batch"}));
}

/// The error of a batch of three whose last sample has another tensor for `argument`.
Status error_by_argument(const std::string& name, const std::string& argument, const Tensor& usual,
                         const Tensor& odd) {
  const Tensor image = test_image({4, 5, 3});
  return run_operator_batch(name, {{image}, {image}, {image}}, {},
                            {{{argument, usual}}, {{argument, usual}}, {{argument, odd}}})
      .status();
}

TEST(BatchErrors, NameTheSampleWhoseArgumentIsOdd) {
  const auto number = [](int64_t value) { return tensor_of<int64_t>({value}, {1}); };
  for (const Status& status : {error_by_argument("pad", "align", number(2), number(0)),
                               error_by_argument("pad", "axes", number(1), number(7)),
                               error_by_argument("pad", "shape", number(0), tensor_of<int64_t>({8, 8}, {2})),
                               error_by_argument("permute_batch", "indices", number(1), number(3)),
                               error_by_argument("multi_paste", "in_ids", number(1), number(-1))}) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(context_of(status).value_or(ErrorContext()).position, 2) << status;
  }
}

}  // namespace
}  // namespace forebay::operators::testing
