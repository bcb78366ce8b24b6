#include "forebay/operators/operator.h"

#include <algorithm>
#include <numeric>

#include "forebay/base/caught.h"

namespace forebay::operators {

#define FOREBAY_OPERATOR(name) OperatorSpec name();
#include "forebay/operators/operator_list.inc"
#undef FOREBAY_OPERATOR

namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

void Operator::run_group(std::span<Sample> samples, std::span<Status> results) const {
  for (size_t i = 0; i < samples.size(); ++i) {
    results[i] = caught([&] { return run(samples[i]); });
  }
}

Status Operator::run_batch(std::span<Sample>) const {
  return internal_error("the operator has no batch scope");
}

Result<int64_t> Operator::expand_count(const Sample&) const {
  return internal_error("the operator has no expand scope");
}

Result<std::shared_ptr<dataset::Source>> Operator::open_source() const {
  return internal_error("the operator is not a reader");
}

Result<dataset::OrderOptions> Operator::order_options(uint64_t, int64_t) const {
  return internal_error("the operator is not a reader");
}

Status Operator::output_specs(const Sample&, std::span<TensorSpec>) const {
  return internal_error("the operator does not run on devices");
}

Status Operator::launch(std::span<Sample>, LaunchQueue&) const {
  return internal_error("the operator does not run on devices");
}

const ParameterSpec* OperatorSpec::find_parameter(std::string_view wanted) const {
  const auto found =
      std::ranges::find_if(parameters, [&](const ParameterSpec& row) { return row.name == wanted; });
  return found == parameters.end() ? nullptr : &*found;
}

const std::vector<OperatorSpec>& all_operators() {
  static const auto* table = [] {
    auto* rows = new std::vector<OperatorSpec>;
#define FOREBAY_OPERATOR(name) rows->push_back(name());
#include "forebay/operators/operator_list.inc"
#undef FOREBAY_OPERATOR
    std::ranges::sort(*rows, {}, &OperatorSpec::name);
    return rows;
  }();
  return *table;
}

Result<const OperatorSpec*> find_operator(std::string_view name) {
  const OperatorSpec* nearest = nullptr;
  size_t nearest_distance = SIZE_MAX;
  for (const OperatorSpec& row : all_operators()) {
    if (row.name == name) {
      return &row;
    }
    const size_t distance = edit_distance(row.name, name);
    if (distance < nearest_distance) {
      nearest = &row;
      nearest_distance = distance;
    }
  }
  return not_found("there is no operator '{}'; the nearest name is '{}'", name,
                   nearest == nullptr ? "" : nearest->name);
}

}  // namespace forebay::operators
