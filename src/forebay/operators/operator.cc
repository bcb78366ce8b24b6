#include "forebay/operators/operator.h"

#include <algorithm>
#include <numeric>

#include "forebay/base/caught.h"
#include "forebay/operators/added_operators.h"

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
#define FOREBAY_OPERATOR(name) rows->push_back(name());
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

/// The row whose name is nearest to one that no operator has.
class Nearest {
 public:
  explicit Nearest(std::string_view name) : name_(name) {}

  void look_at(const std::vector<OperatorSpec>& rows) {
    for (const OperatorSpec& row : rows) {
      const size_t distance = edit_distance(row.name, name_);
      if (distance < distance_) {
        found_ = row.name;
        distance_ = distance;
      }
    }
  }
  std::string_view found() const { return found_; }

 private:
  const std::string_view name_;
  std::string_view found_;
  size_t distance_ = SIZE_MAX;
};

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
  Nearest nearest(name);
  nearest.look_at(all_operators());
  for (const AddedOperators* library : libraries) {
    nearest.look_at(library->rows);
  }
  return not_found("there is no operator '{}'; the nearest name is '{}'", name, nearest.found());
}

}  // namespace forebay::operators
