// Variables: what tasks read and write. A variable names some state (a slot, an array, a connection) but is
// not the state itself. Tasks declare which variables they read and write, and the engine derives their
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace forebay::engine {

struct VariableState;

/// A cheap shared handle, made by Engine::new_variable(). Dropping the last handle runs nothing and waits for
/// nothing: unfinished tasks keep what they need. Handles may be copied and dropped on any thread.
class Variable {
 public:
  Variable() = default;
  Variable(const Variable& other) noexcept : state_(other.state_) { retain(); }
  Variable(Variable&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Variable& operator=(Variable other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Variable() { release(); }

  /// False for a null handle; tasks may not use one.
  bool is_valid() const { return state_ != nullptr; }

  friend bool operator==(const Variable&, const Variable&) = default;

 private:
  friend class Core;
  friend struct std::hash<Variable>;
  explicit Variable(VariableState* owned) : state_(owned) {}
  void retain() const noexcept;
  void release() noexcept;

  VariableState* state_ = nullptr;
};

}  // namespace forebay::engine

/// For hash tables keyed by variables.
template <>
struct std::hash<forebay::engine::Variable> {
  size_t operator()(const forebay::engine::Variable& variable) const noexcept {
    return std::hash<const void*>()(variable.state_);
  }
};
