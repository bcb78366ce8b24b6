// A tensor that flows through a pipeline, and expressions of such tensors and numbers, as in Python:
//
//   pixels = images / 255.f;
//   mask = pixels > 0.5f;
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <variant>

#include "forebay/pipeline/graph/graph.h"

namespace forebay::pipeline {

class Pipeline;

/// A small value, valid as long as the pipeline lives.
class DataNode {
 public:
  /// Nothing: as an optional input it is not given, elsewhere an error that Pipeline::build() returns.
  DataNode() = default;
  DataNode(Pipeline* pipeline, Edge edge) : pipeline_(pipeline), edge_(edge) {}
  /// What `maker`, an operator, gives when no input of it has a pipeline, so that no pipeline has the error:
  /// the pipeline that the node gets to names it. The text must outlive the node.
  static DataNode without_pipeline(std::string_view maker) {
    DataNode node;
    node.maker_ = maker;
    return node;
  }

  bool is_given() const { return pipeline_ != nullptr || !maker_.empty(); }
  Edge edge() const { return edge_; }
  Pipeline* pipeline() const { return pipeline_; }
  std::string_view maker() const { return maker_; }

 private:
  Pipeline* pipeline_ = nullptr;
  Edge edge_;
  std::string_view maker_;
};

template <class T>
concept Number = std::is_arithmetic_v<T>;

/// An operand of an expression: a tensor, or a number, which becomes a constant: BOOL, INT32 or FLOAT, as in
/// Python.
class Operand {
 public:
  Operand(DataNode node) : value_(node) {}  // NOLINT: operands read as what they are
  template <Number T>
  Operand(T number) : value_(kept(number)) {}  // NOLINT

  /// Null for a number.
  const DataNode* node() const { return std::get_if<DataNode>(&value_); }
  DataNode node_in(Pipeline& pipeline) const;

 private:
  template <Number T>
  static auto kept(T number) {
    if constexpr (std::same_as<T, bool>) {
      return number;
    } else if constexpr (std::integral<T>) {
      return static_cast<int64_t>(number);
    } else {
      return static_cast<double>(number);
    }
  }

  std::variant<DataNode, bool, int64_t, double> value_;
};

/// Computes `op` ("add", "sqrt", "clamp"...: kernels/arithmetic/arithmetic.h) of one to three operands, of
/// which one at least is a tensor: else the pipeline that the result gets to says so.
DataNode arithmetic(std::string_view op, std::initializer_list<Operand> operands);

inline DataNode operator-(DataNode a) {
  return arithmetic("minus", {a});
}

#define FOREBAY_NODE_OPERATOR(symbol, name)                 \
  inline DataNode operator symbol(DataNode a, DataNode b) { \
    return arithmetic(name, {a, b});                        \
  }                                                         \
  DataNode operator symbol(DataNode a, Number auto b) {     \
    return arithmetic(name, {a, b});                        \
  }                                                         \
  DataNode operator symbol(Number auto a, DataNode b) {     \
    return arithmetic(name, {a, b});                        \
  }

FOREBAY_NODE_OPERATOR(+, "add")
FOREBAY_NODE_OPERATOR(-, "sub")
FOREBAY_NODE_OPERATOR(*, "mul")
FOREBAY_NODE_OPERATOR(/, "fdiv")  // integers: in float; arithmetic("div", ...) rounds
FOREBAY_NODE_OPERATOR(%, "mod")
FOREBAY_NODE_OPERATOR(==, "eq")
FOREBAY_NODE_OPERATOR(!=, "neq")
FOREBAY_NODE_OPERATOR(<, "lt")
FOREBAY_NODE_OPERATOR(<=, "leq")
FOREBAY_NODE_OPERATOR(>, "gt")
FOREBAY_NODE_OPERATOR(>=, "geq")
FOREBAY_NODE_OPERATOR(&, "bitand")
FOREBAY_NODE_OPERATOR(|, "bitor")
FOREBAY_NODE_OPERATOR(^, "bitxor")
#undef FOREBAY_NODE_OPERATOR

}  // namespace forebay::pipeline
