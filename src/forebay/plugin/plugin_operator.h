// An operator of a library, as the rest of Forebay knows operators.
#pragma once

#include <memory>
#include <vector>

#include "forebay/operators/operator.h"
#include "forebay/plugin/plugin_api.h"

namespace forebay::plugin {

/// A row of a library's table, read and checked.
struct LibraryRow {
  operators::OperatorSpec spec;  // all but `create`
  ForebayPluginOperator table = {};
};

/// Outputs that an operator may have at most.
inline constexpr uint32_t kMaxOutputs = 64;

class PluginOperator final : public operators::Operator {
 public:
  /// Checks and converts the arguments, and lets the library make the operator of them. Errors name the
  /// operator.
  static Result<std::unique_ptr<operators::Operator>> create(std::shared_ptr<const LibraryRow> row,
                                                             const operators::Arguments& arguments);
  ~PluginOperator() override;

  int num_outputs() const override { return static_cast<int>(num_outputs_); }

  /// Asks the library for the outputs' specs, checks them, takes the memory and has it written.
  Status run(operators::Sample& sample) const override;

 private:
  explicit PluginOperator(std::shared_ptr<const LibraryRow> row) : row_(std::move(row)) {}
  Status make(const operators::Arguments& arguments);
  Status count_outputs();

  std::shared_ptr<const LibraryRow> row_;
  std::vector<int> slots_;  // for each parameter: its slot among a sample's argument tensors, or -1
  void* instance_ = nullptr;
  bool is_made_ = false;
  uint32_t num_outputs_ = 0;
};

}  // namespace forebay::plugin
