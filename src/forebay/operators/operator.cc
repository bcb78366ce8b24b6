#include "forebay/operators/operator.h"

#include <algorithm>

#include "forebay/base/caught.h"
#include "forebay/base/nearest_name.h"
#include "forebay/operators/added_operators.h"

namespace forebay::operators {

#define FOREBAY_OPERATOR(family, name) OperatorSpec name();
#include "forebay/operators/operator_list.inc"
#undef FOREBAY_OPERATOR

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

Result<std::shared_ptr<dataset::Source>> Operator::open_source(const dataset::OrderOptions&) const {
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
#define FOREBAY_OPERATOR(folder, name) \
  rows->push_back(name());             \
  rows->back().family = #folder;
#include "forebay/operators/operator_list.inc"
#undef FOREBAY_OPERATOR
    std::ranges::sort(*rows, {}, &OperatorSpec::name);
    return rows;
  }();
  return *table;
}

namespace {

const OperatorSpec* named(const std::vector<OperatorSpec>& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &OperatorSpec::name);
  return found == rows.end() ? nullptr : &*found;
}

void look_at(const std::vector<OperatorSpec>& rows, NearestName& nearest) {
  for (const OperatorSpec& row : rows) {
    nearest.look_at(row.name);
  }
}

}  // namespace

Result<const OperatorSpec*> find_operator(std::string_view name) {
  if (const OperatorSpec* const own = named(all_operators(), name)) {
    return own;
  }
  const std::vector<const AddedOperators*> libraries = added_operators();
  for (const AddedOperators* library : libraries) {
    if (const OperatorSpec* const added = named(library->rows, name)) {
      return added;
    }
  }
  NearestName nearest(name);
  look_at(all_operators(), nearest);
  for (const AddedOperators* library : libraries) {
    look_at(library->rows, nearest);
  }
  return not_found("there is no operator '{}'; the nearest name is '{}'", name, nearest.found());
}

}  // namespace forebay::operators
