// One suite for every row of the operator table, on single operators. Whatever memory contained before, in
// whatever order parallel_for runs, and whatever is refused or thrown, an operator gives the same bits or an
// error that names the cause, and is usable afterwards. `tests/conformance` runs the same cases in sessions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/memory/testing/failing_new.h"
#include "forebay/operators/testing/conformance_cases.h"
#include "forebay/operators/testing/pressed_services.h"

namespace forebay::operators {
namespace {

using memory::testing::FailingNew;
using testing::conformance_cases;
using testing::ConformanceCase;
using ::testing::HasSubstr;
using testing::noise;
using testing::ParallelOrder;
using testing::PressedServices;
using testing::Pressure;
using testing::Refusal;

constexpr uint64_t kSamples = 3;  // in the batches of operators of batch scope

/// The outcome of a run: outputs (of all samples, one after the other), an error, or an exception.
struct Outcome {
  Status status;
  bool has_thrown = false;
  std::vector<Tensor> outputs;
  int requests = 0;  // memory requests of all samples together

  bool is_value() const { return status.ok() && !has_thrown; }
};

bool same_bits(const Outcome& a, const Outcome& b) {
  return a.status == b.status && a.outputs.size() == b.outputs.size() &&
         std::ranges::equal(a.outputs, b.outputs, [](const Tensor& x, const Tensor& y) {
           return x.is_valid() == y.is_valid() &&
                  (!x.is_valid() || (x.spec() == y.spec() && std::ranges::equal(x.bytes(), y.bytes())));
         });
}

/// Runs kernel bodies immediately.
class HostQueue final : public LaunchQueue {
 public:
  Status launch(const char*, KernelBody body, int64_t count, Bytes arguments) override {
    for (int64_t index = count - 1; index >= 0; --index) {
      body(arguments.data(), index);
    }
    return ok_status();
  }
};

/// An operator of a case, and the samples it runs on.
class Subject {
 public:
  explicit Subject(const ConformanceCase& the_case) : case_(the_case) {
    const auto spec = find_operator(case_.op);
    EXPECT_TRUE(spec.ok()) << spec.status();
    Arguments arguments{.constants = case_.constants, .num_inputs = static_cast<int>(case_.inputs.size())};
    int slot = 0;
    for (const auto& [argument, tensor] : case_.tensors) {
      arguments.tensors[argument] = slot++;
    }
    auto made = (*spec)->create(arguments);
    EXPECT_TRUE(made.ok()) << case_.name() << ": " << made.status();
    if (made.ok()) {
      op_ = *std::move(made);
      for (uint64_t sample = 0; sample < (op_->scope() == Scope::kBatch ? kSamples : 1); ++sample) {
        add_sample(sample);
      }
    }
  }

  bool is_valid() const { return op_ != nullptr; }
  const ConformanceCase& of() const { return case_; }
  std::vector<Tensor>& first_inputs() { return inputs_[0]; }

  Outcome run(const Pressure& pressure) const {
    PressedServices services(pressure);
    std::vector<std::vector<Tensor>> outputs(inputs_.size(), std::vector<Tensor>(op_->num_outputs()));
    std::vector<Sample> samples;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      samples.emplace_back(identities_[i], random_key(1, 0, 7), inputs_[i], arguments_[i], outputs[i],
                           services);
    }
    Outcome outcome;
    try {
      const memory::ScratchScope scratch(services.scratch_resource());
      outcome.status = run_scope(samples);
    } catch (const ThrownStatus& refused) {  // the executor makes it the sample's error
      outcome.status = refused.status();
    } catch (const std::exception&) {
      outcome.has_thrown = true;
    }
    outcome.requests = services.requests();
    for (const std::vector<Tensor>& of_sample : outputs) {
      outcome.outputs.insert(outcome.outputs.end(), of_sample.begin(), of_sample.end());
    }
    return outcome;
  }

  bool runs_on_devices() const { return op_->runs_on_devices(); }

  /// Like run(), but through the device interface.
  Outcome launch() const {
    PressedServices services({});
    Outcome outcome;
    outcome.outputs.resize(op_->num_outputs());
    Sample sample(identities_[0], random_key(1, 0, 7), inputs_[0], arguments_[0], outcome.outputs, services);
    outcome.status = [&]() -> Status {
      std::vector<TensorSpec> specs(outcome.outputs.size());
      FOREBAY_RETURN_IF_ERROR(op_->output_specs(sample, specs));
      for (size_t output = 0; output < specs.size(); ++output) {
        FOREBAY_ASSIGN_OR_RETURN(outcome.outputs[output], Tensor::allocate(specs[output]));
      }
      HostQueue queue;
      return op_->launch({&sample, 1}, queue);
    }();
    return outcome;
  }

  /// The bytes of all inputs and tensor arguments.
  std::string given_bytes() const {
    std::string all;
    for (const auto* tensors : {&inputs_, &arguments_}) {
      for (const std::vector<Tensor>& of_sample : *tensors) {
        for (const Tensor& tensor : of_sample) {
          if (tensor.is_valid()) {
            all.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.size_bytes());
          }
        }
      }
    }
    return all;
  }

 private:
  void add_sample(uint64_t sample) {
    std::vector<Tensor>& inputs = inputs_.emplace_back();
    for (const auto& make : case_.inputs) {
      inputs.push_back(make(sample));
    }
    std::vector<Tensor>& arguments = arguments_.emplace_back();
    for (const auto& [argument, make] : case_.tensors) {
      arguments.push_back(make(sample));
    }
    identities_.push_back(
        {.position = static_cast<int64_t>(sample), .index_in_batch = static_cast<int>(sample)});
  }

  Status run_scope(std::span<Sample> samples) const {
    if (op_->scope() == Scope::kBatch) {
      return op_->run_batch(samples);
    }
    if (op_->scope() == Scope::kExpand) {
      FOREBAY_ASSIGN_OR_RETURN(const int64_t count, op_->expand_count(samples[0]));
      return count == 0 ? ok_status() : op_->run(samples[0]);
    }
    return op_->run(samples[0]);
  }

  const ConformanceCase& case_;
  std::unique_ptr<Operator> op_;
  std::vector<SampleIdentity> identities_;
  std::vector<std::vector<Tensor>> inputs_;
  std::vector<std::vector<Tensor>> arguments_;
};

class OperatorConformance : public ::testing::TestWithParam<ConformanceCase> {
 protected:
  OperatorConformance() : subject_(GetParam()) {}

  void SetUp() override {
    ASSERT_TRUE(subject_.is_valid());
    const Outcome first = subject_.run({});
    ASSERT_TRUE(first.is_value()) << first.status;
    expected_ = subject_.run({});  // requests no memory for what the operator keeps since its first sample
    EXPECT_TRUE(same_bits(first, expected_)) << "another result of a second run";
  }
  void TearDown() override {
    if (subject_.is_valid()) {
      EXPECT_TRUE(same_bits(subject_.run({}), expected_)) << "another result afterwards";
    }
  }

  Subject subject_;
  Outcome expected_;
};

TEST_P(OperatorConformance, OldContentAndOrderChangeNothing) {
  const std::string given = subject_.given_bytes();
  for (const uint8_t old_content : {0x00, 0x5A, 0xFF}) {
    for (const auto order : {ParallelOrder::kForwards, ParallelOrder::kBackwards, ParallelOrder::kThreads}) {
      EXPECT_TRUE(same_bits(subject_.run({.old_content = old_content, .order = order}), expected_))
          << "old content " << int{old_content} << ", order " << static_cast<int>(order);
    }
  }
  EXPECT_EQ(subject_.given_bytes(), given) << "the operator wrote to what it was given";
}

TEST_P(OperatorConformance, EachRefusalIsHandedOn) {
  for (int request = 0; request < expected_.requests; ++request) {
    const Outcome refused = subject_.run({.refusal = Refusal::kStatus, .refused_request = request});
    EXPECT_EQ(refused.status.code(), StatusCode::kResourceExhausted) << "request " << request;
    EXPECT_THAT(std::string(message(refused.status)), HasSubstr(testing::kRefusal)) << "request " << request;
  }
}

TEST_P(OperatorConformance, EachRequestMayThrow) {
  for (int request = 0; request < expected_.requests; ++request) {
    const Outcome thrown = subject_.run({.refusal = Refusal::kThrow, .refused_request = request});
    EXPECT_FALSE(thrown.is_value()) << "request " << request;
    EXPECT_TRUE(same_bits(subject_.run({}), expected_)) << "after request " << request;
  }
}

TEST_P(OperatorConformance, EachAllocationMayFail) {
  const int64_t blocks_before = testing::CountedOutputs::of_process()->blocks();
  bool has_failed = true;
  for (int64_t at = 0; has_failed; ++at) {
    EXPECT_EQ(testing::CountedOutputs::of_process()->blocks(), blocks_before) << "before allocation " << at;
    std::optional<Outcome> outcome;
    {
      const FailingNew failing(at);
      try {
        outcome = subject_.run({});
      } catch (const std::bad_alloc&) {
        // An allocation by the test itself may also be the one that fails.
      }
      has_failed = failing.has_failed();
    }
    if (outcome.has_value() && outcome->is_value()) {
      EXPECT_TRUE(same_bits(*outcome, expected_)) << "allocation " << at;
    }
  }
}

// Runs the bodies of device kernels here, last index first.
TEST_P(OperatorConformance, OnADeviceTheSameBits) {
  if (subject_.runs_on_devices()) {
    const Outcome launched = subject_.launch();
    EXPECT_TRUE(same_bits(launched, expected_)) << launched.status;
  }
}

/// `spec` with no and with one element along each axis, as one pixel of all channels, and as one number.
std::vector<TensorSpec> thinned(const TensorSpec& spec) {
  std::vector<TensorSpec> all;
  for (const int64_t extent : {0, 1}) {
    for (int axis = 0; axis < spec.shape.rank(); ++axis) {
      all.push_back(spec);
      all.back().shape[axis] = extent;
    }
  }
  TensorSpec pixel = spec;
  TensorSpec number = spec;
  for (int axis = 0; axis < spec.shape.rank(); ++axis) {
    number.shape[axis] = 1;
    pixel.shape[axis] = spec.layout.find('C') == axis ? spec.shape[axis] : 1;
  }
  all.push_back(pixel);
  all.push_back(number);
  return all;
}

// Whatever the first input is, the outcome is a result that does not depend on old memory content, or a named
// error.
TEST_P(OperatorConformance, AnyLayoutTypeAndExtent) {
  if (GetParam().inputs.empty() || !subject_.first_inputs()[0].is_valid()) {
    return;
  }
  const Tensor usual = subject_.first_inputs()[0];
  const auto try_spec = [&](const TensorSpec& spec) {
    SCOPED_TRACE(spec.to_string());
    subject_.first_inputs()[0] = noise(spec, 1);
    const Outcome once = subject_.run({});
    EXPECT_FALSE(once.has_thrown);
    if (once.status.ok()) {
      EXPECT_TRUE(same_bits(subject_.run({.old_content = 0x5A, .order = ParallelOrder::kBackwards}), once));
    } else {
      EXPECT_NE(once.status.code(), StatusCode::kInternal) << once.status;
      EXPECT_NE(message(once.status), "");
    }
  };
  for (const DType dtype : testing::all_dtypes()) {
    for (const TensorSpec& spec : testing::specs_of_all_layouts(dtype)) {
      try_spec(spec);
      std::ranges::for_each(thinned(spec), try_spec);
    }
  }
  subject_.first_inputs()[0] = usual;
}

std::string test_name(const ::testing::TestParamInfo<ConformanceCase>& info) {
  std::string name = info.param.name();
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, OperatorConformance, ::testing::ValuesIn(conformance_cases()), test_name);

TEST(OperatorTable, EveryRowHasAConformanceCase) {
  const TemporaryDirectory folder;
  std::set<std::string> covered;
  for (const ConformanceCase& one : conformance_cases()) {
    covered.insert(one.op);
  }
  for (const ConformanceCase& one : testing::source_conformance_cases(folder.path())) {
    covered.insert(one.op);
  }
  for (const OperatorSpec& row : all_operators()) {
    EXPECT_TRUE(covered.contains(row.name)) << row.name << " has no case in testing/conformance_cases.cc";
  }
}

}  // namespace
}  // namespace forebay::operators
